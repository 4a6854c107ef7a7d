import { readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { faultsOf } from '../schemas/published-output.ts'
import { openTestIo, type TestIo } from './in-process.ts'
import { type AtEnd, startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

interface Serving {
  readonly io: TestIo
  readonly port: number
  readonly ended: Promise<number>
  /** Stops the server as SIGTERM does, and returns the exit code. */
  stop(): Promise<number>
  /** Connects a client, which is disconnected at the end of the test. */
  client(config?: pg.ClientConfig): Promise<pg.Client>
}

async function serve({ folder, env }: Workspace, ...args: readonly string[]): Promise<Serving> {
  const io = openTestIo({ folder, env })
  const ended = runCommand(['serve-database', '--port', '0', '--json', ...args], io)
  while (io.output.stdout === '') await Promise.race([sleep(5), ended.then(() => fail(io))])
  const address = JSON.parse(io.output.stdout)
  expect(faultsOf('serve-database', address)).toEqual([])
  const { host, port, database, user } = address
  return {
    io,
    port,
    ended,
    stop() {
      io.interrupt(143)
      return ended
    },
    async client(config = {}) {
      const client = new pg.Client({
        host,
        port,
        database,
        user,
        password: config.password ?? passwordIn(folder),
        ...config,
      })
      client.on('error', () => undefined)
      await client.connect()
      onTestFinished(() => client.end())
      return client
    },
  }
}

function fail({ output }: TestIo): never {
  throw new Error(`the server did not start: ${output.stderr}`)
}

const passwordFile = (folder: string) => join(folder, '.event-sync', 'reader-password')
const passwordIn = (folder: string) =>
  readFileSync(passwordFile(folder), 'utf8').trim().split(':').at(-1) ?? ''

async function syncedWorkspace(atEnd: AtEnd = onTestFinished): Promise<Workspace> {
  const source = await startScriptedSource(smallEvent, atEnd)
  const workspace = await makeWorkspace('pglite', false, atEnd)
  workspace.configure(configOfA(source.url))
  expect((await workspace.run('run')).code).toBe(0)
  return workspace
}

const codeOf = (query: Promise<unknown>): Promise<unknown> =>
  query.then(
    () => null,
    (error: unknown) => Reflect.get(Object(error), 'code'),
  )

describe('a served embedded database', () => {
  let workspace: Workspace
  let server: Serving
  const ends: (() => unknown)[] = []
  beforeAll(async () => {
    workspace = await syncedWorkspace((end) => ends.push(end))
    server = await serve(workspace)
  })
  afterAll(async () => {
    expect(await server.stop()).toBe(143)
    for (const end of ends) await end()
  })

  test('a client with the password of the generated file reads the views of published', async () => {
    const client = await server.client()
    const { rows } = await client.query('select name from published.agenda where unique_id = $1', ['101'])
    expect(rows).toHaveLength(1)
    expect(
      (await client.query('select current_user as me, now() > $1 as later', ['2020-01-01'])).rows,
    ).toEqual([{ me: 'event_sync_reader', later: true }])
    expect(statSync(passwordFile(workspace.folder)).mode & 0o777).toBe(0o600)
    expect(server.io.output.stdout + server.io.output.stderr).not.toContain(passwordIn(workspace.folder))
  })

  test.each([
    ['insert into sync.runs select * from sync.runs', '42501'],
    ['update staging.a_users set first_name = null', '42501'],
    ['delete from sync.desired_items', '42501'],
    ['create table public.mine (a int)', '42501'],
    ['create temporary table mine (a int)', '42501'],
    ['create role mine', '42501'],
    ['alter role event_sync_reader superuser', '42501'],
    ['alter system set work_mem = 1', '42501'],
    ["copy (select 1) to program 'id'", '42501'],
    ["copy (select 1) to '/tmp/event-sync-served'", '42501'],
    ["copy published.agenda from program 'id'", '42501'],
    ["select pg_read_file('postgresql.conf')", '42501'],
    ['select lo_create(0)', '42501'],
    ["select lo_import('postgresql.conf')", '42501'],
    ["do $$ begin perform set_config('role', 'postgres', false); end $$", '42501'],
    ['create function pg_temp.mine() returns int language sql security definer return 1', '42501'],
    ['set session_replication_role = replica', '42501'],
    ["load 'mine'", '42501'],
    ['select pg_terminate_backend(pg_backend_pid())', '42501'],
    ['checkpoint', '42501'],
    ['drop owned by event_sync_owner', '42501'],
    ['discard all', '42501'],
    ['select email_address from published.attendees', '42501'],
    ['select * from staging.a_users', '42501'],
  ])('the statement "%s" is refused, also in a transaction that may write', async (statement, code) => {
    const client = await server.client()
    await client.query('set default_transaction_read_only = off')
    expect(await codeOf(client.query(statement))).toBe(code)
    expect(await codeOf(client.query(`begin read write; ${statement}`))).not.toBeNull()
    await client.query('rollback')
  })

  test.each([
    'set role postgres',
    'set role none',
    'reset role',
    'set session authorization postgres',
    'set session authorization default',
    'reset session authorization',
    "select set_config('session_authorization', 'postgres', false)",
    'begin; rollback; reset role',
    'begin; commit and chain; reset role',
    'select 1 / 0; reset role',
  ])('after "%s", a client still cannot read what its role cannot read', async (statement) => {
    const client = await server.client()
    expect(await codeOf(client.query(statement))).not.toBeNull()
    await client.query('rollback')
    expect(await codeOf(client.query('select * from sync.runs'))).toBe('42501')
    expect((await client.query('select current_user as me')).rows).toEqual([{ me: 'event_sync_reader' }])
  })

  test('a transaction is read-only, if the client does not ask for another', async () => {
    const client = await server.client()
    expect(await codeOf(client.query('alter default privileges grant select on tables to public'))).toBe(
      '25006',
    )
  })

  test.each([
    ['a wrong password', { password: 'wrong' }, '28P01'],
    ['another user', { user: 'postgres' }, '28P01'],
    ['another database', { database: 'mine' }, '3D000'],
    ['an unknown setting', { options: '-c mine=1' }, '42704'],
    ['the role of a superuser', { options: '-c role=postgres' }, '42501'],
  ])('a client with %s is refused', async (_, config, code) => {
    expect(await codeOf(server.client(config))).toBe(code)
  })

  test('a client that does not speak the protocol is disconnected', async () => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const chunks = await socket.toArray()
    expect(Buffer.concat(chunks).toString()).toContain('08P01')
  })

  test('clients at the same time do not see each other’s settings, statements and transactions', async () => {
    const [one, other] = [await server.client({ options: '-c timezone=Asia/Tokyo' }), await server.client()]
    const zone = async (client: pg.Client) => (await client.query('show timezone')).rows[0]?.TimeZone
    await other.query("set timezone to 'Europe/Berlin'")
    expect([await zone(one), await zone(other), await zone(one)]).toEqual([
      'Asia/Tokyo',
      'Europe/Berlin',
      'Asia/Tokyo',
    ])
    const named = (client: pg.Client, text: string) =>
      client.query({ name: 'same', text }).then(({ rows }) => rows)
    expect(await named(one, 'select 1 as a')).toEqual([{ a: 1 }])
    expect(await named(other, 'select 2 as a')).toEqual([{ a: 2 }])
    expect(await named(one, 'select 1 as a')).toEqual([{ a: 1 }])
    await one.query('begin')
    const waits = other.query('select 3 as a')
    expect(await Promise.race([waits, sleep(100, 'it waits')])).toBe('it waits')
    expect((await one.query('select 4 as a')).rows).toEqual([{ a: 4 }])
    await one.query('commit')
    expect((await waits).rows).toEqual([{ a: 3 }])
  })

  test('if a client is lost in its transaction, the next client can work', async () => {
    const lost = await server.client()
    await lost.query('begin; select 1')
    Reflect.get(lost, 'connection').stream.destroy()
    const client = await server.client()
    expect((await client.query('select 1 as a')).rows).toEqual([{ a: 1 }])
  })

  test('runs end with exit code 5 and name the server, and `sql --wait` gives up after its time', async () => {
    const locked = `is in use by process ${process.pid} (event-sync serve-database)`
    for (const args of [['run'], ['sql', 'select 1'], ['sql', '--wait', '1', 'select 1']]) {
      const { code, stderr } = await workspace.run(...args)
      expect(code).toBe(5)
      expect(stderr).toContain(locked)
    }
  })
})

test('`sql --wait` waits until the server has stopped, and the database then has no change', async () => {
  const workspace = await syncedWorkspace()
  const { stop, client } = await serve(workspace)
  expect((await (await client()).query('select count(*)::int as n from published.agenda')).rows).toEqual([
    { n: 2 },
  ])
  const io = openTestIo({ folder: workspace.folder, env: workspace.env })
  const waits = runCommand(['sql', '--wait', '--json', 'select count(*) as n from published.agenda'], io)
  await io.seen('waiting until it is free')
  expect(await stop()).toBe(143)
  expect(await waits).toBe(0)
  expect(JSON.parse(io.output.stdout)).toEqual({ rows: [{ n: 2 }] })
  expect((await workspace.run('run')).code).toBe(0)
})

test('with --show-personal, clients read values of people; the password can be a reference', async () => {
  const workspace = await syncedWorkspace()
  workspace.env.READER_PASSWORD = 'Grüße, 水'
  const server = await serve(workspace, '--show-personal', '--password', 'env:READER_PASSWORD')
  const client = await server.client({ password: 'Grüße, 水' })
  expect((await client.query('select email_address from published.attendees')).rows).toHaveLength(4)
  expect((await client.query('select source_id from staging.a_users')).rows).toHaveLength(4)
  expect(await codeOf(client.query('delete from staging.a_users'))).toBe('25006')
  expect(workspace.files('.event-sync').filter((file) => file.includes('password'))).toEqual([])
  expect(await server.stop()).toBe(143)
})

test('serve-database refuses a PostgreSQL, a password in its arguments and a port in use', async () => {
  const onServer = await makeWorkspace('postgres')
  onServer.configure({ integrations: [] })
  const workspace = await syncedWorkspace()
  const { port, stop } = await serve(workspace)
  const other = await syncedWorkspace()
  for (const [{ run }, args, said] of [
    [
      other,
      ['--password', 'hunter2'],
      '--password: must be env:NAME or file:PATH, not the password itself (not shown)',
    ],
    [
      other,
      ['--port', String(port)],
      `cannot listen on 127.0.0.1:${port} (EADDRINUSE: address already in use); another process listens there, perhaps a second one of event-sync; give another port with --port (0: any free one), or end that process`,
    ],
  ] as const) {
    const { code, stderr } = await run('serve-database', ...args)
    expect([code, stderr]).toEqual([64, `${said}\n`])
  }
  expect(await stop()).toBe(143)
})
