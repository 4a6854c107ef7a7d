import { sql } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { lineageOf, tableOf } from '../../transforms/decide/lineage.ts'
import { asAny } from '../../transforms/declare/resource.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { readPages } from '../ledger/pages.ts'

const PAGE = 1000

/** Fields of a content that name an item for people, in the order in which they are read. */
const NAMES: Readonly<Record<Content, readonly string[]>> = {
  agenda: ['name'],
  speakers: ['firstName', 'lastName'],
  attendees: ['firstName', 'lastName'],
}

/** A record without an item, or an item that the platform rejected. */
export interface MissingRecord {
  readonly content: Content
  /** Id at the source; null if it could not be read. */
  readonly id: string | null
  /** As the record has it; null if it has none, or could not be read. */
  readonly name: string | null
  /** Such as `not_published`, `invalid_record` or `rejected:DUPLICATE_EMAIL`. */
  readonly reason: string
  /** JSON path of the fault, and what it is; null unless the record could not be read. */
  readonly fault: string | null
}

/**
 * Finds records that the last read left out of a content: excluded, repeated and unreadable ones, page by page.
 *
 * @param resource the content's records
 */
export async function* findLeftOut(
  db: Db,
  transform: AnyTransform,
  run: RunKey,
  content: Content,
  resource: string,
): AsyncGenerator<readonly MissingRecord[]> {
  const name = nameOf(transform, content)
  const excluded = (after: string) =>
    db
      .selectFrom('sync.decisions as decision')
      .leftJoin(`${asAny(tableOf(transform, content))} as record`, (join) =>
        join
          .onRef('record.integration_id', '=', 'decision.integration_id')
          .onRef('record.source_id', '=', 'decision.source_id')
          .on('record.valid_to_run', 'is', null),
      )
      .where(({ and }) => and({ 'decision.integration_id': run.integrationId, 'decision.content': content }))
      .where('decision.valid_to_run', 'is', null)
      .where('decision.decision', '=', 'excluded')
      .where('decision.source_id', '>', after)
      .orderBy('decision.source_id')
      .limit(PAGE)
      .select(['decision.source_id as id', 'decision.reason', name.as('name')])
      .execute()
  for await (const page of readPages('', PAGE, excluded, ({ id }) => id))
    yield page.map(({ id, name, reason }) => ({ content, id, name, reason, fault: null }))
  const unread = (after: string) =>
    db
      .selectFrom('sync.unstaged')
      .$call(ofRun(run))
      .where('resource', '=', resource)
      .where('ordinal', '>', after)
      .orderBy('ordinal')
      .limit(PAGE)
      .select(['source_id as id', 'reason', 'path', 'detail', 'ordinal'])
      .execute()
  for await (const page of readPages('0', PAGE, unread, ({ ordinal }) => String(ordinal)))
    yield page.map(({ id, reason, path, detail }) => {
      const fault = reason === 'invalid_record' ? `${path}: ${detail}` : null
      return { content, id, name: null, reason, fault }
    })
}

/** Finds items of a content that the platform rejected and still does not have as they should be. */
export async function findRejected(db: Db, run: RunKey, content: Content): Promise<readonly MissingRecord[]> {
  const rows = await db
    .selectFrom('sync.desired_items as item')
    .innerJoin('sync.changes as change', (join) =>
      join
        .onRef('change.integration_id', '=', 'item.integration_id')
        .onRef('change.content', '=', 'item.content')
        .onRef('change.unique_id', '=', 'item.unique_id')
        .on('change.run_id', '=', run.runId)
        .on('change.state', '=', 'failed'),
    )
    .where(({ and }) => and({ 'item.integration_id': run.integrationId, 'item.content': content }))
    .where('item.valid_to_run', 'is', null)
    .orderBy('item.unique_id')
    .select(['item.unique_id as id', 'change.code'])
    .select(
      sql<
        string | null
      >`concat_ws(' ', ${sql.join(NAMES[content].map((field) => sql`item.fields ->> ${field}`))})`.as('name'),
    )
    .execute()
  return rows.map(({ id, name, code }) => ({
    content,
    id,
    name,
    reason: `rejected:${code ?? 'unknown'}`,
    fault: null,
  }))
}

/** Joins the columns behind the naming fields of a record; null if they are not of the record's own table. */
function nameOf(transform: AnyTransform, content: Content) {
  const table = tableOf(transform, content)
  const columns = lineageOf(transform, content)
    .filter(({ field }) => NAMES[content].includes(field))
    .flatMap(({ from }) => from.filter(({ column }) => column.startsWith(`${table}.`)).slice(0, 1))
    .map(({ column }) => sql`nullif(${sql.ref(column.replace(table, 'record'))}::text, '')`)
  return columns.length === 0
    ? sql<string | null>`null::text`
    : sql<string | null>`nullif(concat_ws(' ', ${sql.join(columns)}), '')`
}
