import { stringify } from 'csv-stringify/sync'
import type { Content, FieldValue } from '../../../sql/tables.ts'
import { isList, mapTexts, textOf } from '../../../transforms/declare/field-values.ts'
import { contentNamedIn } from '../../../transforms/rules/platform.ts'
import { type FileWriter, type WrittenFile, writeWhole } from '../../files/file-writer.ts'

/** A cell: text is quoted and guarded, numbers are bare, null is an empty cell without quotes. */
export type CsvCell = string | number | bigint | null

/** A file of a pack, as the manifest lists it. */
export interface ListedFile extends WrittenFile {
  readonly name: string
  readonly rows: number
}

/** Rows that are made lines of at a time: what a line is put together from is garbage while it is young, and cheap. */
const AT_ONCE = 100

/**
 * Writes a CSV file of the pack: RFC 4180, UTF-8, CRLF, header row.
 *
 * @param byteOrderMark by which Excel tells UTF-8 from the encoding of the country
 */
export async function writeCsv(
  folder: string,
  name: string,
  columns: readonly string[],
  pages: AsyncIterable<readonly (readonly CsvCell[])[]>,
  byteOrderMark = false,
  beforeNamed?: (written: WrittenFile) => Promise<void>,
): Promise<ListedFile> {
  let rows = 0
  const written = await writeWhole(
    `${folder}/${name}`,
    async ({ write }: FileWriter) => {
      await write(`${byteOrderMark ? '\uFEFF' : ''}${columns.join(',')}\r\n`)
      for await (const page of pages) {
        rows += page.length
        for (let at = 0; at < page.length; at += AT_ONCE) await write(toCsv(page.slice(at, at + AT_ONCE)))
      }
    },
    beforeNamed,
  )
  return { name, rows, ...written }
}

/**
 * Writes rows as CSV lines.
 *
 * @param isGuarded by the place of the column, from 0: whether its texts are guarded against being run as a formula
 */
export function toCsv(
  rows: readonly (readonly CsvCell[])[],
  isGuarded: (column: number) => boolean = () => true,
): string {
  const settings = {
    quoted_string: true,
    record_delimiter: '\r\n',
    // Every text is quoted; looking for line breaks in each takes a tenth of the time.
    quote_record_delimiter: false,
    cast: {
      string: (text: string, { index }: { readonly index: number }) =>
        isGuarded(index) ? guardFormula(text) : text,
    },
  }
  return rows.map((row) => plainLine(row, isGuarded) ?? stringify([[...row]], settings)).join('')
}

/**
 * A row whose texts need no more than quotes around them; null for one with a `"`, which csv-stringify writes. It looks into every
 * cell several times: written by it, the many plain rows of a pack would take a quarter of its time.
 */
function plainLine(row: readonly CsvCell[], isGuarded: (column: number) => boolean): string | null {
  let line = ''
  for (let column = 0; column < row.length; column += 1) {
    const cell = row[column]
    if (column > 0) line += ','
    if (typeof cell !== 'string') line += cell ?? ''
    else if (cell.includes('"')) return null
    else line += `"${isGuarded(column) ? guardFormula(cell) : cell}"`
  }
  return `${line}\r\n`
}

/** The guard, for readers. */
export const FORMULA_GUARD =
  "a cell whose text begins with = + - @, tab, CR, LF, their full-width forms or ' has one ' in front; take it away to restore the value"

const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠']/

/** Puts a `'` in front of a text that a spreadsheet could run as a formula or that begins with `'`: taking one away restores it. */
export function guardFormula(text: string): string {
  return FORMULA_START.test(text) ? `'${text}` : text
}

/** Joins a list into one cell: `; ` between elements, `\` written `\\` and `;` written `\;` in them. */
export function joinList(elements: readonly string[]): string {
  return elements.map((element) => element.replace(/[\\;]/g, '\\$&')).join('; ')
}

export function fieldCell(value: FieldValue | undefined): string | null {
  if (value === undefined) return null
  return isList(value) ? joinList(value) : textOf(value)
}

/** In a masked pack, in place of a value of a person. */
export const MASKED = 'masked'

/** Takes values of people out of a pack, or leaves them in. */
export interface Mask {
  id(text: string): string
  field(content: Content, name: string, value: FieldValue | undefined): FieldValue | undefined
}

/** For `audit.personalData: full`. */
export const noMask: Mask = { id: (text) => text, field: (_, __, value) => value }

/** For `audit.personalData: masked`. */
export const mask: Mask = {
  id: maskedId,
  field(content, name, value) {
    if (value === undefined) return undefined
    // Columns that name items hold no value of a person except an id that is an e-mail address.
    if (contentNamedIn(content, name) !== null) return mapTexts(value, maskedId)
    return content === 'agenda' ? value : MASKED
  },
}

/**
 * Leaves an id of letters, digits, `-`, `_` and `:`. A user of Source A without an id is known by what replaces the
 * e-mail address, and that may be none: without an `@`, or with another one.
 */
function maskedId(text: string): string {
  return /^[\w:-]+$/.test(text) ? text : MASKED
}
