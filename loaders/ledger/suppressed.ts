import { expressionBuilder } from 'kysely'
import type { Content, Db, Tables } from '../../sql/tables.ts'

export interface SuppressedItem {
  readonly content: Content
  readonly uniqueId: string
}

export interface Suppression extends SuppressedItem {
  readonly since: string
  readonly by: string
}

/** @returns false where it was left out already */
export async function suppress(db: Db, integrationId: string, { content, uniqueId, since, by }: Suppression) {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('sync.suppressed')
    .values({
      integration_id: integrationId,
      content,
      unique_id: uniqueId,
      suppressed_at: since,
      suppressed_by: by,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

/** @returns false where it was not left out */
export async function unsuppress(db: Db, integrationId: string, { content, uniqueId }: SuppressedItem) {
  const { numDeletedRows } = await db
    .deleteFrom('sync.suppressed')
    .where(({ and }) => and({ integration_id: integrationId, content, unique_id: uniqueId }))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function findSuppressed(db: Db, integrationId: string): Promise<readonly Suppression[]> {
  const rows = await db
    .selectFrom('sync.suppressed')
    .where('integration_id', '=', integrationId)
    .orderBy('content')
    .orderBy('unique_id')
    .select(['content', 'unique_id as uniqueId', 'suppressed_at as since', 'suppressed_by as by'])
    .execute()
  return rows.map((row) => ({ ...row, since: row.since.toISOString() }))
}

/** People who are left out by hand under one of these ids, or under an address in place of an id. */
export async function findSuppressedPeople(
  db: Db,
  integrationId: string,
  ids: readonly string[],
  addresses: readonly string[],
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('sync.suppressed')
    .where('integration_id', '=', integrationId)
    .where(isOfPeople(ids, addresses))
    .distinct()
    .select('unique_id')
    .execute()
  return rows.map(({ unique_id }) => unique_id)
}

/** @returns how many there were */
export async function eraseSuppressed(
  transaction: Db,
  integrationId: string,
  ids: readonly string[],
  addresses: readonly string[],
): Promise<bigint> {
  const { numDeletedRows } = await transaction
    .deleteFrom('sync.suppressed')
    .where('integration_id', '=', integrationId)
    .where(isOfPeople(ids, addresses))
    .executeTakeFirstOrThrow()
  return numDeletedRows
}

function isOfPeople(ids: readonly string[], addresses: readonly string[]) {
  const eb = expressionBuilder<Tables, 'sync.suppressed'>()
  const isOneOf = eb.or([
    ...(ids.length === 0 ? [] : [eb('unique_id', 'in', [...ids])]),
    ...(addresses.length === 0 ? [] : [eb(eb.fn<string>('lower', ['unique_id']), 'in', [...addresses])]),
  ])
  return eb.and([eb('content', '<>', 'agenda'), isOneOf])
}
