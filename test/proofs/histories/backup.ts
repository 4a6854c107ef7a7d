import { sql } from 'kysely'
import type { Database } from '../../../sql/database.ts'
import type { Db } from '../../../sql/tables.ts'

/** The rows of an integration by table, each as JSON. */
export type Backup = ReadonlyMap<string, string>

/** Copies all rows that a database has of an integration. */
export async function backUp({ kysely }: Database, integrationId: string): Promise<Backup> {
  const rows = new Map<string, string>()
  for (const table of await tablesOf(kysely)) {
    const { rows: found } = await sql<{ rows: string }>`
      select coalesce(jsonb_agg(to_jsonb(one)), '[]')::text as rows
      from ${sql.table(table)} as one
      where integration_id = ${integrationId}`.execute(kysely)
    rows.set(table, found[0]?.rows ?? '[]')
  }
  return rows
}

/** Restores the rows that the database had of the integration at the time of the backup. */
export async function restore({ kysely }: Database, integrationId: string, backup: Backup): Promise<void> {
  await kysely.transaction().execute(async (transaction) => {
    for (const [table, rows] of backup) {
      const target = sql.table(table)
      await sql`delete from ${target} where integration_id = ${integrationId}`.execute(transaction)
      await sql`insert into ${target}
        select (jsonb_populate_recordset(null::${target}, ${rows}::jsonb)).*`.execute(transaction)
    }
  })
}

async function tablesOf(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select columns.table_schema || '.' || columns.table_name as name
    from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where column_name = 'integration_id'
    and table_type = 'BASE TABLE'
    and columns.table_schema in ('staging', 'sync')
    order by name`.execute(db)
  return rows.map(({ name }) => name)
}
