import { basename } from 'node:path'
import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { parse as parseAtOnce } from 'csv-parse/sync'
import { chunksOf, isSmall } from '../files/chunks.ts'
import { MAX_LINE_BYTES } from '../files/lines.ts'
import { UnreadableFileError } from '../files/read-regular.ts'

/** Cells of a row by their columns; the guard of formulas is taken away. */
export type Row = Readonly<Record<string, string>>

/**
 * Rows of a CSV file of a pack, one after the other.
 *
 * @param columns that it must have, in this order
 * @throws UnreadableFileError where it is none as a pack has it: UTF-8, header row, each line ended by CRLF
 */
export async function* rowsOf(path: string, columns: readonly string[]): AsyncGenerator<Row> {
  const options = { bom: true, record_delimiter: '\r\n', max_record_size: MAX_LINE_BYTES }
  const notCsv = (message: string, cause?: unknown) =>
    new UnreadableFileError(basename(path), message, { cause })
  let end = ''
  async function* text(bytes: AsyncIterable<Buffer>) {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    for await (const chunk of bytes) yield noteEnd(decoder.decode(chunk, { stream: true }))
    yield noteEnd(decoder.decode())
  }
  function noteEnd(chunk: string): string {
    end = (end + chunk).slice(-2)
    return chunk
  }
  async function* records(): AsyncGenerator<readonly string[]> {
    if (isSmall(path)) {
      for await (const all of text(chunksOf(path))) yield* parseAtOnce(all, options)
      return
    }
    // The parser ends with the error of the file as well as with its own.
    yield* pipeline(chunksOf(path), text, parse(options), () => undefined) as AsyncIterable<readonly string[]>
  }
  let header: readonly string[] | null = null
  try {
    for await (const cells of records()) {
      if (header !== null) {
        yield Object.fromEntries(cells.map((cell, at) => [header?.[at] ?? '', cell.replace(/^'/, '')]))
        continue
      }
      header = cells
      if (!isHeader(cells, columns)) throw notCsv('has other columns')
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!(error instanceof CsvError) && code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw notCsv(`cannot be read (${code})`, error)
  }
  if (header === null) throw notCsv('has other columns')
  if (end !== '\r\n') throw notCsv('does not end with a whole line')
}

const CUSTOM = /^custom\.[a-z][A-Za-z0-9]{0,39}$/

/** Whether the columns are these; custom fields of items may follow, in byte order and each once. */
function isHeader(header: readonly string[], columns: readonly string[]): boolean {
  const more = header.slice(columns.length)
  return (
    header.slice(0, columns.length).join() === columns.join() &&
    (more.length === 0 || columns.includes('action')) &&
    more.every((name, at) => CUSTOM.test(name) && (more[at - 1] ?? '') < name)
  )
}
