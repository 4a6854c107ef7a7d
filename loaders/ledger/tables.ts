import { sql } from 'kysely'
import type { Db } from '../../sql/tables.ts'

/**
 * Finds all tables with rows of integrations in the database. `sync.integrations` comes last, so that an
 * integration is known until all its other rows are deleted.
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

/** Counts the rows of an integration by table; tables without any are left out. */
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
