import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { writeWhole } from '../../loaders/files/file-writer.ts'
import { readIfThere } from '../../loaders/files/read.ts'
import { renamingOf } from '../../loaders/ledger/former-ids.ts'
import { findRuns } from '../../loaders/ledger/ledger.ts'
import {
  DETAILS_FILE,
  MANIFEST_FILE,
  PURGE_SIGNATURE_FILE,
  PURGED_FILE,
  SIGNATURE_FILE,
} from '../../loaders/packs/csv-files/pack-format.ts'
import { SUPERSEDED_FILE } from '../../loaders/packs/earlier-packs.ts'
import {
  countPurgeable,
  deleteOver,
  findBegunPurges,
  findLastPurgeTime,
  findPurgedTables,
  finishPurges,
  firstKept,
  notePurge,
  type PurgedClass,
} from '../../loaders/people/purge.ts'
import { openChain } from '../../loaders/verify/chain.ts'
import { EXPORT_SUFFIX, readPacks } from '../../loaders/verify/found-manifest.ts'
import type { PurgedPack, RunKey } from '../../sql/tables.ts'
import { resolveSigner } from '../config/signing.ts'
import { packFolder, packsFolder } from '../context/pack-folder.ts'
import { recordAction } from '../context/record-action.ts'
import { type Context, timestamp, whileLocked } from '../context/run-context.ts'
import { removeExports } from '../packs/exports-folder.ts'
import { removeOldPlanPages } from '../packs/plan-page.ts'
import { pointsOf } from '../runtime/events.ts'
import { isRunId } from '../runtime/run-id.ts'

export const DAY_MS = 24 * 60 * 60 * 1000

export interface PurgeOptions {
  readonly olderThanDays: number
  /** Number of newest runs of each integration that are kept whatever their age is. */
  readonly keepRuns: number
  /**
   * True if packs on disk are purged too, with their exported files in the output folder. The manifests of the
   * packs are kept.
   */
  readonly packs: boolean
  readonly dryRun: boolean
  /** Reason for the log. */
  readonly reason?: string | null
  /** Further runs to keep. */
  readonly alsoKept?: readonly string[]
  /** Maximum number of runs that are purged at once; if left out, all old runs are purged. */
  readonly most?: number
}

export interface Purged {
  readonly integration: string
  /** The oldest run that is kept completely; null if no run is old enough for a purge. */
  readonly beforeRun: string | null
  readonly classes: readonly PurgedClass[]
  readonly packs: readonly PurgedPack[]
  readonly dryRun: boolean
}

/**
 * Deletes old data of one integration, according to the retention options. Some data always stays: current
 * rows, the run with which guards compare, suppressions, the list of runs, and manifests.
 *
 * The database first records that the purge has begun. From this moment, queries about the state after a
 * purged run return no rows. Without the record, such queries would return only some of the rows during the
 * purge.
 *
 * @returns null if another process holds the lock of the integration
 */
export async function purge(context: Context, integrationId: string, options: PurgeOptions) {
  return whileLocked(context, integrationId, async (locked) => {
    const purged = await purgeLocked(locked, integrationId, options)
    // The database no longer has the changes of a purged plan, so the plan can no longer be applied.
    if (!options.dryRun) await removeOldPlanPages(locked, integrationId)
    return purged
  })
}

/** Purges as `purge` does. The caller must hold the lock of the integration. */
export async function purgeLocked(
  context: Context,
  integrationId: string,
  options: PurgeOptions,
): Promise<Purged> {
  const { database, environment, events } = context
  const db = database.kysely
  const { olderThanDays: days, dryRun, reason = null } = options
  const cutoff = new Date(environment.now() - days * DAY_MS).toISOString()
  const due = await firstKept(db, integrationId, { ...options, cutoff })
  // If a purge died, it is continued with its own age limit, even if this call has another limit.
  const [begun] = await findBegunPurges(db, [integrationId])
  const runId = begun !== undefined && begun.beforeRun > (due ?? '') ? begun.beforeRun : due
  const purged: Purged = { integration: integrationId, beforeRun: runId, classes: [], packs: [], dryRun }
  if (runId === null) return purged
  const before = { integrationId, runId }
  const classes = await countPurgeable(db, before)
  const packs = options.packs ? await packsBefore(context, before) : []
  if (options.packs && !dryRun) await removeExports(context, integrationId, (run) => run < runId)
  const rows = Object.assign({}, ...classes.map((one) => one.rows)) as Readonly<Record<string, number>>
  if (!dryRun && (Object.keys(rows).length > 0 || packs.length > 0)) {
    const by = { at: await purgeTime(context, integrationId), by: environment.user }
    const at = pointsOf(events, integrationId)
    await database.transaction(async (transaction) => {
      await notePurge(transaction, before, { ...by, days, rows, packs })
      const detail = `runs before ${runId}`
      await recordAction(transaction, context, integrationId, 'purged', { reason, detail })
    })
    at('purge noted')
    await deleteOver(database.transaction, before, () => at('rows purged'))
    if (packs.length > 0) {
      const { chain } = await readOwnPacks(context, integrationId)
      const last = chain.end(integrationId)
      for (const pack of packs) await purgePack(context, integrationId, pack, last, by)
    }
  }
  return { ...purged, classes, packs }
}

/** Returns the time of a purge that begins now. Each purge of an integration has a time of its own. */
export async function purgeTime({ database, environment }: Context, integrationId: string): Promise<string> {
  const last = await findLastPurgeTime(database.kysely, integrationId)
  const now = timestamp(environment)
  return last === null || last < now ? now : new Date(Date.parse(last) + 1).toISOString()
}

/**
 * Finds packs of earlier runs whose manifest is the one in the database. Packs that contain only manifests
 * and signatures are left out.
 */
async function packsBefore(context: Context, { integrationId, runId }: RunKey) {
  const packs: PurgedPack[] = []
  for (const record of await findRuns(context.database.kysely, { integrationId })) {
    const { run_id: run, manifest_sha256: manifestSha256 } = record
    if (run >= runId || manifestSha256 === null) continue
    if (await hasFiles(context, integrationId, { run, manifestSha256 })) packs.push({ run, manifestSha256 })
  }
  return packs.toReversed()
}

/** Returns true if a pack on disk is the one in the database, and has more files than a purged pack. */
export async function hasFiles(
  context: Context,
  integrationId: string,
  { run, manifestSha256 }: PurgedPack,
): Promise<boolean> {
  const folder = packFolder({ ...context, integrationId, runId: run })
  const manifest = readIfThere(join(folder, MANIFEST_FILE))
  if (manifest === null || hash('sha256', manifest) !== manifestSha256) return false
  return (await readdir(folder)).some((name) => !isKept(name))
}

/**
 * Deletes all files except manifests and signatures from all packs in the folder of an integration. Packs
 * that the database does not know are included. Incomplete packs of runs that died are deleted completely.
 *
 * @returns the runs to which the packs belong
 */
export async function purgeAllPacks(
  context: Context,
  integrationId: string,
  by: { readonly at: string; readonly by: string },
): Promise<readonly string[]> {
  const folder = packsFolder(context, integrationId)
  if (!existsSync(folder)) return []
  const { links, noPacks, chain } = await readOwnPacks(context, integrationId)
  const packs = links.filter(
    (link) => chain.isSame(link.integration, integrationId) && basename(link.folder) === link.run,
  )
  const last = chain.end(integrationId)
  for (const { folder: pack, run, sha256: manifestSha256 } of packs) {
    if ((await readdir(pack)).every(isKept)) continue
    await purgePack(context, integrationId, { run, manifestSha256 }, last, by)
  }
  for (const name of noPacks.filter((one) => isRunId(one) || one.endsWith(EXPORT_SUFFIX)))
    await rm(join(folder, name), { recursive: true })
  return packs.map(({ run }) => run)
}

/** Reads the packs of an integration in its folder. Packs from before a renaming have a former id. */
async function readOwnPacks(context: Context, integrationId: string) {
  const { links, noPacks, renamings } = await readPacks(packsFolder(context, integrationId), null)
  const renaming = await renamingOf(context.database.kysely, integrationId)
  return { links, noPacks, chain: openChain(links, [renaming, ...renamings]) }
}

/**
 * Deletes all files of a pack except its manifest and its signature. The file `purged.json`, which says that
 * the pack was purged, is written first. In another order, a crash could leave a pack with missing files and
 * no explanation.
 *
 * @param last SHA-256 of the newest manifest of the integration; null if the integration has no other
 *   manifest
 */
export async function purgePack(
  context: Context,
  integrationId: string,
  { run, manifestSha256 }: PurgedPack,
  last: string | null,
  { at, by }: { readonly at: string; readonly by: string },
): Promise<void> {
  const folder = packFolder({ ...context, integrationId, runId: run })
  const note = { purgedAt: at, purgedBy: by, manifestSha256, lastManifestSha256: last ?? manifestSha256 }
  const text = `${JSON.stringify(note, null, 2)}\n`
  const { mode } = context.config.output
  await writeWhole(join(folder, PURGED_FILE), ({ write }) => write(text), { mode })
  const signature = resolveSigner(context.config, context.secrets)?.(Buffer.from(text))
  if (signature !== undefined)
    await writeWhole(join(folder, PURGE_SIGNATURE_FILE), ({ write }) => write(`${signature}\n`), { mode })
  for (const name of await readdir(folder)) {
    if (isKept(name)) continue
    pointsOf(context.events, integrationId)('pack purged')
    await rm(join(folder, name))
  }
}

const KEPT = [MANIFEST_FILE, DETAILS_FILE, SIGNATURE_FILE, PURGED_FILE, PURGE_SIGNATURE_FILE]

function isKept(name: string): boolean {
  return KEPT.includes(name) || SUPERSEDED_FILE.test(name)
}

/**
 * Removes the remaining bytes of purged rows from the files of the database. Rows of an earlier purge are
 * included if its process died before it could remove them.
 */
export async function scrubPurged(
  { database, environment, events }: Context,
  ids: readonly string[],
): Promise<void> {
  const [first] = ids
  const purges = await findBegunPurges(database.kysely, ids)
  if (first === undefined || purges.length === 0) return
  await database.scrub(await findPurgedTables(database.kysely), {
    isThorough: false,
    at: pointsOf(events, first),
    note: (db) => finishPurges(db, purges, timestamp(environment)),
  })
}
