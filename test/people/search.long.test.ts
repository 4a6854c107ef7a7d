import { expect, test } from 'vitest'
import { CANARIES, holdsPerson } from './search.ts'

const [plain, letters, marks] = CANARIES

test.each([
  `Of ${plain.toUpperCase()}, say`,
  letters,
  letters.normalize('NFD'),
  'a \\u00ddz\\u00FDx\\u00fd in JSON',
  '%C3%9Dz%c3%bdx%C3%BD',
  '&#221;z&#253;x&#xfd;'.replace('&#xfd;', '&#253;'),
  marks,
  JSON.stringify({ company: marks }),
  JSON.stringify(JSON.stringify({ company: marks })),
  `"${marks.replaceAll('"', '""')}"`,
  '&quot;zy\\x&quot;&lt;&amp;&gt;',
  `\\x${Buffer.from(`a ${plain}`).toString('hex')}`,
])('the search finds the person in %s', (text) => {
  expect(holdsPerson(text)).toBe(true)
})

test('the search finds the person in texts encoded as UTF-16 or Latin-1', () => {
  expect(holdsPerson(Buffer.from(`a${letters}`, 'utf16le'))).toBe(true)
  expect(holdsPerson(Buffer.from(`a${letters}`, 'latin1'))).toBe(true)
})

test('the search does not report texts that are only similar', () => {
  expect(holdsPerson('zyxo mma, Yzyxy, "zy\\x')).toBe(false)
})
