import { expect, test } from 'vitest'
import { withClient } from '../../support/postgres.ts'
import { startScriptedSource } from '../commands/scripted-source.ts'
import { integrationOfA, smallEvent } from '../commands/small-event.ts'
import { makeWorkspace, type Workspace } from '../commands/workspace.ts'

const URL_OF_NOBODY = 'http://127.0.0.1:9'
const DAILY = { schedule: { cron: '0 6 * * *', timeZone: 'UTC', jitterSeconds: 0 } }
const HELD = { held: { guard: 'blackout', detail: 'users had an email\nlook' } }
const PINNED = { pinned: { since: '2031-05-01T06:00:00Z', until: null, reason: null } }
const LONG_AGO = { started_at: '2020-05-04T06:00:30Z', next_due_at: '2020-05-05T06:00:00Z' }
const counts = (more: object) => ({ counts: { changes: {}, excluded: {}, quarantined: 0, kept: 0, ...more } })

interface Scenario {
  readonly state: string
  /** Columns of the runs, from the oldest to the newest. */
  readonly runs: readonly object[]
  readonly actions?: readonly object[]
  readonly config?: object
  readonly keptOut?: 'forgotten' | 'suppressed'
  readonly isLocked?: boolean
  readonly reason?: string | null
}

const paused = { action: 'paused' }
const finished = { status: 'finished' }
const failed = { status: 'failed', error: 'extract failed: answered 503\nnext line' }
const held = { status: 'held', ...HELD }

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  finished: { state: 'up to date', runs: [failed, finished], reason: null },
  failed: { state: 'failing', runs: [finished, failed], reason: 'extract failed: answered 503' },
  held: { state: 'held', runs: [finished, held], reason: 'held by the guard blackout' },
  withheld: { state: 'held', runs: [{ ...finished, ...HELD }] },
  approved: { state: 'up to date', runs: [{ ...finished, ...HELD, approved_at: '2031-05-01T06:00:00Z' }] },
  unproved: {
    state: 'incomplete',
    runs: [{ ...finished, certified: false }],
    reason: 'a read was not proved complete',
  },
  quarantined: {
    state: 'incomplete',
    runs: [{ ...finished, ...counts({ quarantined: 2 }) }],
    reason: 'records that could not be read: 2',
  },
  tolerated: {
    state: 'up to date',
    runs: [{ ...finished, ...counts({ quarantined: 2 }), max_quarantined: 2 }],
    config: { guards: { maxQuarantined: 2 } },
  },
  rejected: {
    state: 'incomplete',
    runs: [{ ...finished, ...counts({ failed: 3 }) }],
    reason: 'changes that the platform rejected: 3',
  },
  missed: {
    state: 'incomplete',
    runs: [{ ...finished, ...counts({ missed: { users: { count: 1, fields: {} } } }) }],
    reason: 'readings by changes missed records',
  },
  interrupted: {
    state: 'interrupted',
    runs: [finished, { status: 'applying' }],
    reason: 'interrupted; the next run continues',
  },
  'interrupted-by-a-fault': {
    state: 'failing',
    runs: [finished, { ...failed, status: 'applying' }],
    reason: 'extract failed: answered 503',
  },
  'interrupted-while-pinned': { state: 'interrupted', runs: [{ status: 'running' }], actions: [paused] },
  'under-way': { state: 'up to date', runs: [finished, { status: 'running' }], isLocked: true },
  'under-way-first': { state: 'never run', runs: [{ status: 'running' }], isLocked: true },
  'only-planned': { state: 'never run', runs: [{ status: 'planned', command: 'plan' }] },
  'planned-later': { state: 'failing', runs: [failed, { status: 'planned', command: 'plan' }] },
  abandoned: { state: 'up to date', runs: [finished, { status: 'abandoned' }] },
  paused: { state: 'pinned', runs: [finished], actions: [paused], reason: 'pinned' },
  'paused-until': {
    state: 'pinned',
    runs: [held],
    actions: [{ ...paused, until: '2099-05-01T06:00:00Z' }],
    reason: 'pinned until 2099-05-01T06:00:00Z; held by the guard blackout',
  },
  'paused-without-a-run': { state: 'pinned', runs: [], actions: [paused] },
  'pause-over': {
    state: 'up to date',
    runs: [finished],
    actions: [{ ...paused, until: '2020-05-01T06:00:00Z' }],
    reason: null,
  },
  resumed: {
    state: 'up to date',
    runs: [finished, { status: 'planned', ...PINNED }],
    actions: [paused, { action: 'resumed' }],
  },
  'held-while-paused': {
    state: 'held',
    runs: [finished, { ...held, ...PINNED }],
    actions: [paused, { action: 'resumed' }],
    reason: 'held by the guard blackout',
  },
  'rolled-back': { state: 'pinned', runs: [finished], actions: [{ action: 'rolled_back' }] },
  'failing-while-pinned': {
    state: 'failing',
    runs: [{ status: 'planned', ...PINNED }, failed],
    actions: [paused],
    reason: 'pinned; extract failed: answered 503',
  },
  'pinned-after-a-failure': {
    state: 'pinned',
    runs: [failed, { status: 'planned', ...PINNED }],
    actions: [paused],
  },
  forgotten: {
    state: 'incomplete',
    runs: [finished],
    keptOut: 'forgotten',
    reason: 'the platform still has items of people who were forgotten',
  },
  suppressed: {
    state: 'incomplete',
    runs: [finished],
    keptOut: 'suppressed',
    reason: 'the platform still has items that were left out by hand',
  },
  overdue: {
    state: 'overdue',
    runs: [{ ...finished, ...LONG_AGO }],
    config: DAILY,
    reason: 'due at 2020-05-05T06:00:00Z, but no run has started since',
  },
  'overdue-while-pinned': {
    state: 'overdue',
    runs: [{ ...finished, ...LONG_AGO }],
    actions: [paused],
    config: DAILY,
  },
  'overdue-and-failing': { state: 'failing', runs: [{ ...failed, ...LONG_AGO }], config: DAILY },
  'overdue-after-a-plan': {
    state: 'never run',
    runs: [{ status: 'planned', command: 'plan', ...LONG_AGO }],
    config: DAILY,
    reason: 'due at 2020-05-05T06:00:00Z, but no run has started since',
  },
}

const quoted = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`

async function enter(
  { rows }: Workspace,
  id: string,
  place: number,
  { runs, actions = [], keptOut }: Scenario,
) {
  const idOf = (index: number) => `01a1fda0-0000-7000-8000-${String(place * 100 + index).padStart(12, '0')}`
  const insert = (table: string, row: object) =>
    rows(`insert into ${table} select * from jsonb_populate_record(null::${table}, ${quoted(row)})`)
  await insert('sync.integrations', {
    ...{ integration_id: id, source: 'a', source_url: URL_OF_NOBODY, source_place: `127.0.0.1:9/${id}` },
    ...{ source_event_id: '4242', platform: 'jsonl', platform_url: '', platform_event_id: '', base: 1 },
    ...{ owns_platform_event: true, fence: 0, platform_fence: 0, platform_base: 0, contents_read_back: [] },
  })
  const now = new Date().toISOString()
  for (const [index, run] of runs.entries()) {
    await insert('sync.runs', {
      ...{
        integration_id: id,
        run_id: idOf(index),
        command: 'run',
        product_version: '1.0.0',
        started_by: 'me',
      },
      ...{ started_at: now, planned_at: now, finished_at: now, config_hash: '', contents: ['attendees'] },
      ...{ base: 1, plan_hash: 'f00d', certified: true, custom: {}, silenced_hints: [], max_quarantined: 0 },
      ...{ reissue_due: false, has_plan_page: false, ...counts({}), ...run },
    })
  }
  for (const [index, action] of actions.entries())
    await insert('sync.actions', {
      ...{ integration_id: id, action_id: idOf(index), made_at: now, made_by: 'me', reason: 'Ada asked' },
      ...action,
    })
  if (keptOut === undefined) return
  const of = { source: 'a', source_place: `127.0.0.1:9/${id}`, source_event_id: '4242', integration_id: id }
  await insert('sync.platform_items', {
    ...{ integration_id: id, content: 'speakers', unique_id: 'u1', fields: {}, run_id: idOf(0) },
    preexisting: false,
  })
  if (keptOut === 'suppressed')
    await insert('sync.suppressed', {
      ...{ ...of, content: 'speakers', unique_id: 'u1', suppressed_at: now, suppressed_by: 'me' },
    })
  else
    await insert('sync.forgotten', {
      ...{ ...of, token: 'u1', id_mac: '\\x00', forgotten_in: id, key_check: '\\x00' },
      ...{ forgotten_at: now, forgotten_by: 'me' },
    })
}

test('published.integrations has the same states, times and running runs as status, with a reason', async () => {
  const workspace = await makeWorkspace('postgres')
  const ids = Object.keys(SCENARIOS)
  workspace.configure({
    http: { retryBudgetSeconds: 0 },
    integrations: ids.map((id) => ({ ...integrationOfA(id, URL_OF_NOBODY), ...SCENARIOS[id]?.config })),
  })
  for (const [place, [id, scenario]] of Object.entries(SCENARIOS).entries())
    await enter(workspace, id, place, scenario)
  await withClient(workspace.env.DATABASE_URL ?? '', async (client) => {
    for (const id of ids.filter((one) => SCENARIOS[one]?.isLocked === true))
      await client.query("select pg_advisory_lock(hashtextextended('event-content-sync ' || $1::text, 0))", [
        id,
      ])
    const { stdout } = await workspace.run('status', '--json')
    const told = (JSON.parse(stdout).integrations as readonly Record<string, unknown>[]).map((one) => [
      one.integration,
      [one.state, one.running, one.lastSuccessAt, one.dueAt],
    ])
    const rows = await workspace.rows('select * from published.integrations')
    const iso = (time: unknown) => (time instanceof Date ? time.toISOString() : null)
    const shown = rows.map((row) => [
      row.integration_id,
      [row.state, row.is_running, iso(row.last_success_at), iso(row.next_due_at)],
    ])
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(told))
    expect(Object.fromEntries(rows.map(({ integration_id, state }) => [integration_id, state]))).toEqual(
      Object.fromEntries(Object.entries(SCENARIOS).map(([id, { state }]) => [id, state])),
    )
    const reasons = new Map(rows.map(({ integration_id, reason }) => [integration_id, reason]))
    for (const [id, { reason }] of Object.entries(SCENARIOS))
      if (reason !== undefined) expect([id, reasons.get(id)]).toEqual([id, reason])
    // The reason of a pause may name people.
    expect(JSON.stringify(rows)).not.toContain('Ada')
  })
})

test('a run stores when the next run is due, and published.integrations has the numbers of items', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  const guards = { maxQuarantined: 7 }
  workspace.configure({ integrations: [{ ...integrationOfA('summit', source.url), ...DAILY, guards }] })
  await workspace.run('run')
  const { integrations } = JSON.parse((await workspace.run('status', '--json')).stdout)
  const [row] = await workspace.rows(`
    select state, reason, next_due_at, agenda_items::int, speakers::int, attendees::int,
      (select max_quarantined::int from sync.runs) as max_quarantined
    from published.integrations`)
  expect(row).toEqual({
    ...{ state: 'up to date', reason: null, next_due_at: new Date(integrations[0].dueAt) },
    ...{ agenda_items: 2, speakers: 1, attendees: 4, max_quarantined: 7 },
  })
  await workspace.rows("update sync.runs set counts = jsonb_set(counts, '{changes,attendees,handover}', '2')")
  expect(await workspace.rows('select attendees::int from published.integrations')).toEqual([
    { attendees: 6 },
  ])
})
