import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../loaders/files/file-writer.ts'
import { findRun, findRuns } from '../../loaders/ledger/ledger.ts'
import { MANIFEST_FILE } from '../../loaders/packs/csv-files/pack-format.ts'
import { EVIDENCE_FILE } from '../../loaders/verify/evidence-index.ts'
import { isInOutput } from '../context/pack-folder.ts'
import type { Context } from '../context/run-context.ts'
import { UserError } from '../settings/errors.ts'

/** Folder of exported files in the output folder. The folder has one folder for each run. */
const EXPORTS_FOLDER = 'exports'

const MASKED_SUFFIX = '-masked'
const ELSEWHERE = 'name another folder with -o; nothing was written'

/**
 * Returns the folder of the exported files of a run. Masked files have a folder of their own, so that nobody
 * forwards the other files with them.
 *
 * @throws UserError if an integration has the id `exports`, so that the folder has its packs
 */
export async function exportsOf(
  { config, database, outputFolder }: Context,
  runId: string,
  isMasked: boolean,
): Promise<string> {
  const isTaken =
    config.integrations.some(({ id }) => id === EXPORTS_FOLDER) ||
    (await findRun(database.kysely, { integrationId: EXPORTS_FOLDER })) !== undefined
  if (!isTaken) return join(outputFolder, EXPORTS_FOLDER, isMasked ? `${runId}${MASKED_SUFFIX}` : runId)
  const what = `${join(outputFolder, EXPORTS_FOLDER)} is the folder of the packs of the integration ${EXPORTS_FOLDER}`
  throw new UserError('state', what, ELSEWHERE)
}

/**
 * Checks that a folder that the user gave is not a pack, not the folder of packs, and not evidence.
 *
 * @throws UserError
 */
export function requireNoPacks(context: Context, folder: string): void {
  if (isInOutput(context, folder))
    throw new UserError('usage', `${folder} is in the output folder, which has the packs`, ELSEWHERE)
  if ([MANIFEST_FILE, EVIDENCE_FILE].some((name) => existsSync(join(folder, name))))
    throw new UserError('file', `${folder} has a pack, to which nothing is added`, ELSEWHERE)
}

/**
 * Deletes the exported files of runs of an integration from the output folder.
 *
 * @param isDue returns true if the files of a run must be deleted
 * @returns the names of the deleted folders
 */
export async function removeExports(
  { database, outputFolder }: Context,
  integrationId: string,
  isDue: (runId: string) => boolean = () => true,
): Promise<readonly string[]> {
  const folder = join(outputFolder, EXPORTS_FOLDER)
  // The folder of an integration with this id has packs.
  if (integrationId === EXPORTS_FOLDER || !existsSync(folder)) return []
  const runs = await findRuns(database.kysely, { integrationId })
  const due = new Set(runs.flatMap(({ run_id: run }) => (isDue(run) ? [run, `${run}${MASKED_SUFFIX}`] : [])))
  const names = (await readdir(folder)).filter((name) => due.has(name)).sort()
  for (const name of names) await rm(join(folder, name), { recursive: true })
  await syncFolder(folder)
  return names
}
