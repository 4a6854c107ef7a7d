import { expect, test } from 'vitest'
import { shortValue, toPage, value } from '../../../../loaders/packs/report/html.ts'

const shown = (text: string, most = 25) => toPage(value(text, most))

test.each([
  ['plain', 'plain'],
  ['two\r\nlines\n\tand a tab', 'two\nlines\n\tand a tab'],
  ['a lone\rreturn', 'a lone\\x0dreturn'],
  ['evil\u202egnp.exe', 'evil\\u{202e}gnp.exe'],
  ['\ufeffmark', '\\u{feff}mark'],
  ['\ud83c alone', '\\u{d83c} alone'],
  ['👩‍👩‍👧', '👩‍👩‍👧'],
  ['نمی‌خواهم', 'نمی‌خواهم'],
])(
  '%j is shown as %j within its own element, so its writing direction does not affect the text after it',
  (text, written) => {
    expect(shown(text)).toBe(`<bdi>${written}</bdi>`)
  },
)

test('a long value is cut between characters, and its length is shown', () => {
  expect(shown('abcdef', 6)).toBe('<bdi>abcdef</bdi>')
  expect(shown('abcdefg', 6)).toBe('<bdi>abcdef</bdi><span class="cut">… (7 characters)</span>')
  expect(shown('🎈'.repeat(1000), 3)).toBe('<bdi>🎈🎈🎈</bdi><span class="cut">… (2,000 characters)</span>')
  expect(toPage(shortValue('abcdefg', 6))).toBe('<bdi>abcdef</bdi>…')
})

test('the full length of an escape sequence counts towards the length at which a value is cut', () => {
  expect(shown('\u202e\u202e\u202e', 17)).toBe(
    '<bdi>\\u{202e}\\u{202e}</bdi><span class="cut">… (3 characters)</span>',
  )
})

test('a text of four million characters is cut to less than 150 bytes of markup', () => {
  expect(Buffer.byteLength(shown('<'.repeat(4_000_000), 10))).toBeLessThan(150)
})
