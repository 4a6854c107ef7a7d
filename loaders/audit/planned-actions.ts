import type { Kysely } from 'kysely'
import type { Action, Content, RunKey, Tables } from '../../sql/tables.ts'

/** A query over the changes of a run in a content. */
function changesOf(db: Kysely<Tables>, { integrationId, runId }: RunKey, content: Content) {
  return db
    .selectFrom('sync.changes')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .where('content', '=', content)
    .select(['unique_id', 'action'])
}

/**
 * What a run plans for the desired items of a page, by unique ID; none for those that stay as they are.
 *
 * A query of its own over the same range of ids: joined to the page, a planner may read all changes for each page.
 *
 * @param after the id that the page begins behind
 * @param last the last id of the page
 */
export async function upsertsBetween(
  db: Kysely<Tables>,
  run: RunKey,
  content: Content,
  after: string,
  last: string,
): Promise<ReadonlyMap<string, Action>> {
  const rows = await changesOf(db, run, content)
    .where('unique_id', '>', after)
    .where('unique_id', '<=', last)
    // Removals are of no desired item, and there may be any number of them between two.
    .where('action', '<>', 'remove')
    .execute()
  return new Map(rows.map(({ unique_id, action }) => [unique_id, action]))
}

/**
 * What a run plans for some items, by unique ID, as far as it was not withheld.
 *
 * @param uniqueIds those of a page: what is read lies between the first and the last of them, since for a long list alone
 *   PostgreSQL 15 may read all changes
 */
export async function actionsOf(
  db: Kysely<Tables>,
  run: RunKey,
  content: Content,
  uniqueIds: readonly string[],
): Promise<ReadonlyMap<string, Action>> {
  const bytes = uniqueIds.map((id) => Buffer.from(id)).sort(Buffer.compare)
  const [first, last] = [bytes[0], bytes.at(-1)]
  if (first === undefined || last === undefined) return new Map()
  const rows = await changesOf(db, run, content)
    .where('unique_id', '>=', first.toString())
    .where('unique_id', '<=', last.toString())
    .where((eb) => eb('unique_id', '=', eb.fn.any(eb.val([...uniqueIds]))))
    .where('state', '<>', 'withheld')
    .execute()
  return new Map(rows.map(({ unique_id, action }) => [unique_id, action]))
}
