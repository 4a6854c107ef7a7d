import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportedFile, ExportedPack, WriteFormat } from '../../loaders/exports/pack-rows.ts'
import { makeFolder, moveWhole, type OutputMode } from '../../loaders/files/file-writer.ts'
import { UnreadableFileError } from '../../loaders/files/read.ts'
import type { RunRecord } from '../../loaders/ledger/ledger.ts'
import { csvFilesOf } from '../../loaders/packs/csv-files/pack-files.ts'
import {
  checkFormat,
  checkRequired,
  type Finding,
  type WholeManifest,
} from '../../loaders/packs/csv-files/pack-format.ts'
import { withDetails } from '../../loaders/packs/details.ts'
import { checkFiles } from '../../loaders/verify/files.ts'
import { readManifest } from '../../loaders/verify/found-manifest.ts'
import { emitStep } from '../context/open-run.ts'
import { packFolder } from '../context/pack-folder.ts'
import type { Context } from '../context/run-context.ts'
import { describeCode, systemCodeOf, whyNotWritable } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'
import { requireKept, withoutPack, withRunLocked } from './export.ts'
import { exportsOf, requireNoPacks } from './exports-folder.ts'

interface Format {
  /** Optional packages that the format needs. */
  readonly packages: readonly string[]
  readonly load: () => Promise<WriteFormat>
}

/** The formats of exported files. The code of a format, and its packages, are loaded only if it is used. */
const FORMATS = {
  parquet: {
    packages: ['hyparquet-writer'],
    load: async () => (await import('../../loaders/exports/parquet.ts')).writeParquet,
  },
  xlsx: {
    packages: ['yazl'],
    load: async () => (await import('../../loaders/exports/workbook.ts')).writeWorkbook,
  },
  'raw-csv': {
    packages: [],
    load: async () => (await import('../../loaders/exports/raw-csv.ts')).writeRawCsv,
  },
  ics: {
    packages: ['ical.js', 'htmlparser2'],
    load: async () => (await import('../../loaders/exports/calendar.ts')).writeCalendar,
  },
} satisfies Record<string, Format>

export type ExportFormat = keyof typeof FORMATS

export const EXPORT_FORMATS = Object.keys(FORMATS) as readonly ExportFormat[]

export interface ExportOptions {
  readonly format: ExportFormat
  /** True if values of people are masked even if the pack has them. */
  readonly isMasked: boolean
  /** Absolute path of the folder for the files; null for the folder of the run in the output folder. */
  readonly folder: string | null
}

export interface Exported {
  readonly folder: string
  readonly personalData: 'full' | 'masked'
  readonly files: readonly ExportedFile[]
}

const NOTHING = 'nothing was written'

/**
 * Writes the rows of a pack in a format for other tools. The pack must be as the database knows it.
 *
 * The files get their names when all of them are complete. The function holds the lock of the integration, so
 * that `forget` and `purge` cannot change the pack at the same time.
 *
 * @throws UserError if the run has no pack or its pack was changed, purged or must be rewritten, if the folder
 *   is not free, if a package is missing, or if another process holds the lock
 */
export async function exportFiles(
  context: Context,
  { integration_id: integrationId, run_id: runId }: RunRecord,
  options: ExportOptions,
): Promise<Exported> {
  if (options.folder !== null) requireNoPacks(context, options.folder)
  const write = await loadFormat(options.format)
  return withRunLocked(context, { integrationId, runId }, async (locked, record) => {
    const folder = options.folder ?? (await exportsOf(locked, runId, options.isMasked))
    const step = <Result>(name: string, number: number, work: () => Promise<Result>) =>
      emitStep(locked, integrationId, name, { number, of: 2 }, work)
    const { manifest, pack } = await step('check pack', 1, () =>
      checkedPack(locked, record, options.isMasked),
    )
    const files = await step('write', 2, () =>
      writeTogether(folder, { ...options, mode: locked.config.output.mode }, pack, write),
    )
    return { folder, personalData: options.isMasked ? 'masked' : manifest.personalData, files }
  })
}

/** @throws UserError if a package that the format needs is not installed */
async function loadFormat(name: ExportFormat): Promise<WriteFormat> {
  const { packages, load }: Format = FORMATS[name]
  try {
    return await load()
  } catch (cause) {
    if (systemCodeOf(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new UserError(
      'state',
      `--format ${name} needs packages that are not installed, because npm left out optional packages: ${packages.join(', ')}`,
      `install event-content-sync without --omit=optional; ${NOTHING}`,
      { cause },
    )
  }
}

/**
 * Finds the pack of a run, and compares its files with the manifest.
 *
 * @throws UserError if the pack is missing, was changed or purged, or must be rewritten
 */
async function checkedPack(
  { outputFolder }: Context,
  record: RunRecord,
  isMasked: boolean,
): Promise<{ readonly manifest: WholeManifest; readonly pack: ExportedPack }> {
  const { integration_id: integrationId, run_id: runId } = record
  const again = `write it again with \`event-sync export ${runId}\`; ${NOTHING}`
  if (record.status === 'applied')
    throw new UserError('state', `the pack of run ${runId} was not written`, again)
  if (record.manifest_sha256 === null) throw withoutPack(record)
  requireKept(record)
  const folder = packFolder({ outputFolder, integrationId, runId })
  const found = readManifest(folder, null)
  if (found?.manifest == null || found.sha256 !== record.manifest_sha256)
    throw new UserError(
      'state',
      `the pack of run ${runId} is missing in ${folder}, or its manifest was changed`,
      again,
    )
  const refuse = ({ file, message }: Finding) =>
    new UserError('state', `the pack of run ${runId} has a fault: ${file} ${message}`, again)
  const [newer] = checkFormat(found.manifest)
  if (newer !== undefined) throw refuse(newer)
  const { manifest, fault } = withDetails(folder, found.manifest)
  if (manifest === null) throw refuse(fault)
  const [finding] = [...checkRequired(manifest), ...(await checkFiles(folder, manifest))]
  if (finding !== undefined) throw refuse(finding)
  const { integration } = manifest
  const [eventName, at] = [record.event_name ?? integration, record.applied_at ?? record.started_at]
  return {
    manifest,
    pack: { folder, files: csvFilesOf(record.custom), isMasked, integration, eventName, at },
  }
}

/** Writes the files into a folder of their own, and moves them when all are complete. */
async function writeTogether(
  folder: string,
  options: ExportOptions & { readonly mode: OutputMode },
  pack: ExportedPack,
  write: WriteFormat,
): Promise<readonly ExportedFile[]> {
  const isNew = !existsSync(folder)
  const unfinished = join(folder, UNFINISHED)
  await makeUnfinished(unfinished, folder, options.mode)
  try {
    const files = await write(pack, unfinished, options.mode)
    if (options.folder !== null) requireFree(folder, files)
    for (const { name } of files) await moveWhole(join(unfinished, name), join(folder, name))
    await rm(unfinished, { recursive: true })
    return files
  } catch (error) {
    await rm(isNew ? folder : unfinished, { recursive: true, force: true })
    if (!(error instanceof UnreadableFileError)) throw error
    throw new UserError('state', `the pack has a fault: ${error.file} ${error.message}`, NOTHING, {
      cause: error,
    })
  }
}

const UNFINISHED = '.unfinished'

async function makeUnfinished(unfinished: string, folder: string, mode: OutputMode): Promise<void> {
  try {
    // A process that died may have left files there.
    await rm(unfinished, { recursive: true, force: true })
    await makeFolder(unfinished, mode)
  } catch (cause) {
    const fault = whyNotWritable(folder) ?? cause
    throw new UserError('file', `${folder} cannot be written${describeCode(fault)}`, NOTHING, { cause })
  }
}

/** @throws UserError if the user's folder already has one of the files */
function requireFree(folder: string, files: readonly ExportedFile[]): void {
  const existing = files.map(({ name }) => join(folder, name)).find((path) => existsSync(path))
  if (existing === undefined) return
  throw new UserError(
    'file',
    `${existing} exists and is not overwritten`,
    `name another folder with -o; ${NOTHING}`,
  )
}
