// These tests use only PostgreSQL, because it counts the rows that are read from each table.
import type pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../../pipeline/database/postgres.ts'
import { serveRecords } from '../../harness/serve-records.ts'
import { useFolder } from '../../support/folder.ts'
import { copyDatabase, dropDatabase, withClient } from '../../support/postgres.ts'
import { aSession, aUser, SLOT_0 } from '../../traps/traps-of-a.ts'
import { startChanging } from '../changing-source.ts'
import { makeIntegration } from '../guarded-integration.ts'

const PEOPLE = 25
const OTHERS = 20
const PAST_RUNS = 15
/**
 * PostgreSQL reads a table with fewer rows than this completely, so rows of other integrations would be
 * counted.
 */
const SMALL = 500

/** The number of records that a reading by changes returns. */
const IN_OVERLAP = 1500

const output = useFolder()

test('the number of rows that an unchanged run reads does not grow with other integrations and earlier runs', async () => {
  const url = await copyDatabase(inject('postgresUrl'), inject('postgresTemplate'))
  onTestFinished(() => dropDatabase(inject('postgresUrl'), url))
  await withClient(url, stopAutovacuum)
  const ids = Array.from({ length: PEOPLE }, (_, place) => String(place + 1))
  const server = await serveRecords('a', {
    TimeSlots: [SLOT_0],
    Sessions: ids.map((id) => aSession(`s${id}`)),
    Users: ids.map((id) => aUser(`u${id}`, { SpeakingAt: [{ Id: `s${id}` }] })),
  })
  onTestFinished(() => server.close())

  /**
   * Runs the integration, and counts the rows that it reads. The counts of PostgreSQL are complete only when
   * all connections are closed.
   */
  async function rowsReadByRun() {
    const before = await withClient(url, rowsRead)
    const database = await openPostgres(url)
    const place = { database, output: output(), id: 'summit' }
    const { code } = await makeIntegration(place, server.url, { source: { type: 'a' } }).run()
    await database.close()
    expect(code).toBe(0)
    const after = await withClient(url, rowsRead)
    return new Map([...after].map(([table, rows]) => [table, rows - (before.get(table) ?? 0)]))
  }

  /**
   * Counts the rows read by two runs. The first run has nothing to compare, and the second compares all items
   * because `base` changed.
   */
  async function rowsReadByRuns() {
    const settled = await rowsReadByRun()
    await withClient(url, (client) => client.query('update sync.integrations set base = base + 1'))
    return { settled, comparing: await rowsReadByRun() }
  }

  // The first run creates all items. The second run changes no item, so later runs hard-link its files.
  for (let run = 0; run < 3; run += 1) await rowsReadByRun()
  const alone = await rowsReadByRuns()
  await withClient(url, addPastRuns)
  await withClient(url, addOthers)
  const sizes = await withClient(url, rowsIn)
  const among = await rowsReadByRuns()

  const large = [...sizes].filter(([table, rows]) => rows > SMALL && table !== 'sync.runs')
  expect(large.map(([table]) => table)).toEqual(
    expect.arrayContaining([
      'staging.a_sessions',
      'staging.a_users',
      'sync.certificates',
      'sync.changes',
      'sync.decisions',
      'sync.desired_items',
      'sync.platform_items',
      'sync.reconciliation',
      'sync.requests',
    ]),
  )
  for (const kind of ['settled', 'comparing'] as const) {
    const [before, after] = [alone[kind], among[kind]]
    const grown = large.filter(([table]) => (after.get(table) ?? 0) > (before.get(table) ?? 0))
    expect(grown.map(([table]) => [kind, table, before.get(table), after.get(table)])).toEqual([])
    // The run may read its own rows of sync.runs several times, but must never scan the rows of all
    // integrations.
    expect(after.get('sync.runs')).toBeLessThan(sizes.get('sync.runs') ?? 0)
  }
  const known = 'sync.platform_items'
  expect(among.settled.get(known)).toBeLessThan(among.comparing.get(known) ?? 0)
})

test('a reading by changes reads each record in the overlap a few times, and not once for each staged record', async () => {
  const url = await copyDatabase(inject('postgresUrl'), inject('postgresTemplate'))
  onTestFinished(() => dropDatabase(inject('postgresUrl'), url))
  await withClient(url, countAtDrops)
  const database = await openPostgres(url)
  onTestFinished(() => database.close())
  const source = await startChanging({ database, output: output(), id: 'summit' })
  for (let record = 0; record < IN_OVERLAP; record += 1) source.put(`r${record}`, 0)
  await source.run()
  await withClient(url, (client) => client.query('delete from rows_read_at_drop'))
  source.put('r1', 1, { company: 'Mill' })
  expect(await source.run()).toMatchObject({ reading: 'changes', figure: { read: String(IN_OVERLAP) } })
  const { rows } = await withClient(url, (client) =>
    client.query("select rows from rows_read_at_drop where name like '%registrants'"),
  )
  const [{ rows: read } = { rows: '0' }, ...others] = rows
  expect(others).toEqual([])
  expect(Number(read)).toBeGreaterThan(IN_OVERLAP)
  expect(Number(read)).toBeLessThan(20 * IN_OVERLAP)
})

/**
 * When an incoming table is dropped, stores how many of its rows the transaction has read. Without this
 * trigger the number is lost, because PostgreSQL drops the statistics together with the table.
 */
async function countAtDrops(client: pg.Client): Promise<void> {
  await client.query(`
    create table rows_read_at_drop (name text, rows bigint);
    create function note_rows_read() returns event_trigger language plpgsql as $$
    begin
      insert into public.rows_read_at_drop
      select relname, seq_tup_read + coalesce(idx_tup_fetch, 0)
      from pg_stat_xact_user_tables
      where schemaname = 'incoming';
    end $$;
    create event trigger note_rows_read on ddl_command_start when tag in ('DROP TABLE') execute function note_rows_read()`)
}

/** Stops autovacuum, which may change the plans of PostgreSQL between two counts. */
async function stopAutovacuum(client: pg.Client): Promise<void> {
  await client.query(`
    do $$
    declare
      name regclass;
    begin
      for name in select oid from pg_class
        where relkind = 'r' and relnamespace in ('staging'::regnamespace, 'sync'::regnamespace)
      loop
        execute format('alter table %s set (autovacuum_enabled = off)', name);
      end loop;
    end $$`)
}

async function rowsRead(client: pg.Client): Promise<ReadonlyMap<string, number>> {
  // A connection reports its counts before it disappears from pg_stat_activity.
  for (;;) {
    const others = await client.query(
      'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    if (others.rowCount === 0) break
  }
  const { rows } = await client.query<{ table: string; rows: string }>(`
    select schemaname || '.' || relname as table, seq_tup_read + coalesce(idx_tup_fetch, 0) as rows
    from pg_stat_user_tables
    where schemaname in ('staging', 'sync')`)
  return new Map(rows.map(({ table, rows }) => [table, Number(rows)]))
}

async function rowsIn(client: pg.Client): Promise<ReadonlyMap<string, number>> {
  await client.query('vacuum analyze')
  const { rows } = await client.query<{ table: string; rows: number }>(`
    select oid::regclass::text as table, reltuples as rows
    from pg_class
    where relkind = 'r'
      and relnamespace in ('staging'::regnamespace, 'sync'::regnamespace)`)
  return new Map(rows.map(({ table, rows }) => [table, rows]))
}

async function tablesWith(client: pg.Client, ...columns: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ table: string }>(
    `select attrelid::regclass::text as table
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where relkind = 'r'
      and relnamespace in ('staging'::regnamespace, 'sync'::regnamespace)
      and attname = any ($1)
    group by attrelid
    having count(*) = $2`,
    [columns, columns.length],
  )
  return rows.map(({ table }) => table)
}

/** SQL that copies rows of a table several times, with different values in some columns. */
const copied = (table: string, times: number, values: string, where = 'true') => `
  insert into ${table}
  select (jsonb_populate_record(original, jsonb_build_object(${values}))).*
  from ${table} as original
  cross join generate_series(1, ${times}) as number
  where ${where}`
const runOf = (number: string) => `('00000000-0000-7000-8000-' || lpad((${number})::text, 12, '0'))`

/** Adds runs that repeat the last run. Each added run has its own earlier version of every row. */
async function addPastRuns(client: pg.Client): Promise<void> {
  for (const table of await tablesWith(client, 'integration_id', 'run_id')) {
    if (table === 'sync.platform_items') continue
    // The answers of the last run are those of an earlier one.
    const last = 'select coalesce(answers_of, run_id) from sync.last_planned_runs'
    const ofLast =
      table === 'sync.requests'
        ? `run_id = (${last})`
        : 'run_id = (select run_id from sync.last_planned_runs)'
    // Only one run has the manifest of the previous pack. With copies, the next run might not find its pack.
    const values = `'run_id', ${runOf('number')}, 'manifest_sha256', null`
    await client.query(copied(table, PAST_RUNS, values, ofLast))
  }
  for (const table of await tablesWith(client, 'integration_id', 'valid_from_run', 'valid_to_run')) {
    const ends = `'valid_from_run', ${runOf('number')}, 'valid_to_run', ${runOf('number + 1')}`
    await client.query(copied(table, PAST_RUNS, ends, 'valid_to_run is null'))
  }
}

async function addOthers(client: pg.Client): Promise<void> {
  for (const table of await tablesWith(client, 'integration_id'))
    await client.query(copied(table, OTHERS, `'integration_id', 'other-' || number`))
}
