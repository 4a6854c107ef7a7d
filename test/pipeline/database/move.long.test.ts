import { sql } from 'kysely'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { findMoves } from '../../../loaders/ledger/moves.ts'
import { type MoveOptions, moveDatabase } from '../../../pipeline/database/move.ts'
import {
  findMovableTables,
  MOVED_SCHEMAS,
  sumOf,
  UNMOVED_SCHEMAS,
  UNMOVED_TABLES,
} from '../../../pipeline/database/move-tables.ts'
import { requireNotMoved } from '../../../pipeline/database/moved.ts'
import { openPostgres } from '../../../pipeline/database/postgres.ts'
import { machine } from '../../../pipeline/runtime/environment.ts'
import type { MovePoint } from '../../../pipeline/runtime/events.ts'
import type { Database } from '../../../sql/database.ts'
import { bothEngines, type Engine, engines, openEngine } from '../../support/engines.ts'
import { createDatabase } from '../../support/postgres.ts'

/** Rows whose values could have different text in the two engines, or could break a line of COPY. */
const FILL = `
insert into sync.passwords
select 'summit', 'a\tb\nc\\d "é' || number, '\\x00ff0a5c09' from generate_series(1, 2500) as number;
insert into sync.suppression_files values ('', 0), ('\\N', 9223372036854775807);
insert into sync.rate_budgets (host, resets_at, changed_at) values ('a', 'infinity', '2031-05-04 13:00:00.123456+02');
insert into sync.runs (integration_id, run_id, command, status, started_at, product_version, started_by, config_hash, contents, base, custom, silenced_hints)
values ('summit', '01ffffff-0000-7000-8000-000000000001', 'run', 'finished', '1999-12-31 23:59:59Z', '1', 'me', '', '{agenda,"a b",NULL,"\\\\"}', 0, '{"n": 12345678901234567890.10}', '{}');
insert into sync.reconciliation values ('summit', '01ffffff-0000-7000-8000-000000000001', 1, '', '', 'sum', 1e30, -0.50)`

/**
 * Opens an old database with rows, and an empty database on a server. The test closes both databases when it
 * has finished.
 */
async function openBoth(engine: Engine) {
  const from = await openEngine(engine)
  onTestFinished(() => from.close())
  await from.script(FILL)
  return { from, to: await openNew() }
}

async function openNew(): Promise<Database> {
  const to = await openPostgres(await createDatabase(inject('postgresUrl')))
  onTestFinished(() => to.close())
  return to
}

/**
 * Moves a database. Returns the tables that this move copied, without the tables that an earlier move had
 * copied.
 */
async function move(from: Database, to: Database, options: Partial<MoveOptions> = {}) {
  const nothing = () => undefined
  const watch = { at: nothing, begun: nothing, copied: nothing, ...options }
  const moved = await moveDatabase({
    from,
    to,
    outside: [],
    environment: machine,
    record: async () => {},
    ...watch,
  })
  return moved.tables.flatMap(({ table, isEarlier }) => (isEarlier ? [] : [table]))
}

const DIED = new Error('the process died')

/** Stops a move when it reaches a point for the given number of times. */
function dyingAt(point: MovePoint, time = 1): Pick<MoveOptions, 'at'> {
  let left = time
  return {
    at(reached) {
      if (reached === point) left -= 1
      if (reached === point && left === 0) throw DIED
    },
  }
}

async function isUsable({ kysely }: Database): Promise<boolean> {
  return requireNotMoved(kysely).then(
    () => true,
    () => false,
  )
}

async function sumsOf(database: Database) {
  const sums = []
  for (const table of await findMovableTables(database)) sums.push([table.name, await sumOf(database, table)])
  return sums
}

// This test needs both engines, because a row must have the same text on both engines.
describe.each(bothEngines)('from %s', (engine) => {
  test('every value arrives unchanged, and all tables have the same checksums as in the old database', async () => {
    const { from, to } = await openBoth(engine)
    const before = await sumsOf(from)
    const names = before.map(([name]) => name)
    expect(await move(from, to)).toEqual(names)
    expect(await sumsOf(to)).toEqual(before)
    expect(before).toContainEqual(['sync.passwords', { rows: 2500, checksum: expect.any(String) }])
    expect([await isUsable(from), await isUsable(to)]).toEqual([false, true])
  })
})

describe.each(engines)('a move that dies, from %s', (engine) => {
  const POINTS: readonly (readonly [MovePoint, number])[] = [
    ['move noted at the old database', 1],
    ['move noted at the new database', 1],
    ['table emptied', 12],
    ['table copied', 12],
    ['table noted', 12],
  ]
  test.each(POINTS)(
    'if move dies at "%s", runs continue in the old database, and the next move continues with the other tables',
    async (point, time) => {
      const { from, to } = await openBoth(engine)
      await expect(move(from, to, dyingAt(point, time))).rejects.toThrow(DIED)
      expect(await isUsable(from)).toBe(true)
      const all = (await findMovableTables(from)).map(({ name }) => name)
      const isOfTable = point.startsWith('table')
      const kept = isOfTable ? time - (point === 'table noted' ? 0 : 1) : 0
      if (isOfTable) expect(await isUsable(to)).toBe(false)
      expect(await move(from, to)).toEqual(all.slice(kept))
      expect(await sumsOf(to)).toEqual(await sumsOf(from))
      expect([await isUsable(from), await isUsable(to)]).toEqual([false, true])
    },
  )

  test.each(['old database marked', 'move finished'] as const)(
    'if move dies at "%s", neither database accepts runs that the other would lack, and the next move copies nothing',
    async (point) => {
      const { from, to } = await openBoth(engine)
      await expect(move(from, to, dyingAt(point))).rejects.toThrow(DIED)
      expect([await isUsable(from), await isUsable(to)]).toEqual([false, point === 'move finished'])
      expect(await move(from, to)).toEqual([])
      expect([await isUsable(from), await isUsable(to)]).toEqual([false, true])
    },
  )

  test('if runs change a copied table after an interrupted move, the next move copies the table again', async () => {
    const { from, to } = await openBoth(engine)
    await expect(move(from, to, dyingAt('old database marked'))).rejects.toThrow(DIED)
    await from.script('update sync.moves set moved_at = null')
    await from.script(
      "delete from sync.passwords where unique_id like '%7'; update sync.runs set error = 'x'",
    )
    expect(await move(from, to)).toEqual(['sync.passwords', 'sync.runs'])
    expect(await sumsOf(to)).toEqual(await sumsOf(from))
  })

  test('if a value differs at the end, move reports it, the old database stays in use, and the next move repairs the table', async () => {
    const { from, to } = await openBoth(engine)
    // The value in the new table is changed just before the comparison.
    const spoiled: Database = {
      ...to,
      async *readOnly(query, timeoutMs) {
        if (query.includes('sha256') && query.includes('"sync"."runs"'))
          await to.script("update sync.runs set error = 'x'")
        yield* to.readOnly(query, timeoutMs)
      },
    }
    await expect(move(from, spoiled)).rejects.toThrow(
      'sync.runs has 1 rows in the old database, and in the new one the same number of rows, but another hash; the old database was not marked and stays in use',
    )
    expect([await isUsable(from), await isUsable(to)]).toEqual([true, false])
    expect(await move(from, to)).toEqual(['sync.runs'])
  })

  test('a move also copies tables and identity columns that are added later', async () => {
    const { from, to } = await openBoth(engine)
    const later = `
      create table sync.later (id bigint generated always as identity primary key, doubled bigint generated always as (id * 2) stored, note text);
      insert into sync.later (note) values ('a'), ('b'), ('c');
      delete from sync.later where note = 'c'`
    await from.script(later)
    await expect(move(from, to)).rejects.toThrow('the new database lacks sync.later, or a column of it')
    await to.script(`${later}; truncate sync.later restart identity`)
    expect(await move(from, to)).toContain('sync.later')
    await to.script("insert into sync.later (note) values ('d')")
    const { rows } = await sql`select id::int, doubled::int, note from sync.later order by id`.execute(
      to.kysely,
    )
    expect(rows).toEqual([
      { id: 1, doubled: 2, note: 'a' },
      { id: 2, doubled: 4, note: 'b' },
      { id: 4, doubled: 8, note: 'd' },
    ])
  })
})

test('each schema and table of the product is either moved or listed with the reason why it is not', async () => {
  const { from } = await openBoth('postgres')
  const { rows } = await sql<{ schema: string; name: string }>`
    select schemaname as schema, schemaname || '.' || tablename as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(from.kysely)
  const listed = [...MOVED_SCHEMAS, ...Object.keys(UNMOVED_SCHEMAS)]
  const { rows: schemas } = await sql<{ name: string }>`
    select nspname as name from pg_namespace
    where nspname not like 'pg\\_%' and nspname not in ('information_schema', 'public')`.execute(from.kysely)
  // The package that manages the queue creates its schema when a worker starts.
  expect([...schemas.map(({ name }) => name), 'queue'].sort()).toEqual(listed.toSorted())
  const inMoved = rows.filter(({ schema }) => MOVED_SCHEMAS.includes(schema)).map(({ name }) => name)
  const movable = (await findMovableTables(from)).map(({ name }) => name)
  expect([...movable, ...Object.keys(UNMOVED_TABLES)].sort()).toEqual(inMoved.sort())
})

test('during a move, no run and no other move can begin, and changes of other sessions wait', async () => {
  const { from, to } = await openBoth('postgres')
  const other = await openNew()
  const seen: unknown[] = []
  const look = async () => {
    seen.push(await from.lock('summit'), await move(from, other).catch((error: Error) => error.message))
    const waits = sql`set local lock_timeout = '100ms'`
    const change = from.transaction(async (transaction) => {
      await waits.execute(transaction)
      await sql`delete from sync.passwords`.execute(transaction)
    })
    seen.push(await change.catch((error: Error) => error.message))
  }
  let looking: Promise<void> | null = null
  const slow: Database = {
    ...to,
    async executeSql(text, values) {
      looking ??= look()
      await looking
      return to.executeSql(text, values)
    },
  }
  await move(from, slow)
  expect(seen).toEqual([
    null,
    'the old database: in use by another process; wait until it ends, and move again; nothing was copied',
    'canceling statement due to lock timeout',
  ])
})

test('if an interrupted move is replaced by a move to another database, only that database accepts runs afterwards', async () => {
  const { from, to } = await openBoth('postgres')
  const other = await openNew()
  await expect(move(from, to, dyingAt('table noted', 9))).rejects.toThrow(DIED)
  await move(from, other)
  expect([await isUsable(from), await isUsable(to), await isUsable(other)]).toEqual([false, false, true])
  await expect(move(from, to)).rejects.toThrow('to another database than the one of --to')
  expect((await findMoves(other.kysely)).map(({ moveId }) => moveId)).toEqual(
    (await findMoves(from.kysely)).map(({ moveId }) => moveId),
  )
})
