import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { type Options, stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type CsvCell,
  fieldCell,
  guardFormula,
  joinList,
  toCsv,
  writeCsv,
} from '../../../../loaders/packs/csv-files/csv.ts'
import { useFolder } from '../../../support/folder.ts'

// The expected bytes follow RFC 4180. An apostrophe before a formula keeps spreadsheets from running it.
describe('cells', () => {
  test.each<[string, CsvCell, string]>([
    ['text is quoted', 'Ada', '"Ada"'],
    ['an absent value is an empty cell without quotes', null, ''],
    ['a number stands bare', 7, '7'],
    ['text that looks like a number is quoted as it is', '007', '"007"'],
    ['a quote is doubled', 'say "x"', '"say ""x"""'],
    ['line breaks stay, a lone CR or LF included', 'a\r\nb\nc\rd', '"a\r\nb\nc\rd"'],
    ['=', '=1+1', '"\'=1+1"'],
    ['full-width =', '＝x', '"\'＝x"'],
    ["'", "'quoted", '"\'\'quoted"'],
    ["' before a formula", "'=1", '"\'\'=1"'],
    ['a formula character that is not the first', 'a=1', '"a=1"'],
    ['a blank before it', ' =1', '" =1"'],
    ['a byte order mark before it', '\ufeff=1', '"\ufeff=1"'],
  ])('%s', (_, cell, bytes) => {
    expect(toCsv([[cell, 'x']])).toBe(`${bytes},"x"\r\n`)
  })

  test('each row of a CSV file ends in CRLF, and a file without rows is empty', () => {
    expect(toCsv([['a'], ['b']])).toBe('"a"\r\n"b"\r\n')
    expect(toCsv([])).toBe('')
  })
})

/**
 * Makes any text. In these texts, characters with a meaning in CSV or spreadsheets are more frequent than by
 * chance.
 */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'\'=+-@\t\r\n＝＋－＠",;\\ ', '""', '\r\n', "'='", '\ufeff'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))

/**
 * Removes the leading apostrophe that protects a cell from being read as a formula, as the manifest
 * describes.
 */
const restore = (cell: string) => (cell.startsWith("'") ? cell.slice(1) : cell)

test('toCsv and csv-stringify write the same bytes', () => {
  const cell = fc.oneof(text, fc.double(), fc.bigInt(), fc.constant(null))
  const settings: Options = { quoted_string: true, record_delimiter: '\r\n', cast: { string: guardFormula } }
  fc.assert(
    fc.property(fc.array(fc.array(cell, { maxLength: 4 }), { maxLength: 5 }), (rows) => {
      expect(toCsv(rows)).toBe(stringify(rows, settings))
    }),
    { numRuns: 500 },
  )
})

describe('a foreign CSV reader', () => {
  test('another CSV reader reads every text unchanged, after the leading apostrophe is removed', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 5 }), (rows) => {
        const read: string[][] = parse(toCsv(rows), { bom: false, record_delimiter: '\r\n' })
        expect(read.map((row) => row.map(restore))).toEqual(rows)
        for (const cell of read.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/)
      }),
      { numRuns: 500 },
    )
  })

  test('if another CSV reader reads a joined list, the list can be split into its elements again', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (elements) => {
        expect(splitList(joinList(elements))).toEqual(elements)
      }),
      { numRuns: 500 },
    )
  })

  /** Splits a cell with a joined list into its elements, character by character. */
  function splitList(cell: string): readonly string[] {
    const elements = ['']
    for (let at = 0; at < cell.length; at += 1) {
      const character = cell[at] ?? ''
      if (character === '\\') {
        at += 1
        elements.push(`${elements.pop()}${cell[at]}`)
      } else if (character === ';') {
        // In a cell, the elements of a list are separated by `; `.
        at += 1
        elements.push('')
      } else elements.push(`${elements.pop()}${character}`)
    }
    return elements
  }
})

describe('lists', () => {
  test.each([
    [['a'], 'a'],
    [['a', 'b'], 'a; b'],
    [['a;b', 'c\\d', '\\;'], 'a\\;b; c\\\\d; \\\\\\;'],
    [[' a', ''], ' a; '],
  ])('%j is %j', (elements, cell) => {
    expect(joinList(elements)).toBe(cell)
  })

  test('a cell of a field is a text or a joined list, and is empty if the field is absent', () => {
    expect([fieldCell('a;b'), fieldCell(['a', 'b']), fieldCell('')]).toEqual(['a;b', 'a; b', ''])
    expect(fieldCell(undefined)).toBeNull()
    expect(guardFormula(joinList(['=1', '2']))).toBe("'=1; 2")
  })
})

describe('a file', () => {
  const folder = useFolder()

  test('a CSV file has an unquoted header and then the pages in order; its rows, bytes and hash are returned', async () => {
    const file = await writeCsv(
      folder(),
      'x.csv',
      ['unique_id', 'first_name'],
      (async function* () {
        yield [['1', 'Ä']]
        yield []
        yield [
          ['2', null],
          ['3', ''],
        ]
      })(),
      { mode: 'private' },
    )
    const bytes = 'unique_id,first_name\r\n"1","Ä"\r\n"2",\r\n"3",""\r\n'
    expect(readFileSync(join(folder(), 'x.csv'), 'utf8')).toBe(bytes)
    expect(file).toEqual({
      name: 'x.csv',
      rows: 3,
      bytes: Buffer.byteLength(bytes),
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
  })
})
