import { ofRun } from '../../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../../sql/tables.ts'

function changesOf(db: Db, run: RunKey, content: Content) {
  return db
    .selectFrom('sync.changes')
    .$call(ofRun(run))
    .where('content', '=', content)
    .select(['unique_id', 'action'])
}

/**
 * What a run plans for the desired items of a page, by unique ID; none for those that stay as they are.
 *
 * A query of its own over the same range of ids: joined to the page, a planner may read all changes for each page.
 */
export async function upsertsBetween(db: Db, run: RunKey, content: Content, after: string, last: string) {
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
export async function actionsOf(db: Db, run: RunKey, content: Content, uniqueIds: readonly string[]) {
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
