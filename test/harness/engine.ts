import { PGlite } from '@electric-sql/pglite'
import { migrate } from '../../pipeline/database/migrate.ts'
import { fromPGlite } from '../../pipeline/database/pglite.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import type { AnySourceType } from '../../pipeline/sources/contract/source-type.ts'
import type { Database } from '../../sql/database.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'

export interface Engine {
  readonly database: Database
  close(): Promise<void>
}

/**
 * Opens a new database of its own for proofs that run outside vitest. Vitest's tests use `support/engines.ts`
 * instead.
 *
 * @param outside sources besides A and B for whose records the database has tables
 */
export async function startEngine(
  name: 'pglite' | 'postgres',
  outside: readonly AnySourceType[] = [],
): Promise<Engine> {
  if (name === 'pglite') {
    const database = fromPGlite(await PGlite.create())
    await migrate(database, outside)
    return { database, close: () => database.close() }
  }
  const server = await startPostgres()
  const database = await openPostgres(await createDatabase(server.url))
  await migrate(database, outside)
  return {
    database,
    async close() {
      await database.close()
      await server.stop()
    },
  }
}
