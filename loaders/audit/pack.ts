import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Content, CustomFields, Db, RunKey } from '../../sql/tables.ts'
import { removeWhole, type WrittenFile, writeWhole } from '../files/file-writer.ts'
import { hashFile } from '../files/hash-file.ts'
import { OPERATIONS_FILE } from '../platform/jsonl.ts'
import { certificateRows } from './csv-files/certificates.ts'
import { changeRows } from './csv-files/changes.ts'
import { type CsvCell, type PackFile, writeCsv } from './csv-files/csv.ts'
import { columnsOf, describePack } from './csv-files/data-package.ts'
import { decisionRows } from './csv-files/decisions.ts'
import { itemRows } from './csv-files/items.ts'
import { loadResultRows } from './csv-files/load-results.ts'
import { mask, noMask } from './csv-files/mask.ts'
import { packNote } from './csv-files/note.ts'
import { MANIFEST_FILE, NOTE_FILE, REPORT_FILE, SIGNATURE_FILE, SUMS_FILE } from './csv-files/pack-files.ts'
import { reconciliationRows } from './csv-files/reconciliation.ts'
import { findExistingManifest } from './existing-manifest.ts'
import type { ReportedRun } from './report/figures.ts'
import { makeReport } from './report/report.ts'
import { shareFile } from './share-file.ts'
import { type SupersededManifest, supersededFile, supersedes } from './superseded.ts'
import type { PackBefore } from './unchanged.ts'

/** Contents in the order of the pack: byte order. */
const PACK_ORDER: readonly Content[] = ['agenda', 'attendees', 'speakers']

export interface PackOptions {
  readonly folder: string
  readonly resourceOf: ReadonlyMap<Content, string>
  readonly custom: CustomFields
  /** Operations in `operations.jsonl`; null where the target writes no such file. */
  readonly operations: number | null
  /** `masked` leaves values of people out of the CSV files; `operations.jsonl` has them, since the platform needs them. */
  readonly personalData: 'full' | 'masked'
  readonly excel: boolean
  /** Signs the bytes of the manifest, in base64; null leaves it unsigned. */
  readonly sign: ((manifest: Buffer) => string) | null
  readonly superseded: readonly SupersededManifest[]
  /** Whose CSV files with the same bytes are in this pack as well. */
  readonly before: PackBefore | null
  readonly report: ReportedRun
  readonly manifest: Readonly<Record<string, unknown>>
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
 */
export async function writePack(db: Db, run: RunKey, options: PackOptions): Promise<string> {
  const { folder, resourceOf, custom, operations, personalData, excel, sign } = options
  const contents = PACK_ORDER.filter((content) => resourceOf.has(content))
  const hiding = personalData === 'masked' ? mask : noMask
  const existing = await findExistingManifest(folder)
  const files: PackFile[] = []
  const dropIfContradicted = (name: string) => (written: WrittenFile) =>
    existing.dropIfContradicted(name, written.sha256)
  async function csv(name: string, rows: Pages): Promise<void> {
    files.push(
      await sharedOrWritten(name, () =>
        writeCsv(folder, name, columnsOf(name, custom), rows, excel, dropIfContradicted(name)),
      ),
    )
    options.onWritten(name)
  }
  async function sharedOrWritten(name: string, write: () => Promise<PackFile>): Promise<PackFile> {
    const { before } = options
    const same = before?.files.get(name)
    if (before === null || same === undefined) return write()
    const share = () => shareFile([before.folder, folder], name, same, dropIfContradicted(name))
    if (before.unchanged.has(name) && (await share())) return same
    const written = await write()
    if (written.sha256 === same.sha256) await share()
    return written
  }
  async function plain(name: string, text: string): Promise<WrittenFile> {
    const written = await writeWhole(join(folder, name), ({ write }) => write(text), dropIfContradicted(name))
    options.onWritten(name)
    return written
  }
  async function described(name: string, rows: number, text: string): Promise<void> {
    files.push({ name, rows, ...(await plain(name, text)) })
  }

  for (const content of PACK_ORDER) {
    const rows = resourceOf.has(content) ? itemRows(db, run, content, custom, hiding) : noRows()
    await csv(`${content}.csv`, rows)
  }
  await csv('decisions.csv', allDecisions())
  await csv('changes.csv', allChanges())
  await csv('certificates.csv', certificateRows(db, run))
  await csv('reconciliation.csv', reconciliationRows(db, run))
  await csv('load_results.csv', loadResultRows(db, run, hiding))
  await described(
    'datapackage.json',
    files.length,
    toJson(describePack(run.integrationId, files, personalData, custom)),
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
    await existing.dropIfContradicted(OPERATIONS_FILE, sent.sha256)
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
  await existing.dropIfContradicted(MANIFEST_FILE, sha256)
  const sums = [...files, { name: MANIFEST_FILE, sha256 }]
    .map((file) => `${file.sha256}  ${file.name}\n`)
    .sort((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1))
  // Of these two the manifest says nothing: they fit whatever is there by now.
  await writeWhole(join(folder, SUMS_FILE), ({ write }) => write(sums.join('')))
  options.onWritten(SUMS_FILE)
  if (sign !== null) {
    await writeWhole(join(folder, SIGNATURE_FILE), ({ write }) => write(`${sign(Buffer.from(text))}\n`))
    options.onWritten(SIGNATURE_FILE)
  } else if (!existing.isThere) await removeWhole(join(folder, SIGNATURE_FILE))
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
