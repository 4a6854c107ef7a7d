/**
 * Makes the database that the upgrade test begins with, as the version at hand leaves it:
 * `TEST_DATABASE_URL=postgres://… node test/upgrade/make.ts`, with a PostgreSQL 15 of one's own and its `pg_dump`.
 * Once for each released version, and for a commit that is in use (`22786fb`); what was made is never made again.
 *
 * Writes `test/upgrade/<version>/`: `database.sql`, `published.json` (what readers saw), `platform/` (what the sample
 * platform had stored).
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../pipeline/database/migrate.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import { productVersion } from '../../pipeline/runtime/package-root.ts'
import { startSamplePlatform } from '../harness/sample-platform/start.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { readPublished } from './published.ts'
import { statesOfA, statesOfB, syncA, syncB } from './story.ts'

const folder = new URL(`${productVersion}/`, import.meta.url).pathname
mkdirSync(folder)
const server = await startPostgres()
const url = await createDatabase(server.url)
const output = mkdtempSync(join(tmpdir(), 'event-sync-upgrade-'))
const platform = await startSamplePlatform({ storage: join(folder, 'platform') })
const database = await openPostgres(url)
try {
  await migrate(database)
  const place = { database, platform, output }
  await syncA(place, statesOfA[0])
  await platform.control('faults', [{ fault: 'failOperation', uniqueId: 'u7', code: 'too_many', count: 1 }])
  await syncA(place, statesOfA[1])
  await syncA(place, statesOfA[2])
  await syncB(place, statesOfB[0])
  // It dies on its way: the next version finishes what this one began.
  await syncB(place, statesOfB[1], (line) => {
    if (line.includes('"operations sent"')) throw new Error('the process is gone')
  })
  writeFileSync(join(folder, 'published.json'), `${JSON.stringify(await readPublished(database), null, 1)}\n`)
  const dumped = execFileSync('pg_dump', ['--inserts', '--no-owner', '--no-privileges', url], {
    encoding: 'utf8',
  })
  writeFileSync(join(folder, 'database.sql'), withoutSettings(dumped))
} finally {
  await database.close()
  await platform.close()
  await server.stop()
  rmSync(output, { recursive: true, force: true })
}

/**
 * What psql alone understands, and settings of the dumping session, do not belong to a database. Functions come before the
 * tables that they read.
 */
function withoutSettings(dumped: string): string {
  const lines = dumped.split('\n').filter((line) => !/^(\\|SET |SELECT pg_catalog\.set_config)/.test(line))
  return ['SET LOCAL check_function_bodies = false;', ...lines].join('\n')
}
