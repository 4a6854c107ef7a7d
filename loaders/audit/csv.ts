import { stringify } from 'csv-stringify/sync'
import { type FileWriter, type WrittenFile, writeWhole } from '../file-writer.ts'

/** A cell: text is quoted and guarded, numbers stand bare, null is an empty cell without quotes. */
export type CsvCell = string | number | null

/** A file of the pack that was written. */
export interface PackFile extends WrittenFile {
  readonly name: string
  /** Rows below the header; operations of `operations.jsonl`. */
  readonly rows: number
}

/**
 * Writes a CSV file of the pack: RFC 4180, UTF-8, CRLF, header row.
 *
 * @param pages rows in the order of the file, a page at a time
 * Source: design 9 (contract).
 */
export async function writeCsv(
  folder: string,
  name: string,
  columns: readonly string[],
  pages: AsyncIterable<readonly (readonly CsvCell[])[]>,
): Promise<PackFile> {
  let rows = 0
  const written = await writeWhole(`${folder}/${name}`, async ({ write }: FileWriter) => {
    await write(`${columns.join(',')}\r\n`)
    for await (const page of pages) {
      rows += page.length
      await write(toCsv(page))
    }
  })
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
  const guarded = rows.map((row) =>
    row.map((cell, column) => (typeof cell === 'string' && isGuarded(column) ? guardFormula(cell) : cell)),
  )
  return stringify(guarded, { quoted_string: true, record_delimiter: '\r\n' })
}

const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠']/

/**
 * Puts a `'` in front of a text that a spreadsheet could run as a formula, and of one that begins with `'`, so
 * that taking one `'` away restores every value.
 *
 * Source: design 9.
 */
export function guardFormula(text: string): string {
  return FORMULA_START.test(text) ? `'${text}` : text
}

/** Joins a list into one cell: `; ` between elements, `\` written `\\` and `;` written `\;` in them. */
export function joinList(elements: readonly string[]): string {
  return elements.map((element) => element.replace(/[\\;]/g, '\\$&')).join('; ')
}

/** A platform field as a cell; absent is null. */
export function fieldCell(value: string | readonly string[] | undefined): CsvCell {
  if (value === undefined) return null
  return typeof value === 'string' ? value : joinList(value)
}
