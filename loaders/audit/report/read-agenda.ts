import type { ExpressionBuilder } from 'kysely'
import { countRows } from '../../../sql/conditions.ts'
import type { Db, RunKey, Tables } from '../../../sql/tables.ts'
import { currentAsOf } from '../../../transforms/history/as-of.ts'

/** Most agenda items of a report; the size of the page may allow fewer. */
const MOST_ITEMS = 3000

/** Characters of a text that are read: one more than are shown tells that it goes on. */
const MOST_CHARACTERS = 200

/** The first agenda items that the platform should have after a run, by their start. */
export async function readAgenda(db: Db, { integrationId, runId }: RunKey) {
  const items = db
    .selectFrom('sync.desired_items as item')
    .where('item.integration_id', '=', integrationId)
    .where('item.content', '=', 'agenda')
    .where(currentAsOf('item', runId))
  const rows = await items
    .leftJoin('sync.changes as change', (join) =>
      join
        .onRef('change.integration_id', '=', 'item.integration_id')
        .on('change.run_id', '=', runId)
        .onRef('change.content', '=', 'item.content')
        .onRef('change.unique_id', '=', 'item.unique_id'),
    )
    .leftJoin('staging.b_sessions as session', (join) =>
      join
        .onRef('session.integration_id', '=', 'item.integration_id')
        .onRef('session.source_id', '=', 'item.unique_id')
        .on(currentAsOf('session', runId)),
    )
    .select((eb) => [
      'item.unique_id',
      'session.time_zone',
      eb.ref('change.action').$castTo<'create' | 'update' | null>().as('action'),
      beginning(eb, 'name').$notNull().as('name'),
      beginning(eb, 'startTime').$notNull().as('start_time'),
      beginning(eb, 'endTime').$notNull().as('end_time'),
      beginning(eb, 'location').as('location'),
    ])
    .orderBy(
      (eb) => beginning(eb, 'startTime'),
      (order) => order.collate('C'),
    )
    .orderBy('item.unique_id')
    .limit(MOST_ITEMS)
    .execute()
  return {
    total: await countRows(items),
    rows: rows.map((row) => ({
      uniqueId: row.unique_id,
      name: row.name,
      startTime: row.start_time,
      endTime: row.end_time,
      location: row.location,
      timeZone: row.time_zone,
      action: row.action,
    })),
  }
}

/** The beginning of a text field: a whole one may be of the size of a record. */
function beginning(
  eb: ExpressionBuilder<Tables & { item: Tables['sync.desired_items'] }, 'item'>,
  field: 'name' | 'startTime' | 'endTime' | 'location',
) {
  const text = eb.ref('item.fields', '->>').key(field)
  return eb.fn<string | null>('left', [text, eb.lit(MOST_CHARACTERS)])
}
