import { expect, test } from 'vitest'
import { toPlainText } from '../../../loaders/exports/plain-text.ts'

test.each([
  ['a text without tags keeps its lines', 'Welcome\n\n  to a < b & c', 'Welcome\n\n  to a < b & c'],
  ['a paragraph has its own line', '<p>One\n two</p><p>Three</p>', 'One two\nThree'],
  ['a line break is kept', 'One<br>two<br/>three', 'One\ntwo\nthree'],
  [
    'list elements begin with a dash',
    '<ul><li>Tea</li><li><b>Cake</b> and jam</li></ul>',
    '- Tea\n- Cake and jam',
  ],
  ['entities become characters', 'R&amp;D &#8211; Caf&eacute;', 'R&D – Café'],
  [
    'a link has its address behind it',
    '<a href="https://x.example/a?b=1&amp;c">Join</a> now',
    'Join (https://x.example/a?b=1&c) now',
  ],
  ['an address is not repeated', '<a href="https://x.example">https://x.example</a>', 'https://x.example'],
  ['a script is left out', '<p>Hi<script>alert(1)</script></p>', 'Hi'],
  ['a link that runs code has no address', '<a href="javascript:alert(1)">Hi</a>', 'Hi'],
  ['an open tag at the end is text that was cut off', '<p>Hi <b>there', 'Hi there'],
])('%s', (_, html, text) => {
  expect(toPlainText(html)).toBe(text)
})
