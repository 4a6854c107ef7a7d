import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { stateCell } from '../../../pipeline/commands/colours.ts'
import { openTable, toTable } from '../../../pipeline/commands/io.ts'

const RUN = '01ffffff-0000-7000-8000-000000000001'

describe('a table', () => {
  test('if lines are too long, a table cuts long texts of the named columns, and cuts the first named column most', () => {
    const rows = [
      ['summit', RUN, 'x'.repeat(200)],
      ['a'.repeat(63), RUN, `${'y'.repeat(18)} z`],
    ]
    const table = toTable(['integration', 'run', 'reason'], rows, ['reason', 'integration'])
    const lines = table.trimEnd().split('\n')
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBe(120)
    expect(lines[2]).toBe(`summit${' '.repeat(57)}  ${RUN}  ${'x'.repeat(16)}…`)
    expect(lines[3]).toBe(`${'a'.repeat(63)}  ${RUN}  ${'y'.repeat(16)}…`)
  })

  test('a table also cuts the second named column if the first named column is already as narrow as allowed', () => {
    const rows = [['a'.repeat(63), 'b'.repeat(60), '水'.repeat(40)]]
    const [, rule, line] = toTable(['integration', 'run', 'reason'], rows, ['reason', 'integration']).split(
      '\n',
    )
    expect(rule).toBe([44, 60, 12].map((size) => '-'.repeat(size)).join('  '))
    expect(line).toBe(`${'a'.repeat(43)}…  ${'b'.repeat(60)}  ${'水'.repeat(5)}…`)
  })

  test('a table cuts nothing if its lines are short enough, and never cuts columns that are not named', () => {
    expect(toTable(['reason'], [['x'.repeat(120)]], ['reason'])).toContain('x'.repeat(120))
    expect(toTable(['reason'], [['x'.repeat(130)]])).toContain('x'.repeat(130))
    const print = openTable(['id', 'reason'], ['reason'])
    print([['1', 'short']])
    expect(print([['2', 'a longer reason']])).toBe('2   a lon…\n')
  })

  test('a table aligns the cells after a coloured cell, and does not colour blanks', () => {
    const paint = (colour: string, text: string) => (colour === 'red' ? `\x1b[31m${text}\x1b[39m` : text)
    const rows = [
      [stateCell(paint, 'failed'), 1],
      [stateCell(paint, 'planned'), 2],
    ]
    expect(toTable(['status', 'n'], rows)).toBe(
      'status   n\n-------  -\n\x1b[31mfailed\x1b[39m   1\nplanned  2\n',
    )
  })

  test('a table escapes control characters in a coloured cell', () => {
    const cell = stateCell((_, text) => `<${text}>`, 'held', 'held\x1b[2J')
    expect(toTable(['state'], [[cell]])).toContain('<held\\x1b[2J>')
  })
})
