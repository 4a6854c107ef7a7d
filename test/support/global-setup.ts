import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../pipeline/database/migrate.ts'
import { fromPGlite } from '../../pipeline/database/pglite.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import { createDatabase, startPostgres } from './postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of a PostgreSQL server on which tests may create databases. */
    readonly postgresUrl: string
    /** URL of a database on that server with the product's schema, from which tests make copies. */
    readonly postgresTemplate: string
    /** File with a new embedded database. Loading the file is much faster than creating a database. */
    readonly emptyPGlite: string
    /** File with an embedded database that has the product's schema. */
    readonly pgliteTemplate: string
  }
}

/** Starts one PostgreSQL server for all test files, and makes the databases that the tests copy. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-test-'))
  const [server, embedded] = await Promise.all([startPostgres(), makeEmbedded(folder)])
  const template = await createDatabase(server.url)
  const database = await openPostgres(template)
  await migrate(database)
  await database.close()
  project.provide('postgresUrl', server.url)
  project.provide('postgresTemplate', template)
  project.provide('emptyPGlite', embedded.empty)
  project.provide('pgliteTemplate', embedded.migrated)
  return async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeEmbedded(folder: string): Promise<{ readonly empty: string; readonly migrated: string }> {
  const pglite = await PGlite.create()
  const dump = async (name: string) => {
    const path = join(folder, name)
    writeFileSync(path, Buffer.from(await (await pglite.dumpDataDir('none')).arrayBuffer()))
    return path
  }
  const empty = await dump('empty.tar')
  const database = fromPGlite(pglite)
  await migrate(database)
  const migrated = await dump('migrated.tar')
  await database.close()
  return { empty, migrated }
}
