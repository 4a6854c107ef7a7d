import { openAsBlob } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { inject } from 'vitest'
import { fromPGlite } from '../../pipeline/database/pglite.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import type { Database } from '../../sql/database.ts'
import { copyDatabase, createDatabase } from './postgres.ts'

export type Engine = 'pglite' | 'postgres'

/**
 * The engines PostgreSQL and PGlite, for tests that always run on both. A test runs on both engines if its
 * behaviour has differed between the engines, or is promised for both.
 */
export const bothEngines: readonly Engine[] = ['pglite', 'postgres']

/**
 * The engines of this test run, for `describe.each(engines)('… on %s', (engine) => …)`. The default is
 * PostgreSQL; the environment variable TEST_ENGINE can be `pglite` or `both`.
 */
export const engines: readonly Engine[] = enginesOf(process.env.TEST_ENGINE ?? 'postgres')

function enginesOf(name: string): readonly Engine[] {
  if (name === 'both') return bothEngines
  if (name === 'pglite' || name === 'postgres') return [name]
  throw new Error(`TEST_ENGINE is pglite, postgres or both, not ${name}`)
}

/** Connections of a test, which may have several transactions at the same time. */
const SEATS = { queries: 8, copies: 4 }

/** Opens a new database with the product's schema. The caller must close the database. */
export async function openEngine(engine: Engine): Promise<Database> {
  if (engine === 'postgres')
    return openPostgres(await copyDatabase(inject('postgresUrl'), inject('postgresTemplate')), {
      seats: SEATS,
    })
  return openCopy(inject('pgliteTemplate'))
}

/** Opens a new empty database. */
export async function openEmptyEngine(engine: Engine): Promise<Database> {
  if (engine === 'postgres')
    return openPostgres(await createDatabase(inject('postgresUrl')), { seats: SEATS })
  return openCopy(inject('emptyPGlite'))
}

async function openCopy(template: string): Promise<Database> {
  return fromPGlite(await PGlite.create({ loadDataDir: await openAsBlob(template) }))
}
