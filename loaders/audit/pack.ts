import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Kysely } from 'kysely'
import type { Content, Tables } from '../../sql/tables.ts'
import { writeWhole } from '../file-writer.ts'
import { OPERATIONS_FILE } from '../platform/jsonl.ts'
import { CERTIFICATE_COLUMNS, certificateRows } from './certificates.ts'
import { CHANGE_COLUMNS, changeRows } from './changes.ts'
import { type CsvCell, type PackFile, writeCsv } from './csv.ts'
import { DECISION_COLUMNS, decisionRows } from './decisions.ts'
import { type AuditedRun, itemColumns, itemRows } from './items.ts'

/** Contents in the order of the pack: byte order. */
const PACK_ORDER: readonly Content[] = ['agenda', 'attendees', 'speakers']

export interface PackOptions {
  readonly folder: string
  /** Contents that the run synced, each with the resource of its records. */
  readonly resourceOf: ReadonlyMap<Content, string>
  /** Operations in `operations.jsonl`; null where the target writes no such file. */
  readonly operations: number | null
  /** What the manifest says beside the files. */
  readonly manifest: Readonly<Record<string, unknown>>
}

/**
 * Writes the audit pack of a run: the CSV files, then the manifest with the hash of each, then `SHA256SUMS`.
 *
 * Each file appears whole or not at all; a pack without a manifest is no pack.
 *
 * @returns SHA-256 of the manifest, in hex
 * Source: design 9 (contract).
 */
export async function writePack(db: Kysely<Tables>, run: AuditedRun, options: PackOptions): Promise<string> {
  const { folder, resourceOf, operations } = options
  const contents = PACK_ORDER.filter((content) => resourceOf.has(content))
  const files: PackFile[] = []
  for (const content of PACK_ORDER) {
    const rows = resourceOf.has(content) ? itemRows(db, run, content) : noRows()
    files.push(await writeCsv(folder, `${content}.csv`, itemColumns(content), rows))
  }
  files.push(await writeCsv(folder, 'decisions.csv', DECISION_COLUMNS, allDecisions()))
  files.push(await writeCsv(folder, 'changes.csv', CHANGE_COLUMNS, allChanges()))
  files.push(await writeCsv(folder, 'certificates.csv', CERTIFICATE_COLUMNS, certificateRows(db, run)))
  if (operations !== null) files.push(await describeFile(folder, OPERATIONS_FILE, operations))

  const manifest = await writeWhole(join(folder, 'manifest.json'), ({ write }) =>
    write(`${JSON.stringify({ ...options.manifest, files }, null, 2)}\n`),
  )
  const sums = [...files, { name: 'manifest.json', sha256: manifest.sha256 }]
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .sort((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1))
  await writeWhole(join(folder, 'SHA256SUMS'), ({ write }) => write(sums.join('')))
  return manifest.sha256

  async function* allDecisions(): AsyncGenerator<readonly (readonly CsvCell[])[]> {
    for (const content of contents) yield* decisionRows(db, run, content, resourceOf.get(content) ?? '')
  }

  async function* allChanges(): AsyncGenerator<readonly (readonly CsvCell[])[]> {
    for (const content of contents) yield* changeRows(db, run, content)
  }
}

async function* noRows(): AsyncGenerator<readonly (readonly CsvCell[])[]> {}

async function describeFile(folder: string, name: string, rows: number): Promise<PackFile> {
  const hash = createHash('sha256')
  let bytes = 0
  await pipeline(createReadStream(join(folder, name)), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      bytes += chunk.length
      hash.update(chunk)
    }
  })
  return { name, rows, bytes, sha256: hash.digest('hex') }
}
