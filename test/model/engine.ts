import { PGlite } from '@electric-sql/pglite'
import { migrate } from '../../pipeline/database/migrate.ts'
import { fromPGlite } from '../../pipeline/database/pglite.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import type { Database } from '../../sql/database.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'

export interface Engine {
  readonly database: Database
  close(): Promise<void>
}

/** A new database of its own for many trials. */
export async function startEngine(name: 'pglite' | 'postgres'): Promise<Engine> {
  if (name === 'pglite') {
    const database = fromPGlite(await PGlite.create(), null)
    await migrate(database)
    return { database, close: () => database.close() }
  }
  const server = await startPostgres()
  const database = openPostgres(await createDatabase(server.url))
  const opened = await database
  await migrate(opened)
  return {
    database: opened,
    async close() {
      await opened.close()
      await server.stop()
    },
  }
}
