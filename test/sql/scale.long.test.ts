import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { enterRun } from '../support/runs.ts'
import { enterIntegration, runId } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'

const database = useDatabase('postgres')

/**
 * The integrations, the number of runs and of people of each integration. The first integration has twice as
 * many people.
 */
const EVENTS = Array.from({ length: 10 }, (_, event) => event)
const RUNS = 10
const PEOPLE = 5_000
const nameOf = (event: number) => `event-${event}`
const runOf = (event: number, number: number) => runId(event * 100 + number)

// Every fifth person, item and decision has two versions: the first from the first run to a later run, the
// second from that later run on.
const VERSIONS = sql`
  from generate_series(0, ${EVENTS.length - 1}::integer) as event
  cross join generate_series(1, ${2 * PEOPLE}::integer) as id
  cross join lateral (values (1, case when id % 5 = 0 then 2 + id % 8 end), (2 + id % 8, null)) as version (begun, ended)
  cross join lateral (values ('event-' || event, id::text, ${run('begun')}, ${run('ended')}))
    as row (integration, id_of, begun_in, ended_in)
  where (event = 0 or id <= ${PEOPLE}::integer) and (begun = 1 or id % 5 = 0)`
const VERSIONS_OF_EACH = PEOPLE * 1.2

function run(number: 'begun' | 'ended') {
  return sql.raw(`('${runId(0).slice(0, -12)}' || lpad((event * 100 + ${number})::text, 12, '0'))::uuid`)
}

beforeAll(async () => {
  const db = database().kysely
  for (const event of EVENTS) {
    await enterIntegration(db, { integration_id: nameOf(event), platform_event_id: String(event) })
    for (let number = 1; number <= RUNS; number += 1)
      await enterRun(db, event * 100 + number, { integrationId: nameOf(event) })
  }
  await sql`insert into staging.b_registrants (integration_id, source_id, company, session_ids, marks, doc,
    version_hash, valid_from_run, valid_to_run)
    select integration, id_of, 'Mill ' || begun, '{}', '{}', '{}', begun::text::bytea, begun_in, ended_in ${VERSIONS}`.execute(
    db,
  )
  await sql`insert into sync.desired_items (integration_id, content, unique_id, fields, valid_from_run, valid_to_run)
    select integration, 'attendees', id_of, '{"company": "Mill"}', begun_in, ended_in ${VERSIONS}`.execute(db)
  await sql`insert into sync.decisions (integration_id, content, resource, source_id, unique_id, decision, reason,
    detail, valid_from_run, valid_to_run)
    select integration, 'attendees', 'registrants', id_of, id_of, 'synced', '', '', begun_in, ended_in ${VERSIONS}`.execute(
    db,
  )
  await sql`vacuum analyze`.execute(db)
})

const TABLES = ['b_registrants', 'desired_items', 'decisions']

/**
 * Returns how many rows of each large table a query reads, including rows that do not match its conditions.
 */
async function rowsReadBy(question: string, isWithIndexes = true): Promise<Readonly<Record<string, number>>> {
  return database().transaction(async (transaction) => {
    const count = async () => {
      const { rows } = await sql<{ name: string; read: number }>`
        select relname as name, (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables
        where relname = any(${TABLES})`.execute(transaction)
      return new Map(rows.map(({ name, read }) => [name, read]))
    }
    // Parallel workers are turned off, because the rows that they read would not be counted.
    await sql`set local max_parallel_workers_per_gather = 0`.execute(transaction)
    if (!isWithIndexes)
      for (const way of ['indexscan', 'indexonlyscan', 'bitmapscan'])
        await sql.raw(`set local enable_${way} = off`).execute(transaction)
    const before = await count()
    const { rows } = await sql.raw(question).execute(transaction)
    expect(rows).not.toEqual([])
    const after = await count()
    return Object.fromEntries([...after].map(([name, read]) => [name, read - (before.get(name) ?? 0)]))
  })
}

describe('with ten integrations of ten runs each', () => {
  const one = `integration_id = '${nameOf(0)}' and source_id = '4000'`
  const item = `integration_id = '${nameOf(0)}' and unique_id = '4000'`
  const large = runOf(0, 8)
  const single = {
    'a record now': `select * from staging.b_registrants where ${one} and valid_to_run is null`,
    'all versions of a record': `select * from staging.b_registrants where ${one}`,
    'a record as of a run': `select * from staging.b_registrants_as_of('${large}') where source_id = '4000'`,
    'a record as of a run, integration named': `select * from staging.b_registrants_as_of('${large}') where ${one}`,
    'an attendee now': `select * from published.attendees where ${item}`,
    'an attendee as of a run': `select * from published.attendees_as_of('${large}') where unique_id = '4000'`,
    'an attendee in each run': `select * from published.attendees_by_run where ${item}`,
    'a decision now': `select * from published.decisions where ${one} and content = 'attendees'`,
  }
  test.each(Object.entries(single))(
    'PostgreSQL finds the rows for the query %s by an index',
    async (_, question) => {
      for (const read of Object.values(await rowsReadBy(question))) expect(read).toBeLessThan(20)
      expect(Math.max(...Object.values(await rowsReadBy(question, false)))).toBeGreaterThan(PEOPLE)
    },
  )

  const of = `integration_id = '${nameOf(3)}'`
  const [before, now] = [runOf(3, 7), runOf(3, 8)]
  const whole = {
    'records now': `select count(company) from staging.b_registrants where ${of} and valid_to_run is null`,
    'records as of a run': `select count(company) from staging.b_registrants_as_of('${now}')`,
    'changes of records since the run before': `select change, count(*) from staging.b_registrants_between('${before}', '${now}') group by change`,
    'attendees now': `select count(company) from published.attendees where ${of}`,
    'attendees as of a run': `select count(company) from published.attendees_as_of('${now}')`,
    'decisions now': `select reason, count(*) from published.decisions where ${of} group by reason`,
  }
  test.each(Object.entries(whole))(
    'PostgreSQL reads only the rows of one integration for the query %s',
    async (_, question) => {
      // The limit is twice the rows of the integration: each side of a comparison or union reads the whole
      // integration.
      for (const read of Object.values(await rowsReadBy(question)))
        expect(read).toBeLessThanOrEqual(2 * VERSIONS_OF_EACH)
      expect(Math.max(...Object.values(await rowsReadBy(question, false)))).toBeGreaterThan(
        3 * VERSIONS_OF_EACH,
      )
    },
  )
})
