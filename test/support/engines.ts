import { openAsBlob } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { inject } from 'vitest'
import { migrate } from '../../pipeline/database/migrate.ts'
import { fromPGlite } from '../../pipeline/database/pglite.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import type { Database } from '../../sql/database.ts'
import { createDatabase } from './postgres.ts'

/** Both engines: `describe.each(engines)('… on %s', (engine) => …)`. */
export const engines = ['pglite', 'postgres'] as const
export type Engine = (typeof engines)[number]

/** Opens a new database of its own, with the product's schema; close it when the test is done. */
export async function openEngine(engine: Engine): Promise<Database> {
  const database = await openEmptyEngine(engine)
  await migrate(database)
  return database
}

/** Opens a new database without anything in it. */
export async function openEmptyEngine(engine: Engine): Promise<Database> {
  if (engine === 'postgres') return openPostgres(await createDatabase(inject('postgresUrl')))
  return fromPGlite(await PGlite.create({ loadDataDir: await openAsBlob(inject('pgliteTemplate')) }), null)
}
