import { type Kysely, sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../../pipeline/config/config.ts'
import { explainItem } from '../../../pipeline/inspect/explain.ts'
import type { Content, Tables } from '../../../sql/tables.ts'
import { enterRun } from '../../support/runs.ts'
import { runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const database = useDatabase('postgres')

/** With these numbers of rows, the planner never prefers a sequential scan to find one record. */
const PEOPLE = 30_000
const SESSIONS = 2_000

const credentials = { apiKey: 'env:KEY', authenticationSecret: 'env:SECRET' }
const text = JSON.stringify({
  integrations: [
    { id: 'a', source: { type: 'a', url: 'https://a.example', eventId: '1' }, platform: { type: 'jsonl' } },
    {
      id: 'b',
      source: { type: 'b', url: 'https://b.example', eventId: '1', ...credentials },
      platform: { type: 'jsonl' },
    },
  ],
})
const config = loadConfig('event-sync.yaml', { env: {}, readFile: () => text })

beforeAll(async () => {
  const db = database().kysely
  for (const integrationId of ['a', 'b']) {
    for (const number of [1, 2, 3]) await enterRun(db, number, { integrationId })
  }
  await sql`update sync.runs set plan_hash = 'f00d'`.execute(db)
  await fillSource(db)
  for (const integrationId of ['a', 'b']) await fillState(db, integrationId)
  await sql`analyze`.execute(db)
})

/** Inserts people with one earlier version each, and sessions that name twenty people each. */
async function fillSource(db: Kysely<Tables>): Promise<void> {
  const version = sql`'{}'::text[], '{}'::jsonb, ''::bytea`
  const twice = sql`run.valid_from, run.valid_to from generate_series(1, ${PEOPLE}::integer) as id cross join
    (values (${runId(1)}::uuid, ${runId(2)}::uuid), (${runId(2)}::uuid, null)) as run (valid_from, valid_to)`
  await sql`
    insert into staging.a_users (integration_id, source_id, id, first_name, last_name, email_address,
      has_speaker_role, speaking_at, marks, doc, version_hash, valid_from_run, valid_to_run)
    select 'a', id::text, id::text, 'Ada', 'Lovelace', id || '@people.example', false, '{s1}', ${version}, ${twice}`.execute(
    db,
  )
  await sql`
    insert into staging.b_registrants (integration_id, source_id, first_name, last_name, email, reg_type_id,
      session_ids, marks, doc, version_hash, valid_from_run, valid_to_run)
    select 'b', id::text, 'Ada', 'Lovelace', id || '@people.example', '20', '{s1,s2,s3}', ${version}, ${twice}`.execute(
    db,
  )
  await sql`
    insert into staging.a_sessions (integration_id, source_id, title, speaker_ids, link_urls,
      marks, doc, version_hash, valid_from_run)
    select case when event = 0 then 'a' else 'other ' || event end, 's' || id, 'Opening', array(select (id * 15 + n)::text from generate_series(1, 20) as n), '{}',
      ${version}, ${runId(1)}::uuid
    from generate_series(1, ${SESSIONS}::integer) as id
    cross join generate_series(0, 10) as event`.execute(db)
}

/** Inserts decisions, items and changes for every person, and records that were quarantined or not seen. */
async function fillState(db: Kysely<Tables>, integrationId: string): Promise<void> {
  const resource = integrationId === 'a' ? 'users' : 'registrants'
  const fields = sql`'{"firstName":"Ada","lastName":"Lovelace"}'::jsonb`
  for (const content of ['speakers', 'attendees']) {
    await sql`
      insert into sync.decisions (integration_id, content, resource, source_id, unique_id, decision, reason,
        detail, valid_from_run)
      select ${integrationId}, ${content}, ${resource}, id::text, id::text, 'synced', '', '', ${runId(1)}::uuid
      from generate_series(1, ${PEOPLE}::integer) as id`.execute(db)
    await sql`
      insert into sync.desired_items (integration_id, content, unique_id, fields, valid_from_run)
      select ${integrationId}, ${content}, id::text, ${fields}, ${runId(1)}::uuid
      from generate_series(1, ${PEOPLE}::integer) as id`.execute(db)
    await sql`
      insert into sync.platform_items (integration_id, content, unique_id, fields, run_id)
      select ${integrationId}, ${content}, id::text, ${fields}, ${runId(1)}::uuid
      from generate_series(1, ${PEOPLE}::integer) as id`.execute(db)
  }
  for (const number of [1, 2, 3]) {
    await sql`
      insert into sync.changes (integration_id, run_id, seq, content, unique_id, action, reason, change_hash, phase, state)
      select ${integrationId}, ${runId(number)}::uuid, id, 'attendees', id::text, 'update', '', ''::bytea, 'upserts', 'applied'
      from generate_series(1, ${PEOPLE}::integer) as id`.execute(db)
    await sql`
      insert into sync.unstaged (integration_id, run_id, resource, ordinal, source_id, reason, path, detail)
      select ${integrationId}, ${runId(number)}::uuid, ${resource}, id, id::text, 'duplicate_id', '', ''
      from generate_series(1, 3000) as id`.execute(db)
    await sql`
      insert into sync.unseen (integration_id, run_id, resource, source_id)
      select ${integrationId}, ${runId(number)}::uuid, ${resource}, id::text
      from generate_series(1, ${PEOPLE}::integer, 2) as id`.execute(db)
  }
}

/** Returns for each table how many rows this transaction has read by sequential scans. */
async function rowsRead(db: Kysely<Tables>): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ name: string; read: string }>`
    select schemaname || '.' || relname as name, seq_tup_read as read
    from pg_stat_xact_user_tables
    where schemaname in ('sync', 'staging')`.execute(db)
  expect(rows.length).toBeGreaterThan(10)
  return new Map(rows.map(({ name, read }) => [name, Number(read)]))
}

test.each([
  ['a', 'speakers', '20000'],
  ['a', 'attendees', '20000'],
  ['a', 'agenda', 's1'],
  ['b', 'speakers', '20000'],
  ['b', 'attendees', '20000'],
  ['b', 'attendees', 'nobody'],
] as const)('source %s: explaining %s %s reads no table by a whole scan', async (id, content, uniqueId) => {
  const integration = config.integrations.find((one) => one.id === id)
  if (integration === undefined) throw new Error(`no integration ${id}`)
  const scanned = await database().transaction(async (transaction) => {
    const before = await rowsRead(transaction)
    const asked = { config, integration, content: content as Content, uniqueId, showPersonal: false }
    await explainItem(transaction, asked).catch((error: Error) => {
      expect(error.message).toContain(' is unknown: ')
    })
    const after = await rowsRead(transaction)
    return [...after].filter(([name, read]) => read > (before.get(name) ?? 0) && name !== 'sync.runs')
  })
  expect(scanned).toEqual([])
})
