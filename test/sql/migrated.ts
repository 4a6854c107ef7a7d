import { PGlite } from '@electric-sql/pglite'
import { migrate } from '../../pipeline/database/migrate.ts'
import { fromPGlite } from '../../pipeline/database/pglite.ts'
import type { Database } from '../../sql/database.ts'

/** Runs work on a new embedded database that has only the product's schema. */
export async function onMigrated<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = fromPGlite(await PGlite.create())
  try {
    await migrate(database)
    return await work(database)
  } finally {
    await database.close()
  }
}
