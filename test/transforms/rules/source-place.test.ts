import { expect, test } from 'vitest'
import { sourcePlace } from '../../../transforms/rules/source-place.ts'

test('different spellings of one URL are recognised as the same source', () => {
  const spellings = [
    'https://api.example/v2',
    'http://api.example/v2',
    'HTTPS://API.Example/v2/',
    'https://api.example:443/v2',
    'http://api.example:80//v2//',
    'https://api.example./v2',
    'https://user:secret@api.example/v2',
    'https://api.example/v1/../v2',
  ]
  expect([...new Set(spellings.map(sourcePlace))]).toEqual(['api.example/v2'])
  expect(sourcePlace('https://bücher.example')).toBe(sourcePlace('https://xn--bcher-kva.example/'))
})

test.each([
  'https://api.example/V2',
  'https://api.example:8443/v2',
  'https://api2.example/v2',
  'https://api.example',
])('%s is recognised as another source', (url) => expect(sourcePlace(url)).not.toBe('api.example/v2'))
