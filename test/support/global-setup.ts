import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of a PostgreSQL server on which tests may create databases. */
    readonly postgresUrl: string
    /** A new embedded database as a file, since loading one is much faster than making one. */
    readonly pgliteTemplate: string
  }
}

/** Starts one PostgreSQL server for all test files and makes one embedded database that each can copy. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-test-'))
  const template = join(folder, 'pglite.tar')
  const pglite = await PGlite.create()
  const data = await pglite.dumpDataDir('none')
  writeFileSync(template, Buffer.from(await data.arrayBuffer()))
  await pglite.close()
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  project.provide('pgliteTemplate', template)
  return async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
