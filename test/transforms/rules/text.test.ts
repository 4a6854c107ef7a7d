import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Json, readText, storableText, toJsonNumber } from '../../../transforms/rules/values.ts'

describe('a text [R56]', () => {
  test.each<[name: string, value: Json | undefined, text: string | null]>([
    ['ordinary text stays', 'Opening keynote', 'Opening keynote'],
    ['text is trimmed, a no-break space and a byte order mark included', '\u00a0\ufeff Ada\t\r\n', 'Ada'],
    ['inner white space and HTML stay', '<p>a  b</p>\n<p>c</p>', '<p>a  b</p>\n<p>c</p>'],
    ['trim does not remove a zero-width space', '\u200bAda', '\u200bAda'],
    ['no Unicode normal form is applied', 'e\u0301', 'e\u0301'],
    ['null is absent', null, null],
    ['the empty text is absent', '', null],
    ['a blank text is absent', ' \u2003\n', null],
    ['a number is its digits', 7, '7'],
    ['a long number keeps its digits', toJsonNumber('99999999999999999'), '99999999999999999'],
    ['a number keeps its zeros', toJsonNumber('1.0'), '1.0'],
  ])('%s', (_, value, text) => {
    expect(readText(value)).toEqual({ value: text, warning: null })
  })

  test.each<[name: string, value: Json]>([
    ['true', true],
    ['false', false],
    ['an object', { id: 1 }],
    ['a list', ['a']],
  ])('%s is absent and marked as not a text', (_, value) => {
    expect(readText(value)).toEqual({ value: null, warning: 'not_text' })
  })

  test.each<[name: string, value: string, text: string | null]>([
    ['U+0000 is dropped', 'a\0b\0', 'ab'],
    ['a text is trimmed after U+0000 is dropped', '\0 a \0', 'a'],
    ['a lone high surrogate becomes U+FFFD', 'a\ud83d', 'a\ufffd'],
    ['a lone low surrogate becomes U+FFFD', '\ude00a', '\ufffda'],
    ['halves that U+0000 kept apart become one character [R56]', '\ud83d\0\ude00', '😀'],
  ])('%s, and the change is marked', (_, value, text) => {
    expect(readText(value)).toEqual({ value: text, warning: 'unsupported_character' })
  })

  test('a U+FFFD that the source itself wrote gets no warning', () => {
    expect(readText('\ufffd')).toEqual({ value: '\ufffd', warning: null })
  })
})

describe('a storable text', () => {
  test('any input becomes a text that is valid in UTF-8 and has no U+0000', () => {
    const units = fc.array(fc.constantFrom('\0', '\ud83d', '\ude00', 'a', 'é', '\ufffd', ' '))
    fc.assert(
      fc.property(units, (parts) => {
        const stored = storableText(parts.join(''))
        expect(stored).not.toContain('\0')
        expect(Buffer.from(stored).toString()).toBe(stored)
        expect(storableText(stored)).toBe(stored)
      }),
    )
  })

  test('well-formed text stays unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('\0'))
        expect(storableText(text)).toBe(text)
      }),
    )
  })
})
