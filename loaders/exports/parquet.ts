import { join } from 'node:path'
import type { SchemaElement } from 'hyparquet'
import { ByteWriter, parquetWriteRows } from 'hyparquet-writer'
import { type OutputMode, writeBytes } from '../files/file-writer.ts'
import type { PackFile } from '../packs/csv-files/pack-files.ts'
import {
  cellValue,
  type ExportedFile,
  type ExportedPack,
  eachFile,
  type Kind,
  kindsOf,
  rowsOfPack,
  type Value,
} from './pack-rows.ts'

/** Number of rows in a row group. The writer keeps one row group in memory. */
const ROW_GROUP = 10_000

/** Writes each CSV file of a pack as a Parquet file, with typed columns. */
export const writeParquet = eachFile(writeFile)

async function writeFile(
  pack: ExportedPack,
  file: PackFile,
  to: string,
  mode: OutputMode,
): Promise<ExportedFile> {
  const name = file.name.replace(/\.csv$/, '.parquet')
  const kinds = kindsOf(file)
  let rows = 0
  async function* values(): AsyncGenerator<Record<string, Value>> {
    for await (const row of rowsOfPack(pack, file)) {
      rows += 1
      yield Object.fromEntries(
        [...kinds].map(([column, kind]) => [column, cellValue(kind, row[column] ?? '')]),
      )
    }
  }
  await writeBytes(join(to, name), mode, async (append) => {
    const bytes = new ByteWriter()
    const flush = async () => {
      await append(bytes.getBytes())
      bytes.index = 0
    }
    const writer = Object.assign(bytes, { flush, finish: flush })
    const columns = [...kinds.keys()].map((column) => ({ name: column }))
    await parquetWriteRows({
      writer,
      rows: values(),
      columns,
      schema: schemaOf(file),
      rowGroupSize: ROW_GROUP,
    })
  })
  return { name, rows, cut: 0 }
}

function schemaOf(file: PackFile): SchemaElement[] {
  const kinds = [...kindsOf(file)]
  const elements = kinds.flatMap(([name, kind]) =>
    elementsOf(name, kind, file.columns[name]?.isLarge === true),
  )
  return [{ name: 'root', num_children: kinds.length }, ...elements]
}

const optional = { repetition_type: 'OPTIONAL' } as const
const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', ...optional } as const

/** Returns the schema of a column: a list has three levels, every other column has one. */
function elementsOf(name: string, kind: Kind, isLarge: boolean): readonly SchemaElement[] {
  switch (kind) {
    case 'text':
      return [{ name, ...text }]
    case 'boolean':
      return [{ name, type: 'BOOLEAN', ...optional }]
    case 'integer':
      return [{ name, ...(isLarge ? LARGE : { type: 'INT64' }), ...optional }]
    case 'time':
      return [{ name, ...INSTANT, ...optional }]
    case 'list':
      return [
        { name, ...LIST, num_children: 1, ...optional },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', ...text },
      ]
  }
}

const LIST = { converted_type: 'LIST', logical_type: { type: 'LIST' } } as const
const LARGE = {
  type: 'FIXED_LEN_BYTE_ARRAY',
  type_length: 16,
  converted_type: 'DECIMAL',
  precision: 38,
  scale: 0,
} as const
const INSTANT = {
  type: 'INT64',
  converted_type: 'TIMESTAMP_MILLIS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
} as const
