import type { Db } from '../../sql/tables.ts'
import type { StagingTables } from '../../transforms/resources/staging-tables.ts'

/** Every resource with a table in `staging`, whether or not the configuration names its source; a lookup has no contents. */
export async function findKnownResources(db: Db) {
  const rows = await db.selectFrom('migration.resources').orderBy('table_name').selectAll().execute()
  return rows.map(({ table_name, source, resource, contents }) => {
    return { table: `staging.${table_name}` as keyof StagingTables, source, resource, contents }
  })
}
