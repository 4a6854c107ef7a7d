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
])('finds the person in %s', (text) => {
  expect(holdsPerson(text)).toBe(true)
})

test('finds the person in UTF-16 and in Latin-1', () => {
  expect(holdsPerson(Buffer.from(`a${letters}`, 'utf16le'))).toBe(true)
  expect(holdsPerson(Buffer.from(`a${letters}`, 'latin1'))).toBe(true)
})

test('does not find similar texts', () => {
  expect(holdsPerson('zyxo mma, Yzyxy, "zy\\x')).toBe(false)
})
