import { type RawBuilder, sql } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { tableOf } from '../../transforms/decide/lineage.ts'
import { addressIn, lacksOwnId, nameIn, ownIdColumn } from '../../transforms/decide/record-names.ts'
import { flatFields, nameOf } from '../../transforms/declare/field-values.ts'
import { asAny } from '../../transforms/declare/resource.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { currentAsOf } from '../../transforms/history/as-of.ts'
import { addressesIn } from '../../transforms/rules/personal-ids.ts'
import { findRun } from '../ledger/ledger.ts'
import { readPages } from '../ledger/pages.ts'

const PAGE = 1000

/** A record that a run left out or could not read, or an item that the platform rejected. */
export interface MissingRecord {
  readonly content: Content
  /** Id of the record at the source; null if the id could not be read. */
  readonly id: string | null
  /**
   * True if the source gave the person no id. If the source gave no id, `id` is a spelling of the e-mail
   * address.
   */
  readonly lacksOwnId: boolean
  /** The name in the record or item; null if no name exists or the name could not be read. */
  readonly name: string | null
  /**
   * Why the record or item is missing, for example `not_published`, `invalid_record` or
   * `rejected:DUPLICATE_EMAIL`.
   */
  readonly reason: string
  /**
   * JSON path and description of the fault that made the record unreadable; null if the record could be read.
   */
  readonly fault: string | null
  /** Position of the unreadable record in its resource, counted from 1; null if the record could be read. */
  readonly place: { readonly resource: string; readonly ordinal: number } | null
  /** E-mail address of the person; null if the person has no address, or if the address could not be read. */
  readonly address: string | null
}

/**
 * A run for which missing records are listed. The value `isNewest` is true if no later run has a plan, so
 * that the versions of this run are the current versions.
 */
export interface ReadRun extends RunKey {
  readonly isNewest: boolean
}

/**
 * Makes the SQL condition that a version was current at the end of a run. For the newest run, the condition
 * uses an index instead of a scan of the history.
 */
function isVersionOf({ runId, isNewest }: ReadRun, alias: string): RawBuilder<boolean> {
  return isNewest ? sql`${sql.ref(`${alias}.valid_to_run`)} is null` : currentAsOf(alias, runId)
}

/**
 * Finds the records that a run left out of a content, page by page. Excluded records come first, then
 * repeated and unreadable records.
 *
 * @param resource the resource whose repeated and unreadable records the function also returns; null if the
 *   function has already returned them for another content
 */
export async function* findLeftOut(
  db: Db,
  transform: AnyTransform,
  run: ReadRun,
  content: Content,
  resource: string | null,
): AsyncGenerator<readonly MissingRecord[]> {
  const excluded = (after: string) =>
    db
      .selectFrom('sync.decisions as decision')
      .leftJoin(`${asAny(tableOf(transform, content))} as record`, (join) =>
        join
          .onRef('record.integration_id', '=', 'decision.integration_id')
          .onRef('record.source_id', '=', 'decision.source_id')
          .on(isVersionOf(run, 'record')),
      )
      .where(({ and }) => and({ 'decision.integration_id': run.integrationId, 'decision.content': content }))
      .where(isVersionOf(run, 'decision'))
      .where('decision.decision', '=', 'excluded')
      .where('decision.source_id', '>', after)
      .orderBy('decision.source_id')
      .limit(PAGE)
      .select(['decision.source_id as id', 'decision.reason'])
      .select([nameIn(transform, content).as('name'), lacksOwnId(transform, content).as('lacks_own_id')])
      .select(addressIn(transform, content).as('address'))
      .execute()
  for await (const page of readPages('', PAGE, excluded, ({ id }) => id))
    yield page.map(({ lacks_own_id: isWithout, ...row }) => ({
      ...row,
      content,
      lacksOwnId: isWithout,
      fault: null,
      place: null,
    }))
  if (resource === null) return
  const unread = (after: string) =>
    db
      .selectFrom('sync.unstaged')
      .$call(ofRun(run))
      .where('resource', '=', resource)
      .where('ordinal', '>', after)
      .orderBy('ordinal')
      .limit(PAGE)
      .select(['source_id', 'id', 'reason', 'path', 'detail', 'ordinal'])
      .execute()
  for await (const page of readPages('0', PAGE, unread, ({ ordinal }) => String(ordinal)))
    yield page.map(({ source_id: sourceId, id, reason, path, detail, ordinal }) => ({
      content,
      id: sourceId,
      lacksOwnId: ownIdColumn(transform, content) !== null && id === null,
      name: null,
      reason,
      fault: reason === 'invalid_record' ? `${path}: ${detail}` : null,
      place: reason === 'invalid_record' ? { resource, ordinal: Number(ordinal) } : null,
      address: null,
    }))
}

/**
 * Finds the items of a content that the platform rejected in the last finished run, if the platform still
 * lacks the item or has other fields for it. Every run sends rejected items again, so only the rejections by
 * the platform in the last run are current.
 *
 * @param run the run whose desired items are compared with the platform's items
 */
export async function findRejected(
  db: Db,
  run: ReadRun,
  content: Content,
): Promise<readonly MissingRecord[]> {
  const { integrationId } = run
  const lastSent = await findRun(db, { integrationId, statuses: ['finished'] })
  if (lastSent === undefined) return []
  const rows = await db
    .selectFrom('sync.changes as change')
    .innerJoin('sync.desired_items as item', (join) =>
      join
        .onRef('item.integration_id', '=', 'change.integration_id')
        .onRef('item.content', '=', 'change.content')
        .onRef('item.unique_id', '=', 'change.unique_id')
        .on(isVersionOf(run, 'item')),
    )
    .leftJoin('sync.platform_items as known', (join) =>
      join
        .onRef('known.integration_id', '=', 'item.integration_id')
        .onRef('known.content', '=', 'item.content')
        .onRef('known.unique_id', '=', 'item.unique_id'),
    )
    .where(({ and }) => and({ 'change.integration_id': integrationId, 'change.content': content }))
    .where('change.run_id', '=', lastSent.run_id)
    .where('change.state', '=', 'failed')
    .where((eb) => eb('known.fields', 'is distinct from', eb.ref('item.fields')))
    .orderBy('item.unique_id')
    .select(['item.unique_id as id', 'item.fields', 'change.code'])
    .execute()
  return rows.map(({ id, fields, code }) => ({
    content,
    id,
    lacksOwnId: false,
    name: nameOf(content, flatFields(fields)),
    reason: `rejected:${code ?? 'unknown'}`,
    fault: null,
    place: null,
    address: addressesIn(fields)[0] ?? null,
  }))
}
