/**
 * Makes the database of the current version with which the upgrade test starts: `node test/upgrade/make.ts`.
 * A developer runs the script once for each released version. The script needs `initdb` and `pg_dump` of
 * PostgreSQL 15.
 *
 * The script writes into `test/upgrade/<version>/`. The file `database.sql.gz` contains the database, the
 * file `published.json.gz` the rows of the published views, and the folder `platform/` the storage of the
 * sample platform.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { migrate } from '../../pipeline/database/migrate.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import { productVersion } from '../../pipeline/runtime/package-root.ts'
import { startSamplePlatform } from '../harness/sample-platform/start.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { readPublished } from './published.ts'
import { play } from './story.ts'

const folder = join(import.meta.dirname, productVersion)
mkdirSync(folder)
const server = await startPostgres()
const url = await createDatabase(server.url)
const output = mkdtempSync(join(tmpdir(), 'event-sync-upgrade-'))
const platform = await startSamplePlatform({ storage: join(folder, 'platform') })
const database = await openPostgres(url)
const write = (name: string, text: string) => writeFileSync(join(folder, name), gzipSync(text))
try {
  await migrate(database)
  await play({ database, platform, output })
  write('published.json.gz', `${JSON.stringify(await readPublished(database), null, 1)}\n`)
  const dumped = execFileSync('pg_dump', ['--inserts', '--no-owner', '--no-privileges', url], {
    encoding: 'utf8',
  })
  write('database.sql.gz', withoutSettings(dumped))
} finally {
  await database.close()
  await platform.close()
  await server.stop()
  rmSync(output, { recursive: true, force: true })
}

/**
 * Removes commands that only psql understands, and settings of the session that made the dump. Adds a setting
 * by which function bodies are not checked, because functions are created before the tables that they read.
 */
function withoutSettings(dumped: string): string {
  const lines = dumped.split('\n').filter((line) => !/^(\\|SET |SELECT pg_catalog\.set_config)/.test(line))
  return ['SET LOCAL check_function_bodies = false;', ...lines].join('\n')
}
