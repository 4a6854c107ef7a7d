import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { type OutputMode, writeBytes } from '../files/file-writer.ts'
import type { PackFile } from '../packs/csv-files/pack-files.ts'
import { type ExportedFile, type ExportedPack, kindsOf, rowsOfPack } from './pack-rows.ts'
import { endOfSheet, headOfSheet, rowOfSheet } from './sheet-parts.ts'
import { type Sheet, workbookParts } from './workbook-parts.ts'

const NAME = 'pack.xlsx'

/** Maximum number of rows in a sheet of Excel. The header is one of them. */
const MOST_ROWS = 1_048_576

/** Number of characters that are collected before they are compressed. */
const BATCH_LENGTH = 65_536

/**
 * Writes one workbook with a sheet for each CSV file of a pack. Rows that a sheet cannot hold are in a further
 * sheet. The workbook is streamed, so only a few rows are in memory.
 *
 * @param mostRows maximum number of rows in a sheet, with the header
 */
export async function writeWorkbook(
  pack: ExportedPack,
  to: string,
  mode: OutputMode,
  mostRows = MOST_ROWS,
): Promise<readonly ExportedFile[]> {
  const sheets: CountedSheet[] = []
  await writeBytes(join(to, NAME), mode, async (append) => {
    const zip = new ZipFile()
    const file = new Writable({
      write(chunk: Uint8Array, _, done) {
        append(chunk).then(() => done(), done)
      },
    })
    await allOrNone((signal) => [
      pipeline(zip.outputStream, file, { signal }),
      addParts({ zip, pack, mostRows, sheets, signal }),
    ])
  })
  const sum = (count: 'rows' | 'cut') => sheets.reduce((total, sheet) => total + sheet[count], 0)
  return [{ name: NAME, rows: sum('rows'), cut: sum('cut') }]
}

/** Waits for all works. If one of them fails, the others are stopped. */
async function allOrNone(begin: (signal: AbortSignal) => readonly Promise<void>[]): Promise<void> {
  const stop = new AbortController()
  const works = begin(stop.signal)
  try {
    await Promise.all(works)
  } catch (error) {
    stop.abort()
    await Promise.allSettled(works)
    throw error
  }
}

interface CountedSheet extends Sheet {
  rows: number
  cut: number
}

interface Workbook {
  readonly zip: ZipFile
  readonly pack: ExportedPack
  readonly mostRows: number
  readonly sheets: CountedSheet[]
  readonly signal: AbortSignal
}

async function addParts(workbook: Workbook): Promise<void> {
  const { zip, pack, sheets } = workbook
  for (const file of pack.files) await addSheets(workbook, file)
  for (const [path, text] of workbookParts(sheets)) zip.addBuffer(Buffer.from(text), path)
  zip.end()
}

/** Adds the sheet of a file, and further sheets if the rows do not fit into one. */
async function addSheets({ zip, pack, mostRows, sheets, signal }: Workbook, file: PackFile): Promise<void> {
  const kinds = kindsOf(file)
  const title = file.name.replace(/\.csv$/, '')
  const rows = rowsOfPack(pack, file)
  try {
    let next = await rows.next()
    for (let number = 1; number === 1 || next.done !== true; number += 1) {
      const name = number === 1 ? title : `${title} ${number}`
      const sheet = { name, columns: kinds.size, rows: 0, cut: 0 }
      sheets.push(sheet)
      const stream = new PassThrough()
      zip.addReadStream(stream, `xl/worksheets/sheet${sheets.length}.xml`)
      await pipeline(textOf(sheet), stream, { signal })
    }

    async function* textOf(sheet: CountedSheet): AsyncGenerator<string> {
      let text = headOfSheet(kinds)
      for (; next.done !== true && sheet.rows + 1 < mostRows; next = await rows.next()) {
        sheet.rows += 1
        const { xml, cut } = rowOfSheet(kinds, next.value, sheet.rows + 1)
        sheet.cut += cut
        text += xml
        if (text.length < BATCH_LENGTH) continue
        yield text
        text = ''
      }
      yield text + endOfSheet(sheet)
    }
  } finally {
    await rows.return(undefined)
  }
}
