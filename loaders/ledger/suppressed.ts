import { expressionBuilder, sql } from 'kysely'
import type { Content, Db, Tables } from '../../sql/tables.ts'
import { isOneOfAddresses } from '../../transforms/rules/one-of-addresses.ts'
import type { SourceBinding, SourceEvent } from './binding.ts'
import { makePlansStale } from './stored-plan.ts'

export interface SuppressedItem {
  readonly content: Content
  readonly uniqueId: string
}

export interface SuppressionEntry extends SuppressedItem {
  readonly since: string
  readonly by: string
  readonly reason?: string | null | undefined
}

const OF_EVENT = ['source', 'source_place', 'source_event_id'] as const

/**
 * Leaves an item of a source event out of the sync, for all integrations that read the event.
 *
 * @returns false if the item was already left out
 */
export async function suppress(db: Db, { integrationId, event }: SourceBinding, item: SuppressionEntry) {
  const row = { ...event, content: item.content, unique_id: item.uniqueId }
  const known = await db
    .selectFrom('sync.suppressed')
    .where(({ and }) => and(row))
    .limit(1)
    .select('unique_id')
    .executeTakeFirst()
  if (known !== undefined) return false
  await db
    .insertInto('sync.suppressed')
    .values({
      ...row,
      integration_id: integrationId,
      suppressed_at: item.since,
      suppressed_by: item.by,
      reason: item.reason ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  // A stored plan may create the item.
  await makePlansStale(db, integrationId)
  return true
}

/**
 * Ends the suppression of an item of a source event, so that the item is synced again. @returns false if the
 * item was not suppressed
 */
export async function unsuppress(db: Db, event: SourceEvent, { content, uniqueId }: SuppressedItem) {
  const { numDeletedRows } = await db
    .deleteFrom('sync.suppressed')
    .where(({ and }) => and({ ...event, content, unique_id: uniqueId }))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/**
 * Returns the items that a user has left out of the sync. If several integrations left out an item, the list
 * has the item once.
 *
 * @param of a source event; if left out, the items of all source events are returned
 */
export async function findSuppressed(db: Db, of?: SourceEvent) {
  const rows = await db
    .selectFrom('sync.suppressed')
    .where(({ and }) => and({ ...of }))
    .distinctOn([...OF_EVENT, 'content', 'unique_id'])
    .orderBy('source')
    .orderBy('source_place')
    .orderBy('source_event_id')
    .orderBy('content')
    .orderBy('unique_id')
    .orderBy('suppressed_at')
    .select([...OF_EVENT, 'content', 'unique_id', 'suppressed_at', 'suppressed_by', 'reason'])
    .execute()
  return rows.map(({ source, source_place, source_event_id, ...row }) => ({
    event: { source, source_place, source_event_id },
    content: row.content,
    uniqueId: row.unique_id,
    since: row.suppressed_at.toISOString(),
    by: row.suppressed_by,
    reason: row.reason,
  }))
}

/**
 * Returns how often the suppression file of an integration has changed, according to the database. The
 * suppression file is next to the integration's packs. The suppression file lists the people and items that
 * must stay out of the sync.
 */
export async function findRevision(db: Db, integrationId: string): Promise<number> {
  const row = await db
    .selectFrom('sync.suppression_files')
    .where('integration_id', '=', integrationId)
    .select('revision')
    .executeTakeFirst()
  return Number(row?.revision ?? 0)
}

export async function setRevision(transaction: Db, integrationId: string, revision: number): Promise<void> {
  await transaction
    .insertInto('sync.suppression_files')
    .values({ integration_id: integrationId, revision: String(revision) })
    .onConflict((conflict) => conflict.column('integration_id').doUpdateSet({ revision: String(revision) }))
    .execute()
}

/**
 * Leaves the suppressed items of the former source event out of the new source event too. @returns the number
 * of items
 */
export async function carryOverSuppressed(
  transaction: Db,
  { integrationId, event }: SourceBinding,
  former: SourceEvent,
): Promise<number> {
  const items = await findSuppressed(transaction, former)
  for (const { event: _, ...item } of items) await suppress(transaction, { integrationId, event }, item)
  return items.length
}

/**
 * Returns the unique IDs of people whom a user left out by hand. The function searches for the given ids and
 * the given addresses, because an address may be used as an id.
 */
export async function findSuppressedPeople(
  db: Db,
  sourceBinding: SourceBinding,
  ids: readonly string[],
  addresses: readonly string[],
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('sync.suppressed')
    .where(isOfPeople(sourceBinding, ids, addresses))
    .distinct()
    .select('unique_id')
    .execute()
  return rows.map(({ unique_id }) => unique_id)
}

/**
 * Deletes the suppressions that keep the given people out of the sync. @returns the number of deleted rows
 */
export async function eraseSuppressed(
  transaction: Db,
  sourceBinding: SourceBinding,
  ids: readonly string[],
  addresses: readonly string[],
): Promise<bigint> {
  const { numDeletedRows } = await transaction
    .deleteFrom('sync.suppressed')
    .where(isOfPeople(sourceBinding, ids, addresses))
    .executeTakeFirstOrThrow()
  return numDeletedRows
}

/**
 * Selects the suppressions of people in the current source event, and the suppressions that this integration
 * made in former source events.
 */
function isOfPeople(
  { integrationId, event }: SourceBinding,
  ids: readonly string[],
  addresses: readonly string[],
) {
  const eb = expressionBuilder<Tables, 'sync.suppressed'>()
  const isOneOf = eb.or([
    ...(ids.length === 0 ? [] : [eb('unique_id', 'in', [...ids])]),
    ...(addresses.length === 0 ? [] : [isOneOfAddresses(eb.ref('unique_id'), addresses)]),
  ])
  const isRead = eb.or([eb('integration_id', '=', integrationId), eb.and({ ...event })])
  return eb.and([eb('content', '<>', 'agenda'), isRead, isOneOf])
}

/** Finds which of the given integrations have a suppression file next to their packs. One query for all. */
export async function findSuppressing(db: Db, integrationIds: readonly string[]): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('sync.suppression_files')
    .where('integration_id', '=', sql<string>`any(${[...integrationIds]}::text[])`)
    .select('integration_id')
    .execute()
  return rows.map(({ integration_id }) => integration_id)
}
