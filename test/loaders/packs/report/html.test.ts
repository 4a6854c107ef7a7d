import { expect, test } from 'vitest'
import { bytesOf, html, nothing, styleOf, toPage } from '../../../../loaders/packs/report/html.ts'

test.each([
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['"><img src=x onerror=alert(1)>', '&#34;&gt;&lt;img src=x onerror=alert(1)&gt;'],
  ['`', '&#96;'],
  ['</title></style>', '&lt;/title&gt;&lt;/style&gt;'],
  ['$& $1 $$', '$&amp; $1 $$'],
])('%s is shown as text, both between tags and in an attribute', (text, written) => {
  expect(toPage(html`<p title="${text}">${text}</p>`)).toBe(`<p title="${written}">${written}</p>`)
})

test('markup that is inserted into other markup stays unchanged, alone or in a list; numbers can be inserted too', () => {
  const items = ['<', '>'].map((text) => html`<li>${text}</li>`)
  expect(toPage(html`<ul>${items}</ul>${nothing}${7}`)).toBe('<ul><li>&lt;</li><li>&gt;</li></ul>7')
  expect(bytesOf(html`${'é<'}`)).toBe(6)
})

test('a value that imitates the markup objects of the report causes an error, because only `html` makes markup', () => {
  const forged = JSON.parse('{"markup":"<b>","Symbol(markup)":"<b>"}') as string
  expect(() => html`${forged}`).toThrow()
})

test('a style sheet cannot end its own tag', () => {
  expect(toPage(styleOf('p { color: red }'))).toBe('<style>p { color: red }</style>')
  expect(() => styleOf('p::after { content: "</style>" }')).toThrow('could end its own tag')
})
