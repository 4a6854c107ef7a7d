import { openAsBlob } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { inject } from 'vitest'
import { fromPGlite } from '../../pipeline/database/pglite.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import type { Database } from '../../sql/database.ts'
import { copyDatabase, createDatabase } from './postgres.ts'

export type Engine = 'pglite' | 'postgres'

/** Both engines, no matter what this run uses: for what has differed between them, and for what they promise alike. */
export const bothEngines: readonly Engine[] = ['pglite', 'postgres']

/**
 * The engines of this run, `describe.each(engines)('… on %s', (engine) => …)`: PostgreSQL, or what TEST_ENGINE says, `pglite`
 * or `both`.
 */
export const engines: readonly Engine[] = enginesOf(process.env.TEST_ENGINE ?? 'postgres')

function enginesOf(name: string): readonly Engine[] {
  if (name === 'both') return bothEngines
  if (name === 'pglite' || name === 'postgres') return [name]
  throw new Error(`TEST_ENGINE is pglite, postgres or both, not ${name}`)
}

/** Opens its own new database, with the product's schema; close it when the test is done. */
export async function openEngine(engine: Engine): Promise<Database> {
  if (engine === 'postgres')
    return openPostgres(await copyDatabase(inject('postgresUrl'), inject('postgresTemplate')))
  return openCopy(inject('pgliteTemplate'))
}

/** Opens a new database without anything in it. */
export async function openEmptyEngine(engine: Engine): Promise<Database> {
  if (engine === 'postgres') return openPostgres(await createDatabase(inject('postgresUrl')))
  return openCopy(inject('emptyPGlite'))
}

async function openCopy(template: string): Promise<Database> {
  return fromPGlite(await PGlite.create({ loadDataDir: await openAsBlob(template) }))
}
