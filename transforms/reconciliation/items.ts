import { type RawBuilder, sql } from 'kysely'
import { countRows } from '../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { currentAsOf } from '../history/as-of.ts'
import { checkOfItem } from './control-total.ts'

/** The items that the platform should have and those that it is known to have, each read once and counted by itself. */
export async function itemsOf(db: Db, { integrationId, runId }: RunKey, content: Content) {
  const isPlanned = sql<boolean>`change.unique_id is not null`
  const isMissed = sql<boolean>`(${isPlanned} and change.state <> 'applied')`
  const desired = await db
    .selectFrom('sync.desired_items as desired')
    .leftJoin('sync.changes as change', (join) =>
      join
        .on('change.integration_id', '=', integrationId)
        .on('change.run_id', '=', runId)
        .on('change.content', '=', content)
        .onRef('change.unique_id', '=', 'desired.unique_id'),
    )
    .where('desired.integration_id', '=', integrationId)
    .where('desired.content', '=', content)
    .where(currentAsOf('desired', runId))
    .select([
      countWhere(sql`not ${isPlanned}`).as('untouched'),
      checkOfItem('desired', sql`not ${isMissed}`).as('checks'),
    ])
    .executeTakeFirstOrThrow()
  const isDesired = sql<boolean>`wanted.unique_id is not null`
  const known = await db
    .selectFrom('sync.platform_items as item')
    .leftJoin('sync.desired_items as wanted', (join) =>
      join
        .on('wanted.integration_id', '=', integrationId)
        .on('wanted.content', '=', content)
        .onRef('wanted.unique_id', '=', 'item.unique_id')
        .on(currentAsOf('wanted', runId)),
    )
    .leftJoin('sync.changes as change', (join) =>
      join
        .on('change.integration_id', '=', integrationId)
        .on('change.run_id', '=', runId)
        .on('change.content', '=', content)
        .onRef('change.unique_id', '=', 'item.unique_id'),
    )
    .where('item.integration_id', '=', integrationId)
    .where('item.content', '=', content)
    .select([
      countWhere(sql`true`).as('live'),
      countWhere(sql`not ${isDesired} and not ${isPlanned}`).as('kept'),
      checkOfItem('item', sql`${isDesired} and not ${isMissed}`).as('checks'),
    ])
    .executeTakeFirstOrThrow()
  return {
    untouched: BigInt(desired.untouched),
    live: BigInt(known.live),
    kept: BigInt(known.kept),
    desiredCheck: BigInt(desired.checks),
    liveCheck: BigInt(known.checks),
  }
}

const countWhere = (such: RawBuilder<unknown>) => sql<string>`count(*) filter (where ${such})`

/** Items that the integration knows to be at its platform event, to which no other writes; what one of before knew is over. */
export async function liveAtPlatform(db: Db, { integrationId }: RunKey, content: Content): Promise<bigint> {
  const items = db
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .where('content', '=', content)
  return BigInt(await countRows(items))
}
