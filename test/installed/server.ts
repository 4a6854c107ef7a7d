import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { FAST, freePort, type TestServer } from '../support/postgres.ts'

/** Where Debian's packages and those of PostgreSQL put a version. */
const PLACES = ['/usr/lib/postgresql/15/bin', '/usr/pgsql-15/bin', '/opt/homebrew/opt/postgresql@15/bin']

/** The folder of an installed PostgreSQL 15; null where there is none. */
export function findInstalled(given = process.env.TEST_POSTGRES_BIN ?? ''): string | null {
  const places = given === '' ? PLACES : [given]
  return (
    places.find((place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'postgres'))) ?? null
  )
}

/**
 * Starts an installed PostgreSQL in a new folder, on a free port. It refuses to be root's, and is `postgres`'s then.
 *
 * @param bin folder of its programs
 */
export async function startInstalled(bin: string): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-installed-'))
  const owner = process.getuid?.() === 0 ? ownerOf('postgres') : null
  if (owner !== null) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const how = { ...owner, cwd: folder, stdio: 'ignore' } as const
  const settings = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
  execFileSync(join(bin, 'initdb'), ['--pgdata', data, ...settings], how)
  const port = await freePort()
  const place = ['-D', data, '-p', String(port), '-k', '', '-h', '127.0.0.1']
  const server = spawn(join(bin, 'postgres'), [...place, '-c', 'max_connections=200', ...FAST], how)
  const ended = once(server, 'exit')
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await untilItAnswers(url)
  return {
    url,
    async stop() {
      // At once, without waiting for anyone who is connected still.
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function ownerOf(user: string): { readonly uid: number; readonly gid: number } {
  const numberOf = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  return { uid: numberOf('-u'), gid: numberOf('-g') }
}

async function untilItAnswers(url: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (tries === 200) throw error
      await sleep(100)
    }
  }
}
