import { CONTENTS, type Content } from '../../sql/tables.ts'
import { DECLARED_FIELDS } from '../../transforms/decide/platform-fields.ts'
import type { OutputMode } from '../files/file-writer.ts'
import { fieldCell, mask, splitList } from '../packs/csv-files/csv.ts'
import { changesFile, INSTANT, type PackFile } from '../packs/csv-files/pack-files.ts'
import { type Row, rowsOf } from '../verify/rows.ts'

/** The pack whose rows are exported. */
export interface ExportedPack {
  readonly folder: string
  readonly files: readonly PackFile[]
  /** True if values of people are masked although the pack has them. */
  readonly isMasked: boolean
  /** Name of the event; the id of the integration if the event has no name. */
  readonly eventName: string
  /** Id that the integration had when the run began. */
  readonly integration: string
  /** Time at which the platform got the changes of the run. */
  readonly at: Date
}

/** A file that was exported. */
export interface ExportedFile {
  readonly name: string
  /** Number of rows or sessions; a workbook has the rows of all its sheets. */
  readonly rows: number
  /** Number of texts that were too long for a cell, and were cut. */
  readonly cut: number
}

/** A value of a cell; null if the cell is empty. */
export type Value = string | bigint | boolean | Date | readonly string[] | null

export type Kind = 'text' | 'integer' | 'boolean' | 'time' | 'list'

/** Reads the rows of a CSV file of the pack; masks the values of people if the export is masked. */
export async function* rowsOfPack({ folder, isMasked }: ExportedPack, file: PackFile): AsyncGenerator<Row> {
  for await (const row of rowsOf(folder, file)) yield isMasked ? maskedRow(file, row) : row
}

/** Returns the kind of the values in each column of a file, in the order of the columns. Local times are texts. */
export function kindsOf({ content, columns }: PackFile): ReadonlyMap<string, Kind> {
  return new Map(
    Object.entries(columns).map(([name, { type, format, field }]) => {
      if (content !== undefined && findField(content, field)?.isList) return [name, 'list']
      if (format === INSTANT) return [name, 'time']
      return [name, type === 'integer' || type === 'boolean' ? type : 'text']
    }),
  )
}

function findField(content: Content, name: string | undefined) {
  return DECLARED_FIELDS[content].find((field) => field.name === name)
}

/** Returns the value of a cell. Packs write an absent value as an empty cell, and have no empty texts. */
export function cellValue(kind: Kind, cell: string): Value {
  if (cell === '') return null
  if (kind === 'integer') return BigInt(cell)
  if (kind === 'boolean') return cell === 'true'
  if (kind === 'time') return new Date(cell)
  return kind === 'list' ? splitList(cell) : cell
}

/** Masks a row like the setting `audit.personalData: masked`, which masks before it joins lists. */
function maskedRow(file: PackFile, row: Row): Row {
  return Object.fromEntries(
    Object.entries(file.columns).map(([name, { isPersonal, field }]) => {
      const cell = row[name] ?? ''
      if (cell === '') return [name, cell]
      if (isPersonal) return [name, mask.id(cell)]
      if (file.content !== undefined && field !== undefined)
        return [name, maskedField(file.content, field, cell)]
      const isValue = file.name === changesFile.name && (name === 'before' || name === 'after')
      return [name, isValue ? maskedField(contentOf(row), row.field ?? '', cell) : cell]
    }),
  )
}

function contentOf({ content }: Row): Content {
  const found = CONTENTS.find((one) => one === content)
  if (found === undefined) throw new Error(`${changesFile.name} has a row of no content`)
  return found
}

function maskedField(content: Content, name: string, cell: string): string {
  const value = findField(content, name)?.isList ? splitList(cell) : cell
  return fieldCell(mask.field(content, name, value)) ?? ''
}

/** Writes the files of a pack in a format into the folder `to`. */
export type WriteFormat = (
  pack: ExportedPack,
  to: string,
  mode: OutputMode,
) => Promise<readonly ExportedFile[]>

/** Makes a format of which each CSV file of a pack becomes one file. */
export function eachFile(
  writeFile: (pack: ExportedPack, file: PackFile, to: string, mode: OutputMode) => Promise<ExportedFile>,
): WriteFormat {
  return async (pack, to, mode) => {
    const written: ExportedFile[] = []
    for (const file of pack.files) written.push(await writeFile(pack, file, to, mode))
    return written
  }
}
