import { stringify } from 'csv-stringify/sync'
import type { Content, FieldValue } from '../../../sql/tables.ts'
import { isList, mapTexts, textOf } from '../../../transforms/declare/field-values.ts'
import { contentNamedIn } from '../../../transforms/rules/platform.ts'
import { type FileWriter, type WriteOptions, type WrittenFile, writeWhole } from '../../files/file-writer.ts'

/**
 * A cell of a CSV file. Text is quoted and protected against running as a formula, numbers are unquoted, and
 * null is an empty unquoted cell.
 */
export type CsvCell = string | number | bigint | null

/** A file of a pack with the properties that the manifest lists. */
export interface ListedFile extends WrittenFile {
  readonly name: string
  readonly rows: number
}

/**
 * Number of rows that are converted to text at a time. With few rows at a time, the intermediate strings die
 * young, and the garbage collector frees young strings cheaply.
 */
const AT_ONCE = 100

export interface CsvOptions extends Pick<WriteOptions, 'mode' | 'beforeNamed'> {
  /**
   * True puts a byte order mark at the start of the file; without the mark, Excel assumes a national encoding instead
   * of UTF-8. Default: false.
   */
  readonly byteOrderMark?: boolean
}

/** Writes a CSV file of the pack: RFC 4180, UTF-8, CRLF, header row. */
export async function writeCsv(
  folder: string,
  name: string,
  columns: readonly string[],
  pages: AsyncIterable<readonly (readonly CsvCell[])[]>,
  { byteOrderMark = false, ...options }: CsvOptions,
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
    options,
  )
  return { name, rows, ...written }
}

/**
 * Writes rows as CSV lines.
 *
 * @param isGuarded returns true if texts of a column (index from 0) must be protected against running as a
 *   formula in a spreadsheet
 */
export function toCsv(
  rows: readonly (readonly CsvCell[])[],
  isGuarded: (column: number) => boolean = () => true,
): string {
  const settings = {
    quoted_string: true,
    record_delimiter: '\r\n',
    // The CSV writer quotes every text in any case. Searching each text for line breaks would add a tenth to
    // the time.
    quote_record_delimiter: false,
    cast: {
      string: (text: string, { index }: { readonly index: number }) =>
        isGuarded(index) ? guardFormula(text) : text,
    },
  }
  return rows.map((row) => plainLine(row, isGuarded) ?? stringify([[...row]], settings)).join('')
}

/**
 * Returns the CSV line of a row if putting quotes around its texts is enough. Returns null if a text has a
 * `"`, which csv-stringify must escape. Using csv-stringify for all rows would take a quarter of the time of
 * a pack, because it scans every cell several times.
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

/** Explains the added `'` to people who read a pack. */
export const FORMULA_GUARD =
  "a cell whose text begins with = + - @, tab, CR, LF, their full-width forms or ' has one ' in front; take it away to restore the value"

const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠']/

/**
 * Puts a `'` in front of a text that begins with `'` or that a spreadsheet could run as a formula. Removing
 * one `'` restores the text.
 */
export function guardFormula(text: string): string {
  return FORMULA_START.test(text) ? `'${text}` : text
}

/**
 * Joins a list into one cell, with `; ` between elements. Inside elements, `\` becomes `\\` and `;` becomes
 * `\;`.
 */
export function joinList(elements: readonly string[]): string {
  return elements.map((element) => element.replace(/[\\;]/g, '\\$&')).join('; ')
}

/** Splits a cell into the list from which `joinList` made it. */
export function splitList(cell: string): readonly string[] {
  const elements: string[] = []
  let element = ''
  for (const [part] of cell.matchAll(/\\[\s\S]|; |[^\\;]+/g)) {
    if (part === '; ') {
      elements.push(element)
      element = ''
    } else element += part.startsWith('\\') ? part.slice(1) : part
  }
  return [...elements, element]
}

/** Returns true if a text of a file has the added `'` where `guardFormula` would put it, and nowhere else. */
export function isGuarded(cell: string): boolean {
  return cell.startsWith("'") ? FORMULA_START.test(cell.slice(1)) : !FORMULA_START.test(cell)
}

export function fieldCell(value: FieldValue | undefined): string | null {
  if (value === undefined) return null
  return isList(value) ? joinList(value) : textOf(value)
}

/** The word that replaces each personal value in a masked pack. */
export const MASKED = 'masked'

/** Replaces personal values in a pack, or leaves them unchanged. */
export interface Mask {
  id(text: string): string
  field(content: Content, name: string, value: FieldValue | undefined): FieldValue | undefined
}

/** The mask for the setting `audit.personalData: full`; it changes nothing. */
export const noMask: Mask = { id: (text) => text, field: (_, __, value) => value }

/** The mask for the setting `audit.personalData: masked`. */
export const mask: Mask = {
  id: maskedId,
  field(content, name, value) {
    if (value === undefined) return undefined
    // In a field with ids of items, only ids that may be e-mail addresses are masked.
    if (contentNamedIn(content, name) !== null) return mapTexts(value, maskedId)
    return content === 'agenda' ? value : MASKED
  },
}

/**
 * Masks an id if it has a character other than letters, digits, `-`, `_` and `:`. Masking only ids with an
 * `@` would not be enough. A user of Source A without an id gets the text of `EmailAddress` as the id, and
 * that text may lack an `@` or have a look-alike character.
 */
function maskedId(text: string): string {
  return /^[\w:-]+$/.test(text) ? text : MASKED
}
