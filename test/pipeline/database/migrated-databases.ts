import { sql } from 'kysely'
import { afterEach } from 'vitest'
import type { Database } from '../../../sql/database.ts'

/** Closes the databases in the returned list at the end of each test. */
export function useOpenDatabases(): Database[] {
  const open: Database[] = []
  afterEach(async () => {
    for (const database of open.splice(0)) await database.close()
  })
  return open
}

/** Returns the names of all tables, views and schemas. */
export async function objectsOf(database: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select nspname || coalesce('.' || relname, '') as name
    from pg_namespace left join pg_class on relnamespace = pg_namespace.oid
    where nspname not like 'pg\\_%' and nspname <> 'information_schema' order by 1`.execute(database.kysely)
  return rows.map(({ name }) => name)
}
