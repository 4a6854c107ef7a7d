import { isDeepStrictEqual } from 'node:util'
import type { Selectable } from 'kysely'
import { ofRun } from '../../../sql/conditions.ts'
import type { Action, Content, Db, Fields, FieldValue, RunKey, Tables } from '../../../sql/tables.ts'
import { type FlatFields, flatFields, isSameValue, nameOf } from '../../../transforms/declare/field-values.ts'
import { currentAsOf } from '../../../transforms/history/as-of.ts'
import type { Figure } from '../../../transforms/reconciliation/reconcile.ts'
import { findZone, localTime } from '../../../transforms/rules/zones.ts'
import type { PackedRun } from '../../ledger/ledger.ts'
import { readPages } from '../../ledger/pages.ts'
import { fieldCell, MASKED, type Mask } from './csv.ts'

/** The database, run and settings from which the rows of the CSV files are read. */
export interface PackSource {
  readonly db: Db
  readonly run: RunKey
  /** The contents that the run synced, each with the resource of its records. */
  readonly resourceOf: ReadonlyMap<Content, string>
  readonly mask: Mask
  /** Time zone of the event, for sessions without a time zone; null if no zone is known. */
  readonly timeZone: string | null
}

const PAGE = 1000

export type Item = Awaited<ReturnType<typeof itemsAfter>>[number]

/** Reads the items that the platform should have after the run, sorted by unique ID. */
export function itemRows(db: Db, run: RunKey, content: Content) {
  const read = (after: string) => itemsAfter(db, run, content, after)
  return readPages('', PAGE, read, ({ uniqueId }) => uniqueId)
}

async function itemsAfter(db: Db, run: RunKey, content: Content, after: string) {
  const items = await db
    .selectFrom('sync.desired_items as item')
    .where(({ and }) => and({ 'item.integration_id': run.integrationId, 'item.content': content }))
    .where('item.unique_id', '>', after)
    .where(currentAsOf('item', run.runId))
    .orderBy('item.unique_id')
    .limit(PAGE)
    .select(['item.unique_id', 'item.fields'])
    .execute()
  const last = items.at(-1)?.unique_id ?? after
  const actions = await upsertsBetween(db, run, content, after, last)
  return items.map(({ unique_id: uniqueId, fields }) => ({
    uniqueId,
    fields: flatFields(fields),
    action: actions.get(uniqueId) ?? 'unchanged',
  }))
}

/** An agenda item with its times on the clocks of its zone. */
export interface AgendaItem extends Item {
  readonly localStart: string | null
  readonly localEnd: string | null
  /** Zone of the session or, if the session names none, of the event; null if no zone is known. */
  readonly zone: string | null
}

/** Reads the agenda items that the platform should have after the run, sorted by unique ID. */
export async function* agendaRows({ db, run, timeZone }: PackSource) {
  for await (const page of itemRows(db, run, 'agenda')) {
    const zones = await ownZones(db, run, page)
    yield page.map((item) => inLocalTime(item, zones.get(item.uniqueId) ?? timeZone))
  }
}

/** Returns the time zones of those sessions of a page that have one, by unique ID. */
async function ownZones(db: Db, { integrationId, runId }: RunKey, page: readonly Item[]) {
  const [first, last] = [page[0], page.at(-1)]
  if (first === undefined || last === undefined) return new Map<string, string | null>()
  const rows = await db
    .selectFrom('staging.b_sessions as session')
    .where('session.integration_id', '=', integrationId)
    .where('session.source_id', '>=', first.uniqueId)
    .where('session.source_id', '<=', last.uniqueId)
    .where(currentAsOf('session', runId))
    .select(['session.source_id', 'session.time_zone'])
    .execute()
  return new Map(rows.map(({ source_id, time_zone }) => [source_id, time_zone]))
}

function inLocalTime(item: Item, zoneName: string | null): AgendaItem {
  const zone = zoneName === null ? null : (findZone(zoneName)?.name ?? null)
  const at = (field: string) => {
    const instant = item.fields[field]
    return zone === null || typeof instant !== 'string' ? null : localTime(instant, zone)
  }
  return { ...item, localStart: at('startTime'), localEnd: at('endTime'), zone }
}

/** Short rows have a larger page, because the server parses and plans the query of each page. */
export const SHORT_ROWS_PAGE = 5000

/**
 * Reads the result of each planned operation, in the order of the plan. Operations that were withheld are
 * included.
 */
export function loadResultRows({ db, run }: PackSource) {
  const read = (after: string) =>
    db
      .selectFrom('sync.changes')
      .$call(ofRun(run))
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(SHORT_ROWS_PAGE)
      .select(['seq', 'content', 'unique_id', 'action', 'state', 'result', 'code', 'retryable', 'reason'])
      .execute()
  return readPages('0', SHORT_ROWS_PAGE, read, ({ seq }) => String(seq))
}

/** Returns in words what follows from the result of a change; null if nothing follows. */
export function detailOf(change: {
  readonly action: Action
  readonly state: string
  readonly code: string | null
  readonly retryable: boolean | null
}): string | null {
  if (change.state === 'withheld') return 'left out of this run'
  if (change.state === 'failed')
    return change.retryable === true
      ? 'may succeed later; planned again by the next run'
      : 'planned again by the next run'
  if (change.action === 'handover')
    return 'the registration changed hands: the item of the person before was removed first'
  return change.code === 'read_back' ? 'the answer was not clear; read back from the platform' : null
}

function changesOf(db: Db, run: RunKey, content: Content) {
  return db
    .selectFrom('sync.changes')
    .$call(ofRun(run))
    .where('content', '=', content)
    .select(['unique_id', 'action'])
}

/**
 * Returns the planned actions for the desired items of one page, as a map from unique ID to action. An
 * unchanged item has no planned action.
 *
 * The actions come from a separate query over the page's range of unique IDs. If the items were joined with
 * the changes, PostgreSQL might read all changes for each page.
 */
async function upsertsBetween(db: Db, run: RunKey, content: Content, after: string, last: string) {
  const rows = await changesOf(db, run, content)
    .where('unique_id', '>', after)
    .where('unique_id', '<=', last)
    // Removals are not needed here, because no desired item is removed. The range of IDs may contain any
    // number of removals, so reading them could be slow.
    .where('action', '<>', 'remove')
    .execute()
  return new Map(rows.map(({ unique_id, action }) => [unique_id, action]))
}

/**
 * Returns the planned actions for some items, as a map from unique ID to action; withheld actions are left
 * out.
 *
 * @param uniqueIds IDs of one page. The query also limits the range of unique IDs, because PostgreSQL 15 may
 *   read all changes if it gets only a long list
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

const CHANGES_PAGE = 500

/** An item that a run changes, together with the names of its changed fields in byte order. */
export interface ChangedItem {
  readonly content: Content
  readonly uniqueId: string
  readonly action: Action
  /** Why the plan removes the item; empty for other actions. */
  readonly reason: string
  /** Name of the item; empty if the item has no name, null if the name is masked. */
  readonly label: string | null
  readonly fields: readonly ChangedField[]
}

export interface ChangedField {
  readonly name: string
  /** The field's value before the run; null if the field had no value. */
  readonly before: string | null
  readonly after: string | null
}

/**
 * Reads every field that the run changes. For a created or removed item, every field of the item counts as
 * changed.
 */
export async function* changeRows({ db, run, resourceOf, mask }: PackSource) {
  for (const content of [...resourceOf.keys()].sort())
    for await (const page of changedItems(db, run, content, mask))
      yield page.flatMap(({ fields, ...item }) => fields.map((field) => ({ ...item, ...field })))
}

/** Reads the items of a content that a run changes, page by page, sorted by unique ID. */
export async function* changedItems(db: Db, run: RunKey, content: Content, mask: Mask) {
  for await (const page of storedChanges(db, run, content))
    yield page.map((change) => toChangedItem(content, change, mask))
}

export type StoredChange = Pick<
  Selectable<Tables['sync.changes']>,
  'unique_id' | 'action' | 'reason' | 'before' | 'after'
>

/**
 * Reads the changes of a content as they are stored, page by page, sorted by unique ID.
 *
 * @param isRemoval true reads only removals, false reads only other changes; if left out, all changes are
 *   read
 */
export function storedChanges(
  db: Db,
  run: RunKey,
  content: Content,
  isRemoval?: boolean,
): AsyncGenerator<readonly StoredChange[]> {
  const read = (after: string) =>
    db
      .selectFrom('sync.changes')
      .$call(ofRun(run))
      .where('content', '=', content)
      .where('state', '<>', 'withheld')
      .$if(isRemoval !== undefined, (query) => query.where('action', isRemoval ? '=' : '<>', 'remove'))
      .where('unique_id', '>', after)
      .orderBy('unique_id')
      .limit(CHANGES_PAGE)
      .select(['unique_id', 'action', 'reason', 'before', 'after'])
      .execute()
  return readPages('', CHANGES_PAGE, read, ({ unique_id }) => unique_id)
}

export function toChangedItem(
  content: Content,
  { unique_id, action, reason, before, after }: StoredChange,
  mask: Mask,
): ChangedItem {
  const [was, is] = [flatFields(before ?? {}), flatFields(after ?? {})]
  return {
    content,
    uniqueId: mask.id(unique_id),
    action,
    reason,
    label: labelOf(content, after ?? before ?? {}, mask),
    fields: changesBetween(was, is, (name, value) => fieldCell(mask.field(content, name, value))),
  }
}

/** Returns the name of an item; empty if the item has no name, null if the name is masked. */
export function labelOf(content: Content, fields: Fields, mask: Mask): string | null {
  const flat = flatFields(fields)
  const shown = nameOf(content, flat, (name, value) => {
    const text = fieldCell(mask.field(content, name, value)) ?? ''
    return text === MASKED ? '' : text
  })
  return shown === '' && nameOf(content, flat) !== '' ? null : shown
}

function changesBetween(
  before: FlatFields,
  after: FlatFields,
  cellOf: (name: string, value: FieldValue | undefined) => string | null,
): readonly ChangedField[] {
  return changedFields(before, after).map((name) => ({
    name,
    before: cellOf(name, before[name]),
    after: cellOf(name, after[name]),
  }))
}

/** Returns the names of the fields in which two items differ, in byte order of the names. */
export function changedFields(before: FlatFields, after: FlatFields): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isSameValue(before[name], after[name])).sort()
}

/**
 * Stores the figures (the counts of the reconciliation) of a run. The figures cannot be computed later,
 * because the platform reports only its current items. If the last run with a pack had the same figures,
 * nothing is stored. Skipping equal figures saves about sixty rows in a run that writes little else.
 *
 * @returns for column `sync.runs.figures_of`: the earlier run whose stored figures are the same; null if the
 *   figures were stored for this run
 */
export async function storeFigures(
  db: Db,
  { integrationId, runId }: RunKey,
  figures: readonly Figure[],
  lastPacked: PackedRun | undefined,
): Promise<string | null> {
  if (figures.length === 0) return null
  if (lastPacked !== undefined) {
    const known = await findFigures(db, { integrationId, runId: lastPacked.run_id })
    if (isDeepStrictEqual(known, figures)) return lastPacked.figures_of
  }
  await db
    .insertInto('sync.reconciliation')
    .values(
      figures.map((figure, at) => ({
        integration_id: integrationId,
        run_id: runId,
        place: at + 1,
        ...figure,
      })),
    )
    .execute()
  return null
}

/** Reads the stored figures of a run. The list is empty if the run has not been reconciled yet. */
export async function findFigures(db: Db, run: RunKey): Promise<readonly Figure[]> {
  const rows = await db
    .selectFrom('sync.reconciliation')
    .where('integration_id', '=', run.integrationId)
    .where(({ eb, fn, selectFrom, val }) => {
      const another = selectFrom('sync.runs').$call(ofRun(run)).select('figures_of')
      return eb('run_id', '=', fn.coalesce(another, val(run.runId)))
    })
    .orderBy('place')
    .select(['content', 'resource', 'measure', 'count', 'expected'])
    .execute()
  return rows.map(({ count, expected, ...row }) => ({
    ...row,
    count: BigInt(count),
    expected: expected === null ? null : BigInt(expected),
  }))
}
