import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'

/** Cells of a row by their columns; the guard of formulas is taken away. */
export type Row = Readonly<Record<string, string>>

/** A file is no CSV file of a pack. */
export class NotCsvError extends Error {
  override readonly name = 'NotCsvError'
  readonly file: string

  constructor(path: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.file = basename(path)
  }
}

/**
 * Rows of a CSV file of a pack, one after the other.
 *
 * @param columns that it must have, in this order
 * @throws NotCsvError where it is none as design 9 has it: UTF-8, header row, each line ended by CRLF
 */
export async function* rowsOf(path: string, columns: readonly string[]): AsyncGenerator<Row> {
  const parser = parse({ bom: true, record_delimiter: '\r\n' })
  let end = ''
  async function* text(bytes: AsyncIterable<Buffer>) {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    for await (const chunk of bytes) yield told(decoder.decode(chunk, { stream: true }))
    yield told(decoder.decode())
  }
  function told(chunk: string): string {
    end = (end + chunk).slice(-2)
    return chunk
  }
  // The parser ends with the error of the file as well as with its own.
  const rows = pipeline(createReadStream(path), text, parser, () => undefined)
  let header: readonly string[] | null = null
  try {
    for await (const cells of rows as AsyncIterable<readonly string[]>) {
      if (header !== null) {
        yield Object.fromEntries(cells.map((cell, at) => [columns[at] ?? '', cell.replace(/^'/, '')]))
        continue
      }
      header = cells
      if (header.join() !== columns.join()) throw new NotCsvError(path, 'has other columns')
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!(error instanceof CsvError) && code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw new NotCsvError(path, `cannot be read (${code})`, error)
  }
  if (header === null) throw new NotCsvError(path, 'has other columns')
  if (end !== '\r\n') throw new NotCsvError(path, 'does not end with a whole line')
}
