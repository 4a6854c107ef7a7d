import { expect, test } from 'vitest'
import { integrationOfA } from './small-event.ts'
import { makeWorkspace } from './workspace.ts'

const INTEGRATIONS = 1000

/**
 * Fills the ledger with the rows that 30 runs of each integration would write. The last run of every fiftieth
 * integration has failed.
 */
const FILL = `
insert into sync.integrations (integration_id, source, source_url, source_place, source_event_id, platform, platform_url, platform_event_id, base)
select 'event-' || n, 'a', 'http://127.0.0.1:9', '127.0.0.1:9/', '4242', 'jsonl', '', '', 1 from generate_series(1, ${INTEGRATIONS}) as n;
insert into sync.runs (integration_id, run_id, command, status, started_at, planned_at, applied_at, finished_at, product_version, started_by, config_hash, contents, base, plan_hash, certified, counts, error)
select 'event-' || n, ('01a2' || lpad(to_hex(k), 4, '0') || '-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'run',
  case when k = 30 and n % 50 = 0 then 'failed' else 'finished' end,
  now() - (31 - k) * interval '1 hour', now() - (31 - k) * interval '1 hour', now() - (31 - k) * interval '1 hour', now() - (31 - k) * interval '1 hour' + interval '9 seconds',
  '1.0.0', 'root', 'c', '{agenda,speakers,attendees}', 1, 'h', true,
  '{"changes": {"agenda": {"create": 1, "update": 2, "remove": 0, "unchanged": 200}, "speakers": {"create": 0, "update": 0, "remove": 0, "unchanged": 50}, "attendees": {"create": 3, "update": 0, "remove": 1, "unchanged": 900}}, "excluded": {"not_a_speaker": 800}, "quarantined": 0, "kept": 0, "failed": 0}',
  case when k = 30 and n % 50 = 0 then 'extract failed: source a, answered 503' end
from generate_series(1, ${INTEGRATIONS}) as n, generate_series(1, 30) as k`

test('the status of 1,000 integrations is right, and its page has less than 1 MB', async () => {
  const workspace = await makeWorkspace('postgres')
  workspace.configure({
    http: { retryBudgetSeconds: 0 },
    integrations: Array.from({ length: INTEGRATIONS }, (_, index) =>
      integrationOfA(`event-${index + 1}`, 'http://127.0.0.1:9'),
    ),
  })
  for (const statement of FILL.split(';')) await workspace.rows(statement)
  const { code, stdout } = await workspace.run('status', '--json')
  expect(code).toBe(1)
  const { integrations } = JSON.parse(stdout)
  const states = Map.groupBy(integrations, ({ state }: { readonly state: string }) => state)
  expect([...states].map(([state, of]) => [state, of.length])).toEqual([
    ['failing', INTEGRATIONS / 50],
    ['up to date', INTEGRATIONS - INTEGRATIONS / 50],
  ])
  expect(integrations[0]).toMatchObject({ next: 'event-sync check event-50' })
  expect(integrations.at(-1).recent).toHaveLength(30)
  expect(integrations.at(-1).recent[0]).toEqual({ changes: 7, removals: 1, seconds: 9, hasFailed: false })
  // At its end, a run writes the page with the status of all integrations.
  await workspace.run('run', 'event-1')
  const page = workspace.read('out', 'index.html')
  expect(Buffer.byteLength(page)).toBeLessThan(1_000_000)
  for (const { integration } of integrations) expect(page).toContain(`>${integration}<`)
})
