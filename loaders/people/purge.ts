import { sql } from 'kysely'
import type { Db, PurgedPack, RunKey } from '../../sql/tables.ts'
import { lastApplied } from '../../transforms/guards/check-plan.ts'
import type { RunRecord } from '../ledger/ledger.ts'
import { findOpenPlans, withChanges } from '../ledger/stored-plan.ts'
import { findKnownResources } from '../staging/incoming.ts'
import type { Place } from './erasure.ts'
import { PLACES, STAGED } from './personal-data-places.ts'

/** Returns the tables from which `purge` deletes rows, in order. */
async function findPurged(db: Db) {
  const staged = (await findKnownResources(db)).map(({ table }) => ({ ...STAGED, table }))
  const places: readonly Omit<Place, 'forget'>[] = [...staged, ...PLACES]
  return places.flatMap(({ table, run, sharedBy, purge }) =>
    typeof purge === 'string' && run !== undefined ? [{ table, run, sharedBy, className: purge }] : [],
  )
}

type Purged = Awaited<ReturnType<typeof findPurged>>[number]

export async function findPurgedTables(db: Db): Promise<readonly string[]> {
  return (await findPurged(db)).map(({ table }) => table)
}

/**
 * Maximum number of rows that one transaction deletes. The limit is low so that other transactions do not
 * wait long.
 */
export const ROWS_AT_ONCE = 5000

export interface PurgedClass {
  readonly name: string
  readonly rows: Readonly<Record<string, number>>
}

/** Which runs of an integration are kept. */
export interface Kept {
  /** Time in ISO-8601; runs since this time are kept. */
  readonly cutoff: string
  /** Number of newest runs that are kept. */
  readonly keepRuns: number
  /** Further runs to keep. */
  readonly alsoKept?: readonly string[]
  /** Maximum number of runs that are purged; if left out, all old runs are purged. */
  readonly most?: number
}

/**
 * Returns the oldest run that `purge` must keep. `purge` keeps the last runs, runs that began after the
 * cutoff, runs that are being applied, and runs whose plans can still be applied. `purge` also keeps the run
 * with which guards compare, and runs whose packs must be written again.
 *
 * @returns null if no run is older than the oldest run to keep
 */
export async function firstKept(
  db: Db,
  integrationId: string,
  { cutoff, keepRuns, alsoKept = [], most = Number.POSITIVE_INFINITY }: Kept,
) {
  const runs = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .orderBy('run_id', 'desc')
    .select(['run_id', 'status', 'reissue_due', 'purged_at'])
    .select((eb) => {
      const last = eb.fn<Date>('greatest', [
        'started_at',
        'planned_at',
        'applied_at',
        'approved_at',
        'finished_at',
      ])
      return eb(last, '>=', eb.cast<Date>(eb.val(cutoff), 'timestamptz')).as('is_young')
    })
    .execute()
  const open = await findOpenPlans(db, integrationId)
  const compared = await findCompared(db, integrationId, open)
  const applicable = new Set(withChanges(open).map(({ run_id }) => run_id))
  const kept = runs.filter(
    (run, index) =>
      index < keepRuns ||
      run.is_young ||
      run.reissue_due ||
      compared.has(run.run_id) ||
      applicable.has(run.run_id) ||
      alsoKept.includes(run.run_id) ||
      ['applying', 'applied'].includes(run.status),
  )
  const first = kept.at(-1)?.run_id ?? null
  if (first === null || first === runs.at(-1)?.run_id) return null
  const left = runs.filter((run) => run.run_id < first && run.purged_at === null)
  return left.at(-1 - most)?.run_id ?? first
}

/** Returns the run of the newest pack of an integration; null if it has no pack. */
export async function findNewestPack(db: Db, integrationId: string) {
  const run = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('manifest_sha256', 'is not', null)
    .orderBy('run_id', 'desc')
    .select(['run_id as run', 'manifest_sha256 as manifestSha256'])
    .executeTakeFirst()
  return run ?? null
}

/**
 * Finds the runs before a run whose packs were not purged, the oldest first. Packs that must be written again
 * are left out.
 */
export function findUnpurgedPacks(db: Db, before: RunKey): Promise<readonly RunRecord[]> {
  return unpurgedPacks(db, before).execute()
}

/** Finds only those of `findUnpurgedPacks` whose runs have the figures of an earlier run. */
export function findUnpurgedRepeats(db: Db, before: RunKey): Promise<readonly RunRecord[]> {
  return unpurgedPacks(db, before).where('figures_of', 'is not', null).execute()
}

function unpurgedPacks(db: Db, { integrationId, runId }: RunKey) {
  return db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', '<', runId)
    .where('manifest_sha256', 'is not', null)
    .where('pack_purged_at', 'is', null)
    .where('reissue_due', '=', false)
    .orderBy('run_id')
    .selectAll()
}

/** Returns the time of the last purge of an integration, in ISO-8601; null if there was none. */
export async function findLastPurgeTime(db: Db, integrationId: string): Promise<string | null> {
  const last = await db
    .selectFrom('sync.purges')
    .where('integration_id', '=', integrationId)
    .select((eb) => eb.fn.max('purged_at').as('at'))
    .executeTakeFirst()
  return last?.at?.toISOString() ?? null
}

/** Returns the last purge of packs; null if there was none. If its process died, some files may be left. */
export async function findLastPackPurge(db: Db, integrationId: string) {
  const purge = await db
    .selectFrom('sync.purges')
    .where('integration_id', '=', integrationId)
    .where(sql<boolean>`packs <> '[]'::jsonb`)
    .orderBy('purged_at', 'desc')
    .select(['purged_at', 'purged_by as by', 'packs'])
    .executeTakeFirst()
  if (purge === undefined) return null
  return { at: purge.purged_at.toISOString(), by: purge.by, packs: purge.packs }
}

/**
 * Finds the run with which guards compare now, and the runs with which they would compare after each rollback
 * that can still be applied.
 *
 * @param open runs whose plans can still be applied
 */
async function findCompared(
  db: Db,
  integrationId: string,
  open: readonly RunRecord[],
): Promise<ReadonlySet<string>> {
  const compared = [await lastApplied(db, integrationId)]
  for (const to of new Set(open.flatMap(({ rollback_to }) => rollback_to ?? [])))
    compared.push(await lastApplied(db, integrationId, to))
  return new Set(compared.flatMap((run) => run?.runId ?? []))
}

/** Finds purges that were not completed: their rows may still exist or may still take space on disk. */
export async function findBegunPurges(db: Db, integrationIds: readonly string[]) {
  if (integrationIds.length === 0) return []
  return db
    .selectFrom('sync.purges')
    .where('integration_id', 'in', [...integrationIds])
    .where('finished_at', 'is', null)
    .orderBy('before_run', 'desc')
    .select(['integration_id as integrationId', 'purged_at as purgedAt', 'before_run as beforeRun'])
    .execute()
}

type BegunPurge = Awaited<ReturnType<typeof findBegunPurges>>[number]

/**
 * Marks purges as completed after all traces of their rows are gone. @param at time of completion in ISO-8601
 */
export async function finishPurges(db: Db, purges: readonly BegunPurge[], at: string): Promise<void> {
  for (const { integrationId, purgedAt } of purges) {
    await db
      .updateTable('sync.purges')
      .set({ finished_at: at })
      .where(({ and }) => and({ integration_id: integrationId, purged_at: purgedAt }))
      .execute()
  }
}

export async function countPurgeable(db: Db, before: RunKey): Promise<readonly PurgedClass[]> {
  const classes: PurgedClass[] = []
  for (const [name, purged] of Map.groupBy(await findPurged(db), ({ className }) => className)) {
    const rows: Record<string, number> = {}
    for (const one of purged) {
      const count = await countOver(db, one, before)
      if (count > 0) rows[one.table] = count
    }
    classes.push({ name, rows })
  }
  return classes
}

interface NotedPurge {
  readonly at: string
  readonly by: string
  readonly days: number
  readonly rows: Readonly<Record<string, number>>
  readonly packs: readonly PurgedPack[]
}

/** Records the purge and marks the purged runs. From now on, a query as of a marked run returns no rows. */
export async function notePurge(transaction: Db, before: RunKey, purge: NotedPurge): Promise<void> {
  const { integrationId, runId } = before
  await transaction
    .updateTable('sync.runs')
    .set({ purged_at: purge.at })
    .where('integration_id', '=', integrationId)
    .where('run_id', '<', runId)
    .where('purged_at', 'is', null)
    .execute()
  await enterPurge(transaction, before, purge, null)
}

/** Records a purge that deletes only files of packs. The rows of the runs stay, also if it is continued. */
export async function notePackPurge(
  transaction: Db,
  before: RunKey,
  purge: Omit<NotedPurge, 'rows'>,
): Promise<void> {
  await enterPurge(transaction, before, { ...purge, rows: {} }, purge.at)
}

async function enterPurge(
  transaction: Db,
  { integrationId, runId }: RunKey,
  { at, by, days, rows, packs }: NotedPurge,
  finishedAt: string | null,
): Promise<void> {
  await transaction
    .insertInto('sync.purges')
    .values({
      integration_id: integrationId,
      purged_at: at,
      purged_by: by,
      older_than_days: days,
      before_run: runId,
      rows: JSON.stringify(rows),
      packs: JSON.stringify(packs),
      finished_at: finishedAt,
    })
    .execute()
  await markPacks(transaction, integrationId, at, packs)
}

async function markPacks(
  transaction: Db,
  integrationId: string,
  at: string,
  packs: readonly PurgedPack[],
): Promise<void> {
  if (packs.length === 0) return
  await transaction
    .updateTable('sync.runs')
    .set({ pack_purged_at: at })
    .where('integration_id', '=', integrationId)
    .where(sql<boolean>`run_id = any(${packs.map(({ run }) => run)}::uuid[])`)
    .execute()
}

/**
 * Records a purge that was done with another database, so that the next manifest lists it. The data of the
 * purged packs is already gone, so the function deletes nothing.
 */
export async function noteForeignPurge(
  transaction: Db,
  { integrationId, runId }: RunKey,
  { at, by, packs }: { readonly at: string; readonly by: string; readonly packs: readonly PurgedPack[] },
): Promise<void> {
  await transaction
    .insertInto('sync.purges')
    .values({
      integration_id: integrationId,
      purged_at: at,
      purged_by: by,
      older_than_days: 0,
      before_run: runId,
      rows: JSON.stringify({}),
      packs: JSON.stringify(packs),
      finished_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await markPacks(transaction, integrationId, at, packs)
}

export async function deleteOver(
  transact: <Result>(work: (transaction: Db) => Promise<Result>) => Promise<Result>,
  before: RunKey,
  onDeleted: () => void,
): Promise<void> {
  for (const purged of await transact(findPurged)) {
    for (;;) {
      const rows = await transact((transaction) => deleteSome(transaction, purged, before, ROWS_AT_ONCE))
      if (rows > 0) onDeleted()
      if (rows < ROWS_AT_ONCE) break
    }
  }
}

/** Assigns all purges that no manifest lists yet to the manifest of this run. */
export async function recordPurgesForManifest(
  transaction: Db,
  { integrationId, runId }: RunKey,
): Promise<void> {
  await transaction
    .updateTable('sync.purges')
    .set({ told_by_run: runId })
    .where(({ and }) => and({ integration_id: integrationId, told_by_run: null }))
    .execute()
}

export async function findPurgesOfManifest(db: Db, { integrationId, runId }: RunKey) {
  const rows = await db
    .selectFrom('sync.purges')
    .where(({ and }) => and({ integration_id: integrationId, told_by_run: runId }))
    .orderBy('purged_at')
    .select([
      'purged_at as purgedAt',
      'purged_by as purgedBy',
      'older_than_days as olderThanDays',
      'before_run as beforeRun',
      'rows',
      'packs',
    ])
    .execute()
  return rows.map((row) => ({
    ...row,
    purgedAt: row.purgedAt.toISOString(),
    rows: Object.fromEntries(Object.entries(row.rows).sort()),
    packs: row.packs.map(({ run, manifestSha256 }) => ({ run, manifestSha256 })),
  }))
}

/**
 * Deletes up to `most` old rows of an integration from a table. In a table of runs, the deleted rows are
 * those of runs before the given run. In a table with history, the deleted rows are versions that ended with
 * the given run or earlier.
 *
 * @returns the number of deleted rows; a number below `most` means that no old row is left
 */
async function deleteSome(db: Db, purged: Purged, before: RunKey, most: number): Promise<number> {
  const table = sql.table(purged.table)
  const { numAffectedRows } = await sql`
    delete from ${table}
    where ctid in (select ctid from ${table} where ${isOver(purged, before)} limit ${sql.lit(most)})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0n)
}

/** Returns the total number of rows that calls of `deleteSome` would delete. */
async function countOver(db: Db, purged: Purged, before: RunKey): Promise<number> {
  const { rows } = await sql<{ readonly rows: string }>`
    select count(*) as rows from ${sql.table(purged.table)} where ${isOver(purged, before)}`.execute(db)
  return Number(rows[0]?.rows ?? 0)
}

function isOver({ run, sharedBy }: Purged, { integrationId, runId }: RunKey) {
  const isBefore = run === 'run_id' ? sql`run_id < ${runId}::uuid` : sql`valid_to_run <= ${runId}::uuid`
  const isOld = sql`integration_id = ${integrationId} and ${isBefore}`
  if (sharedBy === undefined) return isOld
  return sql`${isOld} and (run_id in (
    select ${sql.ref(sharedBy)} from sync.runs where integration_id = ${integrationId} and run_id >= ${runId}::uuid
  )) is not true`
}
