import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ExportedPack } from '../../../loaders/exports/pack-rows.ts'
import { type CsvCell, toCsv } from '../../../loaders/packs/csv-files/csv.ts'
import type { PackFile } from '../../../loaders/packs/csv-files/pack-files.ts'
import { makeFolder } from '../../support/folder.ts'

type Cells = Readonly<Record<string, CsvCell>>

/** Writes CSV files in the form of a pack. Cells that a row does not have are empty. */
export function writePackOf(...files: readonly (readonly [PackFile, readonly Cells[]])[]) {
  const folder = makeFolder(onTestFinished)
  for (const [{ name, columns }, rows] of files) {
    const names = Object.keys(columns)
    const lines = rows.map((row) => names.map((column) => row[column] ?? null))
    writeFileSync(join(folder, name), `${names.join(',')}\r\n${toCsv(lines)}`)
  }
  const pack: ExportedPack = {
    folder,
    files: files.map(([file]) => file),
    isMasked: false,
    eventName: 'Summit 2031',
    integration: 'summit',
    at: new Date('2031-05-01T06:00:00.123Z'),
  }
  return { pack, to: makeFolder(onTestFinished) }
}
