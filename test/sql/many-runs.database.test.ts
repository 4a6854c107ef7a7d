// These tests use only PostgreSQL, because it counts the rows that are read from each table.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { findRuns } from '../../loaders/ledger/ledger.ts'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'
import type { Db } from '../../sql/tables.ts'
import { runId } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'
import { limitedTo } from './one-integration.ts'

const database = useDatabase('postgres')
const INTEGRATIONS = 20
const RUNS = 1500

beforeAll(async () => {
  const db = database().kysely
  await sql`
    insert into sync.integrations (integration_id, source, source_url, source_place, source_event_id, platform,
      platform_url, platform_event_id, base)
    select 'event-' || n, 'a', '', '', n, 'jsonl', '', '', 1
    from generate_series(1, ${INTEGRATIONS}::integer) as n`.execute(db)
  await sql`
    insert into sync.runs (integration_id, run_id, command, status, started_at, planned_at, applied_at, finished_at,
      product_version, started_by, config_hash, contents, base, certified, counts)
    select 'event-' || n, (${runId(0).slice(0, -12)} || lpad((k * 1000 + n)::text, 12, '0'))::uuid, 'run', 'finished',
      now(), now(), now(), now(), '1.0.0', 'test', '', '{agenda}', 1, true,
      '{"changes": {"agenda": {"create": 1, "update": 2, "remove": 0, "unchanged": 200}}}'
    from generate_series(1, ${RUNS}::integer) as k
    cross join generate_series(1, ${INTEGRATIONS}::integer) as n`.execute(db)
  // The first run made ten sessions, each with two speakers, who attend all sessions.
  await sql`
    insert into sync.desired_items (integration_id, content, unique_id, fields, valid_from_run)
    select run.integration_id, item.content, item.content || item.place, item.fields, run.run_id
    from sync.runs as run
    cross join (
      select 'agenda', place, jsonb_build_object('name', 'Session', 'startTime', '2031-05-04T09:00:00Z',
        'endTime', '2031-05-04T10:00:00Z', 'speakerIds', jsonb_build_array('speakers1', 'speakers2'))
      from generate_series(1, 10) as place
      union all
      select content, place, '{"lastName": "Doe", "personalAgenda": ["agenda1", "agenda2"]}'
      from unnest(array['speakers', 'attendees']) as content
      cross join generate_series(1, 20) as place
    ) as item (content, place, fields)
    where run.run_id::text like '%000001___'`.execute(db)
  await sql`
    insert into sync.changes (integration_id, run_id, seq, phase, content, unique_id, action, reason, after,
      change_hash, state)
    select integration_id, valid_from_run, row_number() over (partition by integration_id), 'upserts', content,
      unique_id, 'create', '', fields, '', 'applied'
    from sync.desired_items`.execute(db)
  await sql`vacuum analyze`.execute(db)
})

/** Returns how many rows of sync.runs a query reads for each integration, and how many rows it returns. */
const readsOf = (query: string) =>
  readsBy(async (transaction) => (await sql.raw(query).execute(transaction)).rows)

async function readsBy(work: (transaction: Db) => Promise<readonly unknown[]>) {
  return database().transaction(async (transaction) => {
    const count = async () => {
      const { rows } = await sql<{ read: number }>`
        select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables
        where relid = 'sync.runs'::regclass`.execute(transaction)
      return rows[0]?.read ?? 0
    }
    // Parallel workers are turned off, since the rows that they read would not be counted.
    await sql`set local max_parallel_workers_per_gather = 0`.execute(transaction)
    const before = await count()
    const rows = await work(transaction)
    return { perIntegration: ((await count()) - before) / INTEGRATIONS, returned: rows.length }
  })
}

const QUERIES = join(packageRoot, 'sql', 'queries')
const shipped = (name: string) => readFileSync(join(QUERIES, name), 'utf8')
/** More than a query needs of one integration, and far fewer than all its runs. */
const NOT_MANY = 300

test.each([
  ['the latest runs', 'select * from published.runs where is_latest', 4, INTEGRATIONS],
  ['the latest staged runs', 'select * from staging.runs where is_latest', 4, INTEGRATIONS],
  ['the states', 'select * from published.integrations', 4, INTEGRATIONS],
  ['freshness', shipped('freshness.sql'), 6, INTEGRATIONS],
  // Ten runs of each integration, and the last run twice to find it.
  ['growth', shipped('growth.sql'), 14, 10 * INTEGRATIONS],
] as const)('%s: the rows read do not grow with the number of runs', async (_, query, most, returned) => {
  const read = await readsOf(query)
  expect(read.returned).toBe(returned)
  expect(read.perIntegration).toBeGreaterThan(0.9)
  expect(read.perIntegration).toBeLessThanOrEqual(most)
})

test('one integration is found without the runs of the other integrations', async () => {
  for (const view of ['published.runs', 'published.integrations']) {
    const isLatest = view === 'published.runs' ? 'is_latest and ' : ''
    const read = await readsOf(`select * from ${view} where ${isLatest}integration_id = 'event-7'`)
    expect(read.returned).toBe(1)
    expect(read.perIntegration * INTEGRATIONS).toBeLessThan(10)
  }
})

test.each(readdirSync(QUERIES).filter((name) => name.endsWith('.sql')))(
  '%s reads few runs if it is limited to one integration',
  async (name) => {
    const read = await readsOf(limitedTo(shipped(name), 'event-7'))
    // Each change of the first run is looked up with its run.
    expect(read.perIntegration * INTEGRATIONS).toBeLessThan(NOT_MANY)
  },
)

test.each(['double-booked-speakers.sql', 'sessions-without-a-speaker.sql', 'changed-times.sql'])(
  '%s reads few runs of each integration',
  async (name) => {
    const read = await readsOf(shipped(name))
    expect(read.perIntegration).toBeLessThan(NOT_MANY)
  },
)

test.each(['failed', 'held', 'planned'] as const)(
  'runs that are %s are found without the finished runs',
  async (status) => {
    const read = await readsBy((transaction) => findRuns(transaction, { statuses: [status] }, 20))
    expect(read).toStrictEqual({ perIntegration: 0, returned: 0 })
  },
)

test.each(['agenda', 'speakers', 'attendees'])(
  'PostgreSQL expects items of each integration in published.%s, so that it does not join them in nested loops',
  async (content) => {
    const { rows } = await sql<{
      readonly 'QUERY PLAN': readonly [{ readonly Plan: { 'Plan Rows': number } }]
    }>`
      explain (format json) select from ${sql.table(`published.${content}`)}`.execute(database().kysely)
    expect(rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows']).toBeGreaterThanOrEqual(INTEGRATIONS)
  },
)
