import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openPostgres, versionName } from '../../../pipeline/database/postgres.ts'
import { type Database, LockLostError } from '../../../sql/database.ts'
import { createDatabase, withClient } from '../../support/postgres.ts'

let url = ''
let database: Database
/** A connection of another command, which may run on another machine. */
let other: Database

beforeAll(async () => {
  url = await createDatabase(inject('postgresUrl'))
  database = await openPostgres(url)
  other = await openPostgres(url)
})
afterAll(async () => {
  await database.close()
  await other.close()
})

/** The SQL condition for sessions that hold a lock of an integration. */
const HOLDS_A_LOCK = "pid in (select pid from pg_locks where locktype = 'advisory') and state = 'idle'"

/** Ends connections from outside, like a server that shuts down. */
async function terminate(which: string): Promise<number> {
  const { rowCount } = await withClient(url, (client) =>
    client.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and ${which}`,
    ),
  )
  return rowCount ?? 0
}

test('the version of PostgreSQL is written as in the documentation of PostgreSQL', () => {
  expect([140011, 150000, 180004].map(versionName)).toEqual(['14.11', '15.0', '18.4'])
})

test('the database driver has the fields and events that the connection watch and the pooler check use', async () => {
  await withClient(url, async (client) => {
    const { rows } = await client.query('select pg_backend_pid() as pid')
    expect(Reflect.get(client, 'processID')).toBe(rows[0]?.pid)
    const { stream } = client.connection
    if (!(stream instanceof Socket)) throw new Error('the connection has no socket')
    const before = stream.bytesWritten
    let drained = 0
    client.on('drain', () => {
      drained += 1
    })
    await client.query('select 1')
    expect([drained, stream.bytesWritten > before]).toEqual([1, true])
  })
})

test('an integration is locked against other connections until it is released', async () => {
  const lock = await database.lock('summit')
  expect(lock).not.toBeNull()
  expect(await other.lock('summit')).toBeNull()
  await lock?.release()
  const again = await other.lock('summit')
  expect(again).not.toBeNull()
  await again?.release()
})

test('if the connection of a lock ends, the lock is released, although the process that held the lock continues', async () => {
  const lock = await database.lock('summit')
  expect(await other.lock('summit')).toBeNull()
  expect(await terminate(HOLDS_A_LOCK)).toBeGreaterThan(0)
  const taken = await other.lock('summit')
  expect(taken).not.toBeNull()
  await lock?.release()
  await taken?.release()
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(database.kysely)
  expect(rows).toEqual([{ one: 1 }])
})

test('rows that are written under a lost lock are not committed', async () => {
  await database.script('create table written (by text)')
  const lock = await database.lock('summit')
  const write = () =>
    lock?.transaction((transaction) => sql`insert into written values ('me')`.execute(transaction))
  await write()
  await terminate(HOLDS_A_LOCK)
  await expect(write()).rejects.toThrow(LockLostError)
  const taken = await other.lock('summit')
  await expect(write()).rejects.toThrow('summit: the lock was lost with its connection to the database')
  await lock?.release()
  await taken?.release()
  const { rows } = await sql`select by from written`.execute(database.kysely)
  expect(rows).toHaveLength(1)
})

test('a process that takes over a lost lock waits until a commit under the old lock has ended', async () => {
  const lock = await database.lock('summit')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // Imitates a transaction that has checked the lock and then needs a long time to commit.
  await client.query(
    "begin; select pg_advisory_xact_lock_shared(hashtextextended('event-content-sync commits summit', 0))",
  )
  await terminate(HOLDS_A_LOCK)
  const taking = other.lock('summit')
  const first = await Promise.race([taking.then(() => 'taken'), sleep(300, 'waits')])
  await client.query('commit')
  expect([first, await taking]).toEqual(['waits', expect.anything()])
  await client.end()
  await lock?.release()
  await (await taking)?.release()
})

test('if the connection ends during COPY, the commit fails and no row is stored', async () => {
  await database.script('create table target (id integer, t text)')
  const sink = database.copyInto('target', ['id', 't'])
  await sink.write([1, 'x'.repeat(100_000)])
  await expect.poll(() => terminate("query like 'copy%'")).toBe(1)
  await expect(sink.commit()).rejects.toThrow(/terminat/)
  await sink.close()
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from target`.execute(
    database.kysely,
  )
  expect(rows).toEqual([{ count: 0 }])
})

test('if the server refuses rows, writing fails with the reason, even if the caller writes more batches afterwards', async () => {
  await database.script('create table numbers (id integer)')
  const sink = database.copyInto('numbers', ['id'])
  const write = async () => {
    for (let batch = 0; batch < 20; batch += 1) {
      await sink.write(['x'.repeat(100_000)])
      await sleep(20)
    }
  }
  await expect(write()).rejects.toThrow('invalid input syntax for type integer')
  // The first failure reaches a caller late if the caller reads several resources in parallel. Until then,
  // the caller may write again.
  await expect(write()).rejects.toThrow('invalid input syntax for type integer')
  await sink.close()
})

test('readings that write more than there are connections for COPY take turns, although none of them ends', async () => {
  await database.script('create table shared (by integer, t text)')
  const few = await openPostgres(url, { seats: { queries: 1, copies: 1 } })
  try {
    const sinks = [1, 2, 3].map(() => few.copyInto('shared', ['by', 't']))
    for (let batch = 0; batch < 3; batch += 1) {
      for (const [by, sink] of sinks.entries()) await sink.write([by, 'x'.repeat(100_000)])
    }
    // A statement needs no connection of these readings.
    await sql`select 1`.execute(few.kysely)
    for (const [by, sink] of sinks.entries()) {
      await sink.write([by, 'the last'])
      await sink.commit()
      await sink.close()
    }
    const { rows } = await sql`select by, count(*)::int as count from shared group by by order by by`.execute(
      few.kysely,
    )
    expect(rows).toEqual([0, 1, 2].map((by) => ({ by, count: 4 })))
  } finally {
    await few.close()
  }
})

test('if the server refuses rows of a reading that gave its connection away, the next batch fails', async () => {
  await database.script('create table whole (id integer)')
  const few = await openPostgres(url, { seats: { queries: 1, copies: 1 } })
  const [bad, good] = [few.copyInto('whole', ['id']), few.copyInto('whole', ['id'])]
  try {
    await bad.write(['x'.repeat(100_000)])
    const writing = Promise.resolve(good.write([`${'0'.repeat(70_000)}1`]))
    await expect(Promise.resolve(bad.write(['x'.repeat(100_000)])).then(() => bad.commit())).rejects.toThrow(
      'invalid input syntax for type integer',
    )
    await bad.close()
    await writing
    await good.commit()
    const { rows } = await sql`select id from whole`.execute(few.kysely)
    expect(rows).toEqual([{ id: 1 }])
  } finally {
    await good.close()
    await few.close()
  }
})

test('sessions stay open even if the server limits how long a session may be idle', async () => {
  const name = new URL(url).pathname.slice(1)
  await database.script(`alter database ${name} set idle_session_timeout to '100ms'`)
  const later = await openPostgres(url)
  try {
    const pid = () => sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(later.kysely)
    const { rows } = await pid()
    await sleep(600)
    expect((await pid()).rows).toEqual(rows)
  } finally {
    await later.close()
    await database.script(`alter database ${name} reset idle_session_timeout`)
  }
})

test('a read-only database is refused before anything is read, and the error says what to do', async () => {
  const name = new URL(url).pathname.slice(1)
  await database.script(`alter database ${name} set default_transaction_read_only to on`)
  const later = await openPostgres(url)
  try {
    await expect(later.lock('summit')).rejects.toThrow(
      /takes no writes: it is a standby, or .*name the primary in `database`$/,
    )
  } finally {
    await later.close()
    await database.script(
      `set transaction read write; alter database ${name} reset default_transaction_read_only`,
    )
  }
})

test('a transaction fails and stores nothing if its connection ends', async () => {
  await database.script('create table fragile (id integer)')
  const work = database.transaction(async (transaction) => {
    await sql`insert into fragile values (1)`.execute(transaction)
    await terminate("query like 'insert into fragile%'")
    await sql`insert into fragile values (2)`.execute(transaction)
  })
  await expect(work).rejects.toThrow()
  const { rows } = await sql`select * from fragile`.execute(database.kysely)
  expect(rows).toEqual([])
})

test('a query prints the same text whatever the settings of the database are', async () => {
  const name = new URL(url).pathname.slice(1)
  await database.script(`
    alter database ${name} set timezone to 'America/New_York';
    alter database ${name} set datestyle to 'German';
    alter database ${name} set intervalstyle to 'iso_8601';
    alter database ${name} set bytea_output to 'escape';
    alter database ${name} set extra_float_digits to 0`)
  const later = await openPostgres(url)
  try {
    const query = `select '2031-05-04T16:00:00Z'::timestamptz, '2031-05-04'::date, interval '26 hours',
      '\\x00ff'::bytea, 0.1::float8 + 0.2::float8, current_setting('TimeZone')`
    for await (const { rows } of later.readOnly(query)) {
      if (rows.length === 0) continue
      expect(rows).toEqual([
        ['2031-05-04 16:00:00+00', '2031-05-04', '26:00:00', '\\x00ff', '0.30000000000000004', 'UTC'],
      ])
    }
  } finally {
    await later.close()
  }
})
