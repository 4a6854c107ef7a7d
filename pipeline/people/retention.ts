import { findSameRun } from '../../loaders/packs/earlier-packs.ts'
import {
  findLastPackPurge,
  findNewestPack,
  findUnpurgedPacks,
  findUnpurgedRepeats,
  firstKept,
  notePackPurge,
  type PurgedClass,
} from '../../loaders/people/purge.ts'
import type { PurgedPack } from '../../sql/tables.ts'
import { counted } from '../../transforms/texts/counted.ts'
import type { Retention } from '../config/config.ts'
import { recordAction } from '../context/record-action.ts'
import { type Context, whileLocked } from '../context/run-context.ts'
import { removeExports } from '../packs/exports-folder.ts'
import { removeOldPlanPages } from '../packs/plan-page.ts'
import { pointsOf } from '../runtime/events.ts'
import { daysIn } from '../settings/values.ts'
import { DAY_MS, hasFiles, type Purged, purgeLocked, purgePack, purgeTime } from './purge.ts'

/** Number of newest runs of an integration that retention keeps whatever their age is. */
const KEEP_RUNS = 10

/** Reason in the log of what retention deletes. */
const REASON = 'retention'

export interface RetentionOptions {
  readonly retention: Retention
  /** Maximum number of runs whose rows are deleted at once, and of packs whose files are deleted at once. */
  readonly most: number
}

/**
 * Deletes a part of what is older than the configured retention. The caller repeats this until nothing is left.
 * A plan that can still be applied and the newest pack always stay, however old they are.
 *
 * @returns what was deleted; null if another process holds the lock of the integration
 */
export async function applyRetention(
  context: Context,
  integrationId: string,
  { retention, most }: RetentionOptions,
): Promise<Purged | null> {
  return whileLocked(context, integrationId, async (locked) => {
    await finishPacks(locked, integrationId)
    const alsoKept = await findAlwaysKept(locked, integrationId)
    const rows = await purgeHistory(locked, integrationId, { retention, most, alsoKept, dryRun: false })
    if (!isNothing(rows)) return rows
    const all = await findDuePacks(locked, integrationId, { retention, most, alsoKept })
    const due = all.find(({ packs }) => packs.length > 0)
    if (due === undefined) return rows
    await purgePacks(locked, integrationId, due)
    return { ...rows, beforeRun: due.beforeRun, packs: due.packs }
  })
}

/** Finds everything that `applyRetention` would delete in all its calls. Deletes nothing. */
export async function previewRetention(
  context: Context,
  integrationId: string,
  retention: Retention,
): Promise<Purged | null> {
  return whileLocked(context, integrationId, async (locked) => {
    const alsoKept = await findAlwaysKept(locked, integrationId)
    const all = { retention, most: Number.POSITIVE_INFINITY, alsoKept, dryRun: true }
    const rows = await purgeHistory(locked, integrationId, all)
    const due = await findDuePacks(locked, integrationId, all)
    return merged([rows, ...due.map(({ beforeRun, packs }) => ({ ...rows, classes: [], beforeRun, packs }))])
  })
}

/** Returns true if a call deleted nothing, because nothing is older than the retention. */
export function isNothing({ classes, packs }: Purged): boolean {
  return packs.length === 0 && classes.every(({ rows }) => Object.keys(rows).length === 0)
}

/** Adds up what several calls have deleted of one integration. @param all at least one result */
export function merged(all: readonly [Purged, ...Purged[]]): Purged {
  const classes = new Map<string, Record<string, number>>()
  for (const { name, rows } of all.flatMap((one): readonly PurgedClass[] => one.classes)) {
    const sums = classes.get(name) ?? {}
    classes.set(name, sums)
    for (const [table, count] of Object.entries(rows)) sums[table] = (sums[table] ?? 0) + count
  }
  const packs = new Map(all.flatMap((one) => one.packs).map((pack) => [pack.run, pack]))
  const runs = all.flatMap(({ beforeRun }) => beforeRun ?? [])
  return {
    ...all[0],
    beforeRun: runs.toSorted().at(-1) ?? null,
    classes: Array.from(classes, ([name, rows]) => ({ name, rows })),
    packs: [...packs.values()].toSorted((one, other) => (one.run < other.run ? -1 : 1)),
  }
}

async function findAlwaysKept({ database }: Context, integrationId: string): Promise<readonly string[]> {
  const newest = await findNewestPack(database.kysely, integrationId)
  return newest === null ? [] : [newest.run]
}

async function purgeHistory(
  context: Context,
  integrationId: string,
  {
    retention: { history },
    most,
    alsoKept,
    dryRun,
  }: RetentionOptions & { readonly alsoKept: readonly string[]; readonly dryRun: boolean },
): Promise<Purged> {
  if (history === undefined)
    return { integration: integrationId, beforeRun: null, classes: [], packs: [], dryRun }
  const olderThanDays = daysIn(history)
  const kept = { olderThanDays, keepRuns: KEEP_RUNS, alsoKept, most }
  const purged = await purgeLocked(context, integrationId, { ...kept, packs: false, dryRun, reason: REASON })
  if (!dryRun && !isNothing(purged)) await removeOldPlanPages(context, integrationId)
  return purged
}

interface DuePacks {
  readonly days: number
  /** Oldest run that is kept. */
  readonly beforeRun: string
  readonly packs: readonly PurgedPack[]
}

/**
 * Finds the packs that are too old: first by their age, then those of runs that found the same as an earlier
 * run. The pack of that earlier run has the report to which their reports link. Stops after `most` packs,
 * because each pack on disk must be read.
 */
async function findDuePacks(
  context: Context,
  integrationId: string,
  {
    retention: { packs, unchangedRuns },
    most,
    alsoKept,
  }: RetentionOptions & { readonly alsoKept: readonly string[] },
): Promise<readonly DuePacks[]> {
  const { database, environment } = context
  const all: DuePacks[] = []
  for (const { age, isUnchangedOnly } of [
    { age: packs, isUnchangedOnly: false },
    { age: unchangedRuns, isUnchangedOnly: true },
  ]) {
    if (age === undefined) continue
    const days = daysIn(age)
    const cutoff = new Date(environment.now() - days * DAY_MS).toISOString()
    const beforeRun = await firstKept(database.kysely, integrationId, {
      cutoff,
      keepRuns: KEEP_RUNS,
      alsoKept,
    })
    if (beforeRun === null) continue
    const found: PurgedPack[] = []
    const before = { integrationId, runId: beforeRun }
    const find = isUnchangedOnly ? findUnpurgedRepeats : findUnpurgedPacks
    for (const record of await find(database.kysely, before)) {
      if (isUnchangedOnly && (await findSameRun(database.kysely, record)) === null) continue
      const pack = { run: record.run_id, manifestSha256: record.manifest_sha256 ?? '' }
      // A pack that was moved elsewhere is not touched.
      if (await hasFiles(context, integrationId, pack)) found.push(pack)
      if (found.length === most) break
    }
    all.push({ days, beforeRun, packs: found })
    if (found.length === most) break
  }
  return all
}

/** Records that packs are purged, and deletes their files and the exports of their runs. */
async function purgePacks(
  context: Context,
  integrationId: string,
  { days, beforeRun, packs }: DuePacks,
): Promise<void> {
  const { database, environment, events } = context
  const at = await purgeTime(context, integrationId)
  const by = environment.user
  const runs = new Set(packs.map(({ run }) => run))
  await removeExports(context, integrationId, (run) => runs.has(run))
  await database.transaction(async (transaction) => {
    await notePackPurge(transaction, { integrationId, runId: beforeRun }, { at, by, days, packs })
    const detail = `${counted(packs.length, 'pack')} of runs before ${beforeRun}`
    await recordAction(transaction, context, integrationId, 'purged', { reason: REASON, detail })
  })
  pointsOf(events, integrationId)('purge noted')
  await deleteFiles(context, integrationId, packs, { at, by })
}

/** Deletes the files that a process has left that died during the last purge of packs. */
async function finishPacks(context: Context, integrationId: string): Promise<void> {
  const last = await findLastPackPurge(context.database.kysely, integrationId)
  if (last === null) return
  const left: PurgedPack[] = []
  for (const pack of last.packs) if (await hasFiles(context, integrationId, pack)) left.push(pack)
  await deleteFiles(context, integrationId, left, last)
}

async function deleteFiles(
  context: Context,
  integrationId: string,
  packs: readonly PurgedPack[],
  by: { readonly at: string; readonly by: string },
): Promise<void> {
  const newest = await findNewestPack(context.database.kysely, integrationId)
  for (const pack of packs) await purgePack(context, integrationId, pack, newest?.manifestSha256 ?? null, by)
}
