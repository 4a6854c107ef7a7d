import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Content, RunKey, Tables } from '../../sql/tables.ts'
import { removeWhole, type WrittenFile, writeWhole } from '../file-writer.ts'
import { OPERATIONS_FILE } from '../platform/jsonl.ts'
import { CERTIFICATE_COLUMNS, certificateRows } from './certificates.ts'
import { CHANGE_COLUMNS, changeRows } from './changes.ts'
import { type CsvCell, type PackFile, writeCsv } from './csv.ts'
import { describePack } from './data-package.ts'
import { DECISION_COLUMNS, decisionRows } from './decisions.ts'
import { hashFile } from './hash-file.ts'
import { itemColumns, itemRows } from './items.ts'
import { LOAD_RESULT_COLUMNS, loadResultRows } from './load-results.ts'
import { mask, noMask } from './mask.ts'
import { NOTE_FILE, packNote } from './note.ts'
import { MANIFEST_FILE, SIGNATURE_FILE, SUMS_FILE } from './pack-files.ts'
import { RECONCILIATION_COLUMNS, reconciliationRows } from './reconciliation.ts'
import type { ReportedRun } from './report/figures.ts'
import { makeReport, REPORT_FILE } from './report/report.ts'
import { findStandingManifest } from './standing-manifest.ts'
import { type SupersededManifest, supersededFile, supersedes } from './superseded.ts'

/** Contents in the order of the pack: byte order. */
const PACK_ORDER: readonly Content[] = ['agenda', 'attendees', 'speakers']

export interface PackOptions {
  readonly folder: string
  /** Contents that the run synced, each with the resource of its records. */
  readonly resourceOf: ReadonlyMap<Content, string>
  /** Operations in `operations.jsonl`; null where the target writes no such file. */
  readonly operations: number | null
  /** `masked` leaves values of people out of the CSV files; `operations.jsonl` has them, since the platform needs them. */
  readonly personalData: 'full' | 'masked'
  /** Whether the CSV files begin with a byte order mark. */
  readonly excel: boolean
  /** Signs the bytes of the manifest, in base64; null leaves it unsigned. */
  readonly sign: ((manifest: Buffer) => string) | null
  /** Manifests of the pack as it was before it was written again. */
  readonly superseded: readonly SupersededManifest[]
  /** What the report says of the run. */
  readonly report: ReportedRun
  /** What the manifest says beside the files. */
  readonly manifest: Readonly<Record<string, unknown>>
  /** Told of each file that is there, for good. */
  readonly onWritten: (name: string) => void
}

/**
 * Writes the audit pack of a run: the CSV files, the note, the report, then `SHA256SUMS` and the signature, then the manifest with
 * the hash of each file.
 *
 * Each file appears whole or not at all, and the manifest last: a pack without a manifest is no pack, and one with a
 * manifest lacks nothing.
 *
 * @returns SHA-256 of the manifest, in hex
 * Source: design 9 (contract).
 */
export async function writePack(db: Kysely<Tables>, run: RunKey, options: PackOptions): Promise<string> {
  const { folder, resourceOf, operations, personalData, excel, sign } = options
  const contents = PACK_ORDER.filter((content) => resourceOf.has(content))
  const hiding = personalData === 'masked' ? mask : noMask
  const standing = await findStandingManifest(folder)
  const files: PackFile[] = []
  const makeWay = (name: string) => (written: WrittenFile) => standing.makeWay(name, written.sha256)
  async function csv(name: string, columns: readonly string[], rows: Pages): Promise<void> {
    files.push(await writeCsv(folder, name, columns, rows, excel, makeWay(name)))
    options.onWritten(name)
  }
  async function plain(name: string, text: string): Promise<WrittenFile> {
    const written = await writeWhole(join(folder, name), ({ write }) => write(text), makeWay(name))
    options.onWritten(name)
    return written
  }
  async function described(name: string, rows: number, text: string): Promise<void> {
    files.push({ name, rows, ...(await plain(name, text)) })
  }

  for (const content of PACK_ORDER) {
    const rows = resourceOf.has(content) ? itemRows(db, run, content, hiding) : noRows()
    await csv(`${content}.csv`, itemColumns(content), rows)
  }
  await csv('decisions.csv', DECISION_COLUMNS, allDecisions())
  await csv('changes.csv', CHANGE_COLUMNS, allChanges())
  await csv('certificates.csv', CERTIFICATE_COLUMNS, certificateRows(db, run))
  await csv('reconciliation.csv', RECONCILIATION_COLUMNS, reconciliationRows(db, run))
  await csv('load_results.csv', LOAD_RESULT_COLUMNS, loadResultRows(db, run, hiding))
  await described(
    'datapackage.json',
    files.length,
    toJson(describePack(run.integrationId, files, personalData)),
  )
  const names = [
    ...files.map(({ name }) => name),
    NOTE_FILE,
    ...(operations === null ? [] : [OPERATIONS_FILE]),
    REPORT_FILE,
    MANIFEST_FILE,
    SUMS_FILE,
  ]
  await described(NOTE_FILE, 0, packNote({ files: names, personalData, excel }))
  if (operations !== null) {
    const sent = {
      name: OPERATIONS_FILE,
      rows: operations,
      ...(await hashFile(join(folder, OPERATIONS_FILE))),
    }
    await standing.makeWay(OPERATIONS_FILE, sent.sha256)
    files.push(sent)
  }
  const report = await makeReport(db, run, { run: options.report, personalData, contents, files: [...files] })
  await described(REPORT_FILE, 0, report)
  for (const { place, manifest, signature } of options.superseded) {
    if (manifest !== null) await described(supersededFile(place, 'json'), 0, manifest)
    if (signature !== null) await described(supersededFile(place, 'sig'), 0, signature)
  }

  const text = toJson({ ...options.manifest, ...supersedes(options.superseded), files })
  const sha256 = createHash('sha256').update(text).digest('hex')
  await standing.makeWay(MANIFEST_FILE, sha256)
  const sums = [...files, { name: MANIFEST_FILE, sha256 }]
    .map((file) => `${file.sha256}  ${file.name}\n`)
    .sort((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1))
  // Of these two the manifest says nothing: they fit whatever stands there by now.
  await writeWhole(join(folder, SUMS_FILE), ({ write }) => write(sums.join('')))
  options.onWritten(SUMS_FILE)
  if (sign !== null) {
    await writeWhole(join(folder, SIGNATURE_FILE), ({ write }) => write(`${sign(Buffer.from(text))}\n`))
    options.onWritten(SIGNATURE_FILE)
  } else if (!standing.isThere) await removeWhole(join(folder, SIGNATURE_FILE))
  await plain(MANIFEST_FILE, text)
  return sha256

  async function* allDecisions(): Pages {
    for (const content of contents)
      yield* decisionRows(db, run, content, resourceOf.get(content) ?? '', hiding)
  }

  async function* allChanges(): Pages {
    for (const content of contents) yield* changeRows(db, run, content, hiding)
  }
}

type Pages = AsyncGenerator<readonly (readonly CsvCell[])[]>

function toJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

async function* noRows(): Pages {}
