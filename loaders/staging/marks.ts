import { sql } from 'kysely'
import { countRows } from '../../sql/conditions.ts'
import type { Db, Missed, RunKey } from '../../sql/tables.ts'
import type { IncomingName } from './incoming.ts'

/**
 * Returns the mark of each resource of an integration. A mark says how far a resource has been read by
 * changes.
 */
export async function findMarks(db: Db, integrationId: string) {
  const rows = await db
    .selectFrom('sync.marks')
    .where('integration_id', '=', integrationId)
    .select([
      'resource',
      'full_at as fullAt',
      'full_certified as isFullCertified',
      'set_aside as rejected',
      'undated',
      'shape',
      'asked_keys as askedKeys',
      'mark',
      'mark_id as markId',
      'took_minutes as tookMinutes',
      'read_by_changes as isReadByChanges',
    ])
    .execute()
  return new Map(
    rows.map(({ resource, fullAt, ...row }) => [
      resource,
      {
        ...row,
        fullAtMs: fullAt?.getTime() ?? null,
        rejected: Number(row.rejected),
        undated: Number(row.undated),
      },
    ]),
  )
}

export type ChangeMark = NonNullable<ReturnType<Awaited<ReturnType<typeof findMarks>>['get']>>

/** Deletes the marks of an integration, so that its next run reads all records of the source. */
export async function forgetMarks(transaction: Db, integrationId: string): Promise<void> {
  await transaction.deleteFrom('sync.marks').where('integration_id', '=', integrationId).execute()
}

/** A reading of a resource whose records are being merged into staging. */
export interface MarkedReading extends RunKey {
  readonly resource: string
  readonly incoming: IncomingName
  readonly certified: boolean
  /** Time since which the run requested changes; null for a full reading. */
  readonly since: string | null
  /**
   * Latest time that can become a mark. A later mark would come from a wrong clock and make the next runs
   * miss changes.
   */
  readonly latest: string
  readonly shape: string
  readonly askedKeys: readonly string[]
  readonly rejected: number
}

/**
 * Stores the mark of a resource, in the transaction that merges the resource into staging. Only a full
 * reading can set a mark to an earlier time. A reading without a certificate does not change the mark.
 */
export async function recordMark(transaction: Db, reading: MarkedReading): Promise<void> {
  const { integrationId, resource, certified, since, askedKeys } = reading
  const old = (await findMarks(transaction, integrationId)).get(resource)
  const key = { integration_id: integrationId, resource }
  if (since !== null) {
    const top = certified ? await findTop(transaction, reading, old?.markId ?? null) : null
    const isNew = top !== null && top.mark > (old?.mark ?? '')
    await transaction
      .updateTable('sync.marks')
      .set({
        read_by_changes: true,
        ...(isNew
          ? {
              mark: top.mark,
              mark_id: top.id,
              took_minutes: (await timesOf(transaction, reading)).minutes,
            }
          : {}),
      })
      .where(({ and }) => and(key))
      .execute()
    return
  }
  const { undated } = await transaction
    .selectFrom(reading.incoming)
    .where('changed_at', 'is', null)
    .select((eb) => eb.fn.countAll<string>().as('undated'))
    .executeTakeFirstOrThrow()
  const found = {
    full_certified: certified,
    set_aside: reading.rejected,
    undated: Number(undated),
    // A reading without a certificate has also staged its records. After an uncertified reading, the next
    // full reading compares only keys that both readings requested.
    asked_keys:
      certified || old === undefined ? askedKeys : askedKeys.filter((key) => old.askedKeys.includes(key)),
  }
  const top = certified ? await findTop(transaction, reading, old?.markId ?? null) : null
  const { beganAt, minutes } = await timesOf(transaction, reading)
  const whole = {
    full_at: beganAt,
    shape: reading.shape,
    mark: top?.mark ?? null,
    mark_id: top?.id ?? null,
    // If the mark stays the same, the stored duration of the earlier reading stays too.
    took_minutes: top !== null && top.mark === old?.mark ? old.tookMinutes : minutes,
    read_by_changes: false,
  }
  const none = { ...whole, full_at: null, took_minutes: 0 }
  await transaction
    .insertInto('sync.marks')
    .values({ ...key, ...(certified ? whole : none), ...found })
    .onConflict((conflict) =>
      conflict.columns(['integration_id', 'resource']).doUpdateSet({ ...found, ...(certified ? whole : {}) }),
    )
    .execute()
}

/** Counts the records whose time of change is later than the latest possible mark. */
export async function countAhead(
  db: Db,
  { incoming, latest }: Pick<MarkedReading, 'incoming' | 'latest'>,
): Promise<number> {
  return countRows(db.selectFrom(incoming).where('changed_at', '>', latest))
}

/**
 * Returns the time of the source's last answer in a reading, by the source's clock; null if the answers state
 * no time.
 */
export async function findSourceTime(
  db: Db,
  { integrationId, runId, resource }: RunKey & { readonly resource: string },
): Promise<Date | null> {
  const { last } = await db
    .selectFrom('sync.requests')
    .where(({ and }) => and({ integration_id: integrationId, run_id: runId, resource }))
    .select(({ fn }) => fn.max('source_at').as('last'))
    .executeTakeFirstOrThrow()
  return last
}

/**
 * Finds the latest time of change among the records, and a record that has this time. If the record of the
 * previous mark still has the latest time, the function returns that record.
 */
async function findTop(
  db: Db,
  { incoming, latest }: MarkedReading,
  before: string | null,
): Promise<{ readonly mark: string; readonly id: string } | null> {
  const row = await db
    .selectFrom(incoming)
    .where('changed_at', '<=', latest)
    .where('source_id', 'is not', null)
    .orderBy('changed_at', (order) => order.collate('C').desc())
    .orderBy((eb) => eb.case().when('source_id', '=', before).then(0).else(1).end())
    .orderBy('source_id')
    .limit(1)
    .select(['changed_at', 'source_id'])
    .executeTakeFirst()
  const { changed_at: mark = null, source_id: id = null } = row ?? {}
  return mark === null || id === null ? null : { mark, id }
}

/** Returns the time of the first answer in a reading, and the number of minutes until its last answer. */
async function timesOf(
  db: Db,
  { integrationId, runId, resource }: MarkedReading,
): Promise<{ readonly beganAt: string; readonly minutes: number }> {
  const { first, last } = await db
    .selectFrom('sync.requests')
    .where(({ and }) => and({ integration_id: integrationId, run_id: runId, resource }))
    .select(({ fn }) => [fn.min('answered_at').as('first'), fn.max('answered_at').as('last')])
    .executeTakeFirstOrThrow()
  return {
    beganAt: first.toISOString(),
    minutes: Math.ceil((last.getTime() - first.getTime()) / 60_000),
  }
}

/**
 * Finds missed records of an integration that nobody has confirmed yet. Missed records are changes that
 * readings by changes did not bring.
 */
export async function findUnconfirmedMisses(db: Db, integrationId: string) {
  return findAllUnconfirmedMisses(db, [integrationId])
}

/** Finds the unconfirmed missed records of several integrations with one query. */
export async function findAllUnconfirmedMisses(db: Db, integrationIds: readonly string[]) {
  const rows = await db
    .selectFrom('sync.misses')
    .where('integration_id', '=', sql<string>`any(${[...integrationIds]}::text[])`)
    .where('confirmed_in', 'is', null)
    .orderBy('integration_id')
    .orderBy('run_id')
    .orderBy('resource')
    .select(['integration_id as integrationId', 'run_id as runId', 'resource', 'count', 'fields'])
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

export type UnconfirmedMiss = Awaited<ReturnType<typeof findUnconfirmedMisses>>[number]

/** Stores that a full reading has found records that readings by changes would have missed. */
export async function recordMisses(
  transaction: Db,
  { integrationId, runId }: RunKey,
  resource: string,
  { count, fields }: Missed,
): Promise<void> {
  await transaction
    .insertInto('sync.misses')
    .values({
      integration_id: integrationId,
      run_id: runId,
      resource,
      count,
      fields: JSON.stringify(fields),
    })
    .execute()
}

/**
 * Records that somebody started this run with `--changes`, to confirm the records that earlier readings by
 * changes missed. After that, the integration may be read by changes again.
 *
 * @returns the number of resources of which records had been missed
 */
export async function confirmMisses(
  transaction: Db,
  { integrationId, runId }: RunKey,
  startedAt: string,
  startedBy: string,
): Promise<bigint> {
  const { numUpdatedRows } = await transaction
    .updateTable('sync.misses')
    .set({ confirmed_in: runId, confirmed_at: startedAt, confirmed_by: startedBy })
    .where(({ and }) => and({ integration_id: integrationId, confirmed_in: null }))
    .executeTakeFirstOrThrow()
  return numUpdatedRows
}
