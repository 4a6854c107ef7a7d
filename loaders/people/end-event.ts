import { sql } from 'kysely'
import type { Database } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import type { SourceEvent } from '../ledger/binding.ts'
import { IMPORTED, shareForgotten } from './forgotten.ts'
import { ROWS_AT_ONCE } from './purge.ts'

/**
 * Finds all tables of the database that contain rows of integrations. `sync.integrations` is the last table,
 * so that an integration is known until all its other rows are deleted.
 */
export async function findTablesOf(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_schema || '.' || table_name as name
    from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where column_name = 'integration_id' and table_schema in ('staging', 'sync') and table_type = 'BASE TABLE'
    order by table_name = 'integrations', name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Counts the rows of an integration in each table; tables without rows of the integration are left out. */
export async function countRowsOf(db: Db, integrationId: string, tables: readonly string[]) {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await sql<{ count: string }>`
      select count(*) as count from ${sql.table(table)} where integration_id = ${integrationId}`.execute(db)
    const count = Number(rows[0]?.count ?? 0)
    if (count > 0) counts[table] = count
  }
  return counts
}

export async function deleteRowsOf(
  inTransaction: Database['transaction'],
  integrationId: string,
  table: string,
  onDeleted: () => void,
): Promise<void> {
  while (true) {
    const { numAffectedRows = 0n } = await inTransaction((transaction) =>
      sql`
        delete from ${sql.table(table)}
        where ctid = any (array(
          select ctid from ${sql.table(table)} where integration_id = ${integrationId} limit ${sql.lit(ROWS_AT_ONCE)}
        ))`.execute(transaction),
    )
    onDeleted()
    if (numAffectedRows < ROWS_AT_ONCE) return
  }
}

/**
 * Keeps the forgotten people and suppressed items of an integration out of its source event, for all other
 * integrations that read the event.
 */
export async function keepForOthers(
  transaction: Db,
  integrationId: string,
  event: SourceEvent,
  by: { readonly user: string; readonly at: string },
): Promise<void> {
  await shareForgotten(transaction, integrationId, event, by)
  await sql`
    insert into sync.suppressed (
      integration_id, content, unique_id, suppressed_at, suppressed_by, source, source_place, source_event_id, reason
    )
    select ${IMPORTED}, content, unique_id, suppressed_at, suppressed_by, source, source_place, source_event_id, reason
    from sync.suppressed where integration_id = ${integrationId}
    on conflict do nothing`.execute(transaction)
}
