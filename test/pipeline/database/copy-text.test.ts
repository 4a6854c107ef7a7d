import { expect, test } from 'vitest'
import { toCopyLine } from '../../../pipeline/database/copy-text.ts'

// The expected lines follow the PostgreSQL documentation: COPY, "Text Format", and "Array Value Input".
test.each([
  ['text as it is', ['Ærø'], 'Ærø'],
  ['null', [null], '\\N'],
  ['blank text, which is not null', [''], ''],
  ['text that looks like null', ['\\N'], '\\\\N'],
  ['text that looks like the end of the data', ['\\.'], '\\\\.'],
  ['tab, newline, carriage return', ['a\tb\nc\rd'], 'a\\tb\\nc\\rd'],
  ['yes and no', [true, false], 't\tf'],
  ['numbers', [7, -0.5], '7\t-0.5'],
  ['bytes, in hex', ['\\x00ff5c'], '\\\\x00ff5c'],
  ['an empty list', [[]], '{}'],
  ['a list', [['a', '', 'NULL', 'b,c}']], '{"a","","NULL","b,c}"}'],
  ['a list of hostile texts', [['"', '\\', 'a\tb']], '{"\\\\"","\\\\\\\\","a\\tb"}'],
])('toCopyLine writes %s in the text format of COPY', (_, cells, line) => {
  expect(toCopyLine(cells)).toBe(`${line}\n`)
})
