import { type RawBuilder, sql } from 'kysely'
import { countRows, notExists, ofRun } from '../../sql/conditions.ts'
import type { Action, Content, Db, RunKey } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../declare/resource.ts'
import { versionsAsOf } from '../history/as-of.ts'

const sixBytesOf = (hash: RawBuilder<unknown>) =>
  sql`('x' || encode(substring(${hash} from 1 for 6), 'hex'))::bit(48)::bigint`

/**
 * Makes SQL that sums the first six bytes of each hash. A sum of six bytes fits into the number type of every
 * program. Two different sets of hashes hardly ever have equal sums.
 */
const checkOf = (hash: RawBuilder<unknown>) => sql<string>`coalesce(sum(${sixBytesOf(hash)}), 0)`

/**
 * Makes SQL that sums six bytes of the hash of each item that meets a condition. The sum is the same with
 * PGlite and with PostgreSQL.
 */
const checkOfItem = (item: string, such: RawBuilder<unknown>) => {
  const hash = sql`sha256(convert_to(jsonb_build_array(${sql.ref(`${item}.unique_id`)}, ${sql.ref(`${item}.fields`)})::text, 'UTF8'))`
  return sql<string>`coalesce(sum(${sixBytesOf(hash)}) filter (where ${such}), 0)`
}

/** Counts of a resource's records in the database after a run. */
export interface RecordCounts {
  readonly staged: bigint
  /**
   * Number of records that were kept although the run did not see them. Unseen records are kept because the
   * source did not prove that the read was complete.
   */
  readonly unseen: bigint
  readonly repeated: bigint
  readonly quarantined: bigint
  /** Sum of the hashes of all staged records that the run saw. */
  readonly stagedCheck: bigint
  /**
   * Sum of the hashes of all records without a row in staging; null if the hash of a forgotten person's
   * record was erased.
   */
  readonly rejectedCheck: bigint | null
}

/** Counts the staged records of a resource: how many the run saw, and how many it did not see. */
export async function stagedOf(
  db: Db,
  { integrationId, runId }: RunKey,
  resource: string,
  table: keyof StagingTables,
) {
  const unseen = await db
    .selectFrom('sync.unseen')
    .$call(ofRun({ integrationId, runId }))
    .where('resource', '=', resource)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  const found = await db
    .selectFrom(versionsAsOf(db, asAny(table), { integrationId, runId }).as('staged'))
    .where(({ selectFrom }) =>
      notExists(
        selectFrom('sync.unseen as unseen')
          .$call(ofRun({ integrationId, runId }))
          .where('unseen.resource', '=', resource)
          .whereRef('unseen.source_id', '=', 'staged.source_id')
          .select('unseen.source_id'),
      ),
    )
    .select((eb) => [eb.fn.countAll<string>().as('count'), checkOf(sql`staged.version_hash`).as('checks')])
    .executeTakeFirstOrThrow()
  return { staged: BigInt(found.count), stagedCheck: BigInt(found.checks), unseen: BigInt(unseen.count) }
}

/**
 * Counts the current records of a resource: how many a reading by changes returned, and how many it did not
 * return.
 *
 * The query uses a join, not a subquery. A subquery would scan the incoming table, which has no index, once
 * for each staged record.
 */
export async function seenOf(
  db: Db,
  integrationId: string,
  table: keyof StagingTables,
  incoming: 'incoming.records',
): Promise<{ readonly seen: number; readonly unseen: number; readonly checksum: string }> {
  const found = await db
    .selectFrom(`${asAny(table)} as staged`)
    .leftJoin(`${incoming} as record`, 'record.source_id', 'staged.source_id')
    .where(({ and }) => and({ 'staged.integration_id': integrationId, 'staged.valid_to_run': null }))
    .select((eb) => [
      eb.fn.count<string>('record.source_id').as('seen'),
      eb.fn.countAll<string>().filterWhere('record.source_id', 'is', null).as('unseen'),
      sql<string>`${checkOf(sql`case when record.source_id is not null then staged.version_hash end`)}::text`.as(
        'checksum',
      ),
    ])
    .executeTakeFirstOrThrow()
  return { seen: Number(found.seen), unseen: Number(found.unseen), checksum: found.checksum }
}

/** Counts the records of a resource that have no row in staging. */
export async function rejectedOf(db: Db, run: RunKey, resource: string) {
  const rows = await db
    .selectFrom('sync.unstaged')
    .$call(ofRun(run))
    .where('resource', '=', resource)
    .groupBy('reason')
    .select((eb) => [
      'reason',
      eb.fn.countAll<string>().as('count'),
      eb.fn.count<string>('row_check').as('checked'),
      eb.fn.coalesce(eb.fn.sum<string>('row_check'), eb.lit(0)).as('checks'),
    ])
    .execute()
  const of = (reason: string) => BigInt(rows.find((row) => row.reason === reason)?.count ?? 0)
  const isChecked = rows.every(({ count, checked }) => count === checked)
  const rejectedCheck = isChecked ? rows.reduce((sum, { checks }) => sum + BigInt(checks), 0n) : null
  return { repeated: of('duplicate_id'), quarantined: of('invalid_record'), rejectedCheck }
}

/**
 * Counts the desired items and the platform's known items in one query. If an item is equal on both sides,
 * the query hashes it only once.
 */
export async function itemsOf(db: Db, { integrationId, runId }: RunKey, content: Content) {
  const isPlanned = sql<boolean>`(change.unique_id is not null)`
  const isDesired = sql<boolean>`(desired.unique_id is not null)`
  const isLive = sql<boolean>`(item.unique_id is not null)`
  const isCompared = sql<boolean>`(${isDesired} and (change.state = 'applied') is not false)`
  const isEqual = sql<boolean>`(item.fields is not distinct from desired.fields)`
  const found = await db
    .selectFrom((eb) =>
      eb
        .selectFrom(versionsAsOf(db, 'sync.desired_items', { integrationId, runId }).as('version'))
        .where('version.content', '=', content)
        .select(['version.unique_id', 'version.fields'])
        .as('desired'),
    )
    .fullJoin(
      (eb) =>
        eb
          .selectFrom('sync.platform_items')
          .where(({ and }) => and({ integration_id: integrationId, content }))
          .select(['unique_id', 'fields'])
          .as('item'),
      (join) => join.onRef('item.unique_id', '=', 'desired.unique_id'),
    )
    .leftJoin('sync.changes as change', (join) =>
      join
        .on('change.integration_id', '=', integrationId)
        .on('change.run_id', '=', runId)
        .on('change.content', '=', content)
        .on(sql<boolean>`change.unique_id = coalesce(desired.unique_id, item.unique_id)`),
    )
    .select([
      countWhere(sql`${isDesired} and not ${isPlanned}`).as('untouched'),
      countWhere(isLive).as('live'),
      countWhere(sql`not ${isDesired} and not ${isPlanned}`).as('kept'),
      checkOfItem('desired', sql`${isCompared} and ${isEqual}`).as('shared'),
      checkOfItem('desired', sql`${isCompared} and not ${isEqual}`).as('desired_only'),
      checkOfItem('item', sql`${isCompared} and ${isLive} and not ${isEqual}`).as('live_only'),
    ])
    .executeTakeFirstOrThrow()
  const shared = BigInt(found.shared)
  return {
    untouched: BigInt(found.untouched),
    live: BigInt(found.live),
    kept: BigInt(found.kept),
    desiredCheck: shared + BigInt(found.desired_only),
    liveCheck: shared + BigInt(found.live_only),
  }
}

const countWhere = (such: RawBuilder<unknown>) => sql<string>`count(*) filter (where ${such})`

/**
 * Counts the items that the integration has on its platform event, according to this database. Items of an
 * earlier platform event are not counted.
 */
export async function liveAtPlatform(db: Db, { integrationId }: RunKey, content: Content): Promise<bigint> {
  const items = db
    .selectFrom('sync.platform_items')
    .where(({ and }) => and({ integration_id: integrationId, content }))
  return BigInt(await countRows(items))
}

export async function decidedOf(db: Db, run: RunKey, content: Content) {
  const rows = await db
    .selectFrom(versionsAsOf(db, 'sync.decisions', run).as('decision'))
    .where('decision.content', '=', content)
    .groupBy(['decision.decision', 'decision.reason'])
    .select((eb) => ['decision.decision', 'decision.reason', eb.fn.countAll<string>().as('count')])
    .execute()
  let synced = 0n
  const excluded: (readonly [string, bigint])[] = []
  for (const { decision, reason, count } of rows) {
    if (decision === 'synced') synced += BigInt(count)
    else excluded.push([reason, BigInt(count)])
  }
  return { synced, excluded }
}

/**
 * Makes a function that returns the number of a run's changes for an action, a state and a result. The action
 * `upsert` stands for all actions except removals. The action `freed` stands for handovers whose previous
 * person was already removed.
 */
export async function sentOf(db: Db, run: RunKey, content: Content) {
  const rows = await db
    .selectFrom('sync.changes')
    .$call(ofRun(run))
    .where('content', '=', content)
    .groupBy(['action', 'freed', 'state', 'result'])
    .select((eb) => ['action', 'freed', 'state', 'result', eb.fn.countAll<string>().as('count')])
    .execute()
  return (op: Action | 'upsert' | 'freed', state: string, result?: string) =>
    rows
      .filter(
        ({ action, freed }) =>
          action === op || (op === 'upsert' && action !== 'remove') || (op === 'freed' && freed),
      )
      .filter((row) => row.state === state && (result === undefined || row.result === result))
      .reduce((sum, { count }) => sum + BigInt(count), 0n)
}
