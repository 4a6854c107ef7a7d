import { expect, test } from 'vitest'
import { isBelow } from '../../../pipeline/http/http.ts'

const isWithin = (address: string, within = 'http://a.example/base/') => {
  const from = new URL('http://a.example/base/here')
  const url = URL.parse(address, from.href)
  return url !== null && isBelow(url, new URL(within))
}

test.each(['/base', 'there?x=1', '/base/a/../there', '/other/../base/there', 'http://a.example:80/base/x'])(
  'the address %s is below /base/',
  (address) => {
    expect(isWithin(address)).toBe(true)
    expect(isWithin(address, 'http://a.example/base')).toBe(true)
  },
)

test.each([
  '/other',
  '/base-of-another/x',
  '/base/../other',
  '/base/%2e%2e/other',
  '/base/.%2E/other',
  '/base\\..\\other',
  '/base/..%2fother',
  '/base/x%2f%2e%2e%2f%2e%2e%2Fother',
  '/base/..%5c..%5Cother',
  '/base/x%5c%2e%2e%5c%2e%2e%5Cother',
  '/base/..;/other',
  'http://user@a.example/base/there',
  'http://:password@a.example/base/there',
  'https://a.example/base/there',
  'http://a.example:1/base/there',
  'http://b.example/base/there',
  'http://a.example.example/base/there',
  '//other.example/x',
  'file:///base/there',
  'data:application/json,[]',
])('the address %s is not below /base/', (address) => {
  expect(isWithin(address)).toBe(false)
})
