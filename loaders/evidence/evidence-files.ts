import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { copyPlain, makeFolder, type OutputMode, syncFolder, writeWhole } from '../files/file-writer.ts'
import { hashFile, UnreadableFileError } from '../files/read.ts'
import type { Action } from '../ledger/actions.ts'
import { type CsvCell, type CsvOptions, writeCsv } from '../packs/csv-files/csv.ts'
import {
  DETAILS_FILE,
  MANIFEST_FILE,
  PURGE_SIGNATURE_FILE,
  PURGED_FILE,
  SIGNATURE_FILE,
  SUMS_FILE,
} from '../packs/csv-files/pack-format.ts'
import { withDetails } from '../packs/details.ts'
import { SUPERSEDED_FILE } from '../packs/earlier-packs.ts'
import {
  ACTIONS_FILE,
  cellsOfRun,
  type EvidenceFile,
  entryOf,
  type JOINED_FILES,
} from '../verify/evidence-index.ts'
import { readManifest } from '../verify/found-manifest.ts'
import { type CsvForm, type Row, rowsOf } from '../verify/rows.ts'
import { readPurge } from '../verify/verify-pack.ts'

/**
 * Error for a pack that cannot be handed over, because it was changed or lacks a file. The subject of the message
 * is the pack.
 */
export class UnfitPackError extends Error {
  override readonly name = 'UnfitPackError'
  readonly run: string

  constructor(run: string, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.run = run
  }
}

/** A pack that was copied into an evidence folder. */
export interface CopiedPack {
  readonly run: string
  readonly landedAt: string | null
  readonly folder: string
  readonly isPurged: boolean
}

/**
 * Copies the files of a pack, byte for byte. Files that the manifest does not list are left out.
 *
 * @returns what the index says about the pack
 * @throws UnfitPackError
 */
export async function copyPack(run: string, from: string, to: string, mode: OutputMode) {
  const found = readManifest(from, null)
  if (found?.manifest == null)
    throw new UnfitPackError(run, 'has a fault: manifest.json is missing or damaged')
  const { sha256 } = found
  const { manifest, fault } = withDetails(from, found.manifest)
  if (manifest === null) throw new UnfitPackError(run, `has a fault: ${fault.file} ${fault.message}`)
  const isPurged = existsSync(join(from, PURGED_FILE))
  const listed = manifest.files.map(({ name }) => name)
  const isKept = (name: string) => name === DETAILS_FILE || SUPERSEDED_FILE.test(name)
  const kept = isPurged ? listed.filter(isKept) : [...listed, SUMS_FILE]
  const signatures = [SIGNATURE_FILE, PURGE_SIGNATURE_FILE].filter((name) => existsSync(join(from, name)))
  await makeFolder(to, mode)
  for (const name of [...kept, ...(isPurged ? [PURGED_FILE] : []), ...signatures, MANIFEST_FILE])
    await ofPack(run, () => copyPlain(join(from, name), join(to, name), mode))
  await syncFolder(to)
  const entry = entryOf(sha256, manifest, readPurge(to))
  return { pack: { run, landedAt: entry.landedAt, folder: to, isPurged }, entry }
}

async function ofPack<Result>(run: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isAbsent && !(error instanceof UnreadableFileError)) throw error
    throw new UnfitPackError(run, `has a fault: ${error.message}`, { cause: error })
  }
}

/** Copies a file into an evidence folder. @returns the entry of the index */
export async function copyFile(
  from: string,
  folder: string,
  name: string,
  mode: OutputMode,
): Promise<EvidenceFile> {
  const to = join(folder, name)
  await makeFolder(join(to, '..'), mode)
  await copyPlain(from, to, mode)
  await syncFolder(join(to, '..'))
  return { name, ...(await hashFile(to)) }
}

/** Writes a file into an evidence folder. @returns the entry of the index */
export async function writeText(
  folder: string,
  name: string,
  text: string,
  mode: OutputMode,
): Promise<EvidenceFile> {
  return { name, ...(await writeWhole(join(folder, name), ({ write }) => write(text), { mode })) }
}

/**
 * Writes a file with the rows of one CSV file of all packs, in the order of the chain. The rows are read and
 * written one page at a time. A purged pack has no rows.
 *
 * @throws UnfitPackError
 */
export function writeJoined(
  folder: string,
  packs: readonly CopiedPack[],
  { file, joined }: (typeof JOINED_FILES)[number],
  options: CsvOptions,
): Promise<EvidenceFile> {
  return writeCsv(folder, joined.name, Object.keys(joined.columns), pages(), options)

  async function* pages() {
    for (const { run, landedAt, folder: of, isPurged } of packs) {
      if (isPurged) continue
      const rows = rowsOf(of, file)
      for (;;) {
        const page = await ofPack(run, () => nextPage(rows))
        yield page.map((row) => cellsOf(joined, { ...cellsOfRun(run, landedAt), ...row }))
        if (page.length < ROWS_AT_ONCE) break
      }
    }
  }
}

const ROWS_AT_ONCE = 100

async function nextPage(rows: AsyncGenerator<Row>): Promise<readonly Row[]> {
  const page: Row[] = []
  while (page.length < ROWS_AT_ONCE) {
    const next = await rows.next()
    if (next.done === true) break
    page.push(next.value)
  }
  return page
}

function cellsOf({ name, columns }: CsvForm, row: Row): readonly CsvCell[] {
  return Object.entries(columns).map(([column, { type }]) => {
    const text = row[column] ?? ''
    if (text === '') return null
    if (type !== 'integer') return text
    if (!/^\d{1,30}$/.test(text))
      throw new UnreadableFileError(name, `column ${column}: is not a whole number`)
    return BigInt(text)
  })
}

/** Writes the file with the actions of operators. */
export function writeActions(
  folder: string,
  actions: readonly Action[],
  options: CsvOptions,
): Promise<EvidenceFile> {
  const rows = actions.map(({ action, madeAt, madeBy, reason, runId, until, detail }) => [
    ...[action, madeAt, madeBy, reason, runId, until, detail],
  ])
  async function* pages() {
    yield rows
  }
  return writeCsv(folder, ACTIONS_FILE.name, Object.keys(ACTIONS_FILE.columns), pages(), options)
}
