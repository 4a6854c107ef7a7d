import { expect, test } from 'vitest'
import { recordedAddress } from '../../../transforms/rules/people.ts'

test.each([
  ['https://a.example/Users?%24orderby=Id&%24skip=0', 'https://a.example/Users?%24orderby=Id&%24skip=0'],
  ["https://a.example/Users?$top=9&$skiptoken=Id-'u1'", 'https://a.example/Users?$top=9&$skiptoken=omitted'],
  ['https://a.example/Users?after=u1%40people.example', 'https://a.example/Users?after=omitted'],
  ['https://a.example/Users?u1@people.example', 'https://a.example/Users?omitted'],
  ['https://a.example/Users?u1%40people.example=1', 'https://a.example/Users?omitted'],
  ['https://a.example/Users?page=2#u1', 'https://a.example/Users?page=2'],
  ['https://a.example/Users', 'https://a.example/Users'],
])('the URL of the request %s is recorded as %s', (address, recorded) => {
  expect(recordedAddress(address)).toBe(recorded)
})
