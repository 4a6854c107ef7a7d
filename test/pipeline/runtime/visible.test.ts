import { expect, test } from 'vitest'
import { toTable } from '../../../pipeline/commands/io.ts'
import { toVisibleJson } from '../../../pipeline/runtime/visible.ts'

test('JSON output cannot control the terminal, and its values are unchanged', () => {
  const value = { a: 'x\u001b[2J\u009b31m\u007f\u202e\u2028\u{e0001}\ud800', list: ['Zoë 👩‍💻', null, 7] }
  const text = toVisibleJson(value)
  expect(JSON.parse(text)).toEqual(value)
  expect(text).toBe(
    String.raw`{"a":"x\u001b[2J\u009b31m\u007f\u202e\u2028\udb40\udc01\ud800","list":["Zoë 👩‍💻",null,7]}`,
  )
})

test('the output of a table cannot control the terminal', () => {
  expect(toTable(['a'], [['x\u001b[2J\ny\u202e']])).toBe(`a\n${'-'.repeat(19)}\nx\\x1b[2J\\ny\\u{202e}\n`)
})
