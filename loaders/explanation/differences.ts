import { sql } from 'kysely'
import type { Action, Content, Db, Fields } from '../../sql/tables.ts'
import { flatFields } from '../../transforms/declare/field-values.ts'
import { currentAsOf } from '../../transforms/history/as-of.ts'
import { readPages } from '../ledger/pages.ts'
import type { PlannedChange, PlannedCount } from '../packs/plan-changes.ts'

/**
 * Number of items that one page (one query) returns. The number is small because each item has a description,
 * which may be very long.
 */
const PAGE = 100

/**
 * Two runs of an integration, in any order, whose desired items are compared. The desired items of a run are
 * the items that the platform should have after the run.
 */
export interface ComparedRuns {
  readonly integrationId: string
  readonly from: string
  readonly to: string
}

/**
 * Finds the items of a content that differ between two runs. Reads the items page by page, sorted by the
 * bytes of their ids. The action of a difference is `create` if only the second run has the item. The action
 * is `remove` if only the first run has the item.
 */
export async function* findDifferences(
  db: Db,
  runs: ComparedRuns,
  content: Content,
): AsyncGenerator<readonly PlannedChange[]> {
  const read = (after: string) =>
    differing(db, runs)
      .where('version.content', '=', content)
      .where('version.unique_id', '>', after)
      .orderBy('version.unique_id')
      .limit(PAGE)
      .execute()
  for await (const page of readPages('', PAGE, read, ({ uniqueId }) => uniqueId))
    yield page.map(({ before, after, ...item }) => ({
      ...item,
      reason: '',
      before: before === null ? null : flatFields(before),
      after: after === null ? null : flatFields(after),
    }))
}

/** Counts the items that differ between two runs, by content and action. */
export async function countDifferences(db: Db, runs: ComparedRuns): Promise<readonly PlannedCount[]> {
  const rows = await db
    .selectFrom(differing(db, runs).as('item'))
    .groupBy(['item.content', 'item.action'])
    .select(({ fn }) => ['item.content', 'item.action', fn.countAll<string>().as('count')])
    .execute()
  return rows.map(({ content, action, count }) => ({ content, action, reason: '', count: Number(count) }))
}

/**
 * Selects the items that differ between two runs. First drops the item versions that were current after both
 * runs: such versions are equal. Usually most versions are dropped. The remaining versions are grouped by
 * item, not joined: a full join would read all versions for each page.
 */
function differing(db: Db, { integrationId, from, to }: ComparedRuns) {
  const [isBefore, isAfter] = [currentAsOf('version', from), currentAsOf('version', to)]
  const before = sql<Fields | null>`(array_agg(version.fields) filter (where ${isBefore}))[1]`
  const after = sql<Fields | null>`(array_agg(version.fields) filter (where ${isAfter}))[1]`
  return db
    .selectFrom('sync.desired_items as version')
    .where('version.integration_id', '=', integrationId)
    .where(sql<boolean>`${isBefore} <> ${isAfter}`)
    .groupBy(['version.content', 'version.unique_id'])
    .having(sql<boolean>`${before} is distinct from ${after}`)
    .select([
      'version.content',
      'version.unique_id as uniqueId',
      sql<Action>`case when ${before} is null then 'create' when ${after} is null then 'remove' else 'update' end`.as(
        'action',
      ),
      before.as('before'),
      after.as('after'),
    ])
}
