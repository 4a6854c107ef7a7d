import { join } from 'node:path'
import { type OutputMode, writeBytes } from '../files/file-writer.ts'
import { type CsvCell, toCsv } from '../packs/csv-files/csv.ts'
import type { PackFile } from '../packs/csv-files/pack-files.ts'
import type { Row } from '../verify/rows.ts'
import { type ExportedFile, type ExportedPack, eachFile, kindsOf, rowsOfPack } from './pack-rows.ts'

const ROWS_AT_ONCE = 100

/** Writes the CSV files of a pack without the guard against formulas, and without a byte order mark. */
export const writeRawCsv = eachFile(writeFile)

async function writeFile(
  pack: ExportedPack,
  file: PackFile,
  to: string,
  mode: OutputMode,
): Promise<ExportedFile> {
  const kinds = [...kindsOf(file)]
  const cellsOf = (row: Row) =>
    kinds.map(([name, kind]): CsvCell => {
      const cell = row[name] ?? ''
      if (cell === '') return null
      return kind === 'integer' ? BigInt(cell) : cell
    })
  let rows = 0
  await writeBytes(join(to, file.name), mode, async (append) => {
    const flush = (lines: readonly (readonly CsvCell[])[]) => append(Buffer.from(toCsv(lines, () => false)))
    await append(Buffer.from(`${kinds.map(([name]) => name).join(',')}\r\n`))
    let lines: (readonly CsvCell[])[] = []
    for await (const row of rowsOfPack(pack, file)) {
      rows += 1
      lines.push(cellsOf(row))
      if (lines.length < ROWS_AT_ONCE) continue
      await flush(lines)
      lines = []
    }
    await flush(lines)
  })
  return { name: file.name, rows, cut: 0 }
}
