import { hash } from 'node:crypto'
import { link, lstat, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Content, CustomFields, Db, RunKey } from '../../sql/tables.ts'
import {
  makeFolder,
  moveWhole,
  type OutputMode,
  removeWhole,
  type WrittenFile,
  writeWhole,
} from '../files/file-writer.ts'
import { hashFile, readIfThere } from '../files/read.ts'
import { findCertificates } from '../ledger/ledger.ts'
import { OPERATIONS_FILE } from '../platform/jsonl.ts'
import { type ListedFile, mask, noMask, writeCsv } from './csv-files/csv.ts'
import { describePack } from './csv-files/data-package.ts'
import { packNote } from './csv-files/note.ts'
import { csvFilesOf } from './csv-files/pack-files.ts'
import {
  DETAILS_FILE,
  MANIFEST_FILE,
  NOTE_FILE,
  parseManifest,
  REPORT_FILE,
  SIGNATURE_FILE,
  SUMS_FILE,
} from './csv-files/pack-format.ts'
import { withDetails } from './details.ts'
import {
  type PackBefore,
  type SupersededManifest,
  supersededDetails,
  supersededFile,
  supersedes,
} from './earlier-packs.ts'
import type { ReportedRun } from './report/figures.ts'
import { makeReport } from './report/report.ts'
import { unchangedReport } from './report/unchanged-report.ts'

export interface PackOptions {
  readonly folder: string
  readonly mode: OutputMode
  /** Id that the integration had when the run began. */
  readonly integration: string
  readonly resourceOf: ReadonlyMap<Content, string>
  readonly custom: CustomFields
  /** Number of operations in `operations.jsonl`; null if the platform's target does not write that file. */
  readonly operations: number | null
  /**
   * With `masked`, personal values are hidden in the CSV files. With `masked`, `operations.jsonl` still has
   * the personal values, because the platform needs them.
   */
  readonly personalData: 'full' | 'masked'
  readonly excel: boolean
  /** Signs the bytes of the manifest and returns base64; null leaves the manifest unsigned. */
  readonly sign: ((manifest: Buffer) => string) | null
  readonly superseded: readonly SupersededManifest[]
  /**
   * The previous pack. Files that have the same bytes as in the previous pack are hard-linked instead of
   * written again.
   */
  readonly before: PackBefore | null
  readonly report: ReportedRun
  /** The earlier run whose report also describes this run; null if there is none. */
  readonly sameAs: string | null
  /** The keys of the manifest, except its list of files. */
  readonly manifest: Readonly<Record<string, unknown>>
  /** The keys of the details, except their list of files. */
  readonly details: Readonly<Record<string, unknown>>
  readonly onWritten: (name: string) => void
}

/**
 * Writes the audit pack of a run. The order is: CSV files, note, report, details, `SHA256SUMS`, signature, and
 * last the manifest. The details have the hash of each file that may be the same in the next pack, and the
 * manifest has the hash of each other file.
 *
 * Each file appears under its name only when it is complete, and the manifest appears last. A folder with a
 * manifest is therefore a complete pack, and a folder without a manifest is no pack.
 *
 * @returns SHA-256 of the manifest, in hex
 */
export async function writePack(db: Db, run: RunKey, options: PackOptions): Promise<string> {
  const { folder, mode, resourceOf, custom, operations, personalData, excel, sign } = options
  const { timeZone } = options.report
  const source = { db, run, resourceOf, timeZone, mask: personalData === 'masked' ? mask : noMask }
  const existing = await findExistingManifest(folder)
  const files: ListedFile[] = []
  const dropIfContradicted = (name: string) => (written: WrittenFile) =>
    existing.dropIfContradicted(name, written.sha256)
  /**
   * @param isSame returns true if the file certainly has the same bytes as in the previous pack. If `isSame`
   *   returns false, the file is written and then compared
   */
  async function sharedOrWritten(
    name: string,
    isSame: (before: ListedFile) => boolean,
    write: () => Promise<ListedFile>,
  ): Promise<void> {
    const { before } = options
    const same = before?.files.get(name)
    const share = async () =>
      before !== null &&
      same !== undefined &&
      (await shareFile([before.folder, folder], name, same, { mode, beforeNamed: dropIfContradicted(name) }))
    if (same !== undefined && isSame(same) && (await share())) files.push(same)
    else {
      const written = await write()
      if (written.sha256 === same?.sha256) await share()
      files.push(written)
    }
    options.onWritten(name)
  }
  async function written(name: string, text: string): Promise<WrittenFile> {
    return writeWhole(join(folder, name), ({ write }) => write(text), {
      mode,
      beforeNamed: dropIfContradicted(name),
    })
  }
  async function described(name: string, rows: number, text: string): Promise<void> {
    const sha256 = hash('sha256', text)
    const write = async () => ({ name, rows, ...(await written(name, text)) })
    await sharedOrWritten(name, (before) => before.sha256 === sha256, write)
  }

  for (const { name, columns, pages } of csvFilesOf(custom)) {
    const header = Object.keys(columns)
    const write = () =>
      writeCsv(folder, name, header, pages(source), {
        mode,
        byteOrderMark: excel,
        beforeNamed: dropIfContradicted(name),
      })
    await sharedOrWritten(name, () => options.before?.unchanged.has(name) === true, write)
  }
  await described(
    'datapackage.json',
    files.length,
    toJson(
      describePack({
        ...options.report,
        integration: options.integration,
        contents: new Set(resourceOf.keys()),
        files,
        personalData,
        custom,
      }),
    ),
  )
  const names = [
    ...files.map(({ name }) => name),
    NOTE_FILE,
    ...(operations === null ? [] : [OPERATIONS_FILE]),
    REPORT_FILE,
    DETAILS_FILE,
    MANIFEST_FILE,
    SUMS_FILE,
  ]
  await described(
    NOTE_FILE,
    0,
    packNote({ files: names, personalData, excel, rollbackTo: options.report.rollbackTo }),
  )
  const inDetails = [...files]
  if (operations !== null) {
    const sent = {
      name: OPERATIONS_FILE,
      rows: operations,
      ...(await hashFile(join(folder, OPERATIONS_FILE))),
    }
    await existing.dropIfContradicted(OPERATIONS_FILE, sent.sha256)
    files.push(sent)
  }
  const contents = [...resourceOf.keys()].sort()
  await described(REPORT_FILE, 0, await reportOf(db, run, { ...options, contents, files }))
  for (const { place, manifest, details, signature } of options.superseded) {
    await described(supersededFile(place, 'json'), 0, manifest)
    await described(supersededDetails(place), 0, details)
    if (signature !== null) await described(supersededFile(place, 'sig'), 0, signature)
  }
  await described(DETAILS_FILE, 0, toJson({ ...options.details, files: inDetails }))

  const own = files.slice(inDetails.length)
  const text = toJson({ ...options.manifest, ...supersedes(options.superseded), files: own })
  const sha256 = hash('sha256', text)
  await existing.dropIfContradicted(MANIFEST_FILE, sha256)
  const sums = [...files, { name: MANIFEST_FILE, sha256 }]
    .map((file) => `${file.sha256}  ${file.name}\n`)
    .sort((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1))
  // An existing manifest cannot contradict `SHA256SUMS` and `manifest.sig`, because a manifest does not list
  // these two files.
  await writeWhole(join(folder, SUMS_FILE), ({ write }) => write(sums.join('')), { mode })
  options.onWritten(SUMS_FILE)
  if (sign !== null) {
    await writeWhole(join(folder, SIGNATURE_FILE), ({ write }) => write(`${sign(Buffer.from(text))}\n`), {
      mode,
    })
    options.onWritten(SIGNATURE_FILE)
  } else if (!existing.isThere) await removeWhole(join(folder, SIGNATURE_FILE))
  await written(MANIFEST_FILE, text)
  options.onWritten(MANIFEST_FILE)
  return sha256
}

async function reportOf(
  db: Db,
  run: RunKey,
  {
    integration: integrationId,
    report,
    sameAs,
    personalData,
    contents,
    files,
  }: PackOptions & { readonly contents: readonly Content[]; readonly files: readonly ListedFile[] },
): Promise<string> {
  if (sameAs === null)
    return makeReport(db, run, { integrationId, run: report, personalData, contents, files: [...files] })
  const certificates = await findCertificates(db, run)
  return unchangedReport({ integrationId, runId: run.runId, sameAs, run: report, certificates })
}

function toJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/**
 * Reads the manifest that already exists in a folder, if a pack is written there again. If its details cannot be
 * read, it contradicts every file that they could list.
 */
export async function findExistingManifest(folder: string) {
  const bytes = readIfThere(join(folder, MANIFEST_FILE))
  const manifest = bytes === null ? null : parseManifest(bytes)
  const whole = manifest === null ? null : (withDetails(folder, manifest).manifest ?? manifest)
  const said = new Map(whole?.files.map(({ name, sha256 }) => [name, sha256]))
  if (bytes !== null) said.set(MANIFEST_FILE, hash('sha256', bytes))
  let isThere = bytes !== null
  return {
    /** True if the folder has a manifest from an earlier call, and this manifest is not deleted yet. */
    get isThere() {
      return isThere
    },
    /**
     * Deletes the existing manifest if the manifest lists another hash for a file. The caller must await this
     * function before it gives the file its final name. If the file were renamed first, a crash could leave a
     * manifest that contradicts a file of its pack.
     */
    async dropIfContradicted(name: string, sha256: string): Promise<void> {
      if (!isThere || said.get(name) === sha256) return
      // The manifest is deleted last, so that the next attempt after a crash finds it and deletes the other
      // files.
      for (const file of [SIGNATURE_FILE, SUMS_FILE, MANIFEST_FILE]) await removeWhole(join(folder, file))
      isThere = false
    },
  }
}

/**
 * Hard-links a file of one folder into another, under the same name. A file is never overwritten in place:
 * writing under the name makes a new file. A later change in one folder therefore does not change the other
 * folder.
 *
 * @returns false, and nothing is changed, if the file is missing, differs, or cannot be linked, for example
 *   on a disk without hard links
 */
async function shareFile(
  [from, to]: readonly [from: string, to: string],
  name: string,
  file: WrittenFile,
  { mode, beforeNamed }: { readonly mode: OutputMode; beforeNamed(written: WrittenFile): Promise<void> },
): Promise<boolean> {
  const partial = join(to, `${name}.partial`)
  await makeFolder(to, mode)
  await rm(partial, { force: true })
  try {
    const path = join(from, name)
    if (!(await lstat(path)).isFile()) return false
    const { bytes, sha256 } = await hashFile(path)
    if (bytes !== file.bytes || sha256 !== file.sha256) return false
    await link(path, partial)
  } catch {
    // If no link can be made, the caller writes the file itself. If the disk is faulty, writing the file
    // fails too and reports the reason.
    return false
  }
  await beforeNamed(file)
  await moveWhole(partial, join(to, name))
  // After a crash, the temporary name and the final name may already be hard links to one file. Renaming a
  // hard link to another hard link of the same file does nothing, so the temporary name must be deleted.
  await rm(partial, { force: true })
  return true
}
