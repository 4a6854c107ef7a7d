/**
 * Runs tests on an installed PostgreSQL 15, the oldest supported version. The PostgreSQL of the npm packages
 * is newer, so the usual tests do not cover version 15. If PostgreSQL 15 is not installed, the script prints a
 * note and passes. The environment variable TEST_POSTGRES_BIN can name another `bin` folder.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findInstalled } from '../support/installed-postgres.ts'
import { FAST, startServer } from '../support/postgres.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Pattern that matches the names of the tests that run on PostgreSQL. */
const OF_POSTGRES = 'postgres|PostgreSQL'
/** Files with tests that run on PostgreSQL. Loading all other files too would double the time. */
const fastTests = globSync('test/{sql,loaders,transforms,upgrade,pipeline}/**/*.database.test.ts', {
  cwd: ROOT,
}).filter((name) =>
  /\b(?:bothE|e)ngines\b|'postgres'|PostgreSQL/.test(readFileSync(join(ROOT, name), 'utf8')),
)
const LONG_TESTS = [
  'test/sql/checks',
  'test/sql/queries',
  'test/people/forget',
  'test/people/purge',
  'test/pipeline/inspect',
  'test/pipeline/extract/shared-rate',
]

async function vitest(...args: readonly string[]): Promise<number | null> {
  const child = spawn('npx', ['vitest', 'run', '-t', OF_POSTGRES, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE_URL: server?.url },
  })
  const [code] = await once(child, 'close')
  return code
}

const bin = findInstalled()
const server = bin === null ? null : await startServer(bin, [...FAST, '-c', 'max_connections=200'])
if (server === null) process.stdout.write('no PostgreSQL 15 is installed: the SQL is not tried on it\n')
else {
  try {
    const codes = [
      await vitest('--project', 'database', ...fastTests),
      await vitest('--project', 'long', ...LONG_TESTS),
    ]
    process.exitCode = codes.every((code) => code === 0) ? 0 : 1
  } finally {
    await server.stop()
  }
}
