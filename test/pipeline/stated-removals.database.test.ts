import { expect, test } from 'vitest'
import { describeReport } from '../../pipeline/commands/print-report.ts'
import type { Resources } from '../harness/serve-records.ts'
import { useDatabase } from '../support/use-database.ts'
import type { Setup } from '../traps/sync.ts'
import { bRegistrant } from '../traps/traps-of-b.ts'
import { serveIntegration } from './guarded-integration.ts'
import { A, B, expectHeld, expectRemoved, registrants, sessions, TALK } from './stated-removals.ts'

const database = useDatabase('pglite')

test('a cancelled event is held once, and one approval is enough for all its removals', async () => {
  const source = await serveIntegration(database(), B, registrants(60, 0))
  await source.run()
  source.hold(registrants(60, 60))
  const held = await source.run()
  expect(held).toMatchObject({ code: 4, guard: 'statedRemovals', sent: null })
  expect(held.detail).toMatch(
    /^60 of 60 attendees would be removed: cancelled \(registrants\.cancelled_at\); removals\.maxStatedShare is 0\.5\n/,
  )
  expect(describeReport(held.report)).toContain('held by statedRemovals: 60 of 60 attendees would be removed')
  const approved = await source.approve(held.report.planHash)
  expect(approved).toMatchObject({ code: 0 })
  expect(approved.sent).toHaveLength(60)
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: [] })
})

test.each<[string, Setup, Resources, Resources, string]>([
  [
    'all registrants get another type',
    B,
    registrants(30, 0, { reg_type_id: 20 }),
    registrants(30, 0, { reg_type_id: { id: 21, value: 'Delegate' } }),
    '30 of 30 speakers would be removed: not_a_speaker (registrants.reg_type_id, reg_types.name)',
  ],
  [
    'a flag becomes false for all sessions',
    A,
    sessions(24, { Enabled: true }, TALK),
    sessions(24, { Enabled: false }, TALK),
    '24 of 24 agenda would be removed: not_published (sessions.enabled, sessions.visible_to_anonymous_users)',
  ],
])(
  '%s: the run is held, and nothing is sent until the source is as before',
  (_, setup, before, after, seen) => expectHeld(database(), setup, before, after, seen),
)

test.each<[string, Setup, Resources, Resources, number]>([
  ['just half is cancelled', B, registrants(60, 0), registrants(60, 30), 30],
])('%s: the items are removed without a hold', (_, setup, before, after, removed) =>
  expectRemoved(database(), setup, before, after, removed),
)

test('removals of the last day are added up: two thirds in two runs are held; a day later they are sent', async () => {
  const source = await serveIntegration(database(), B, registrants(60, 0))
  await source.run()
  source.hold(registrants(60, 20))
  expect(await source.run()).toMatchObject({ code: 0, guard: null })
  source.hold(registrants(60, 34))
  const held = await source.run()
  expect(held).toMatchObject({ code: 4, guard: 'statedRemovals', sent: null })
  expect(held.detail).toContain('14 of 40 attendees would be removed')
  expect(held.detail).toContain(', after 20 others within a day;')
  source.wait(25)
  expect(await source.run()).toMatchObject({ code: 0, guard: null })
})

test('onHold withholdRemovals: other changes are sent, reports say how to approve the removals, and an approval sends them', async () => {
  const setup: Setup = { ...B, guards: { onHold: 'withholdRemovals' } }
  const source = await serveIntegration(database(), setup, registrants(40, 0))
  await source.run()
  const cancelled = registrants(40, 40)
  const fresh = bRegistrant('new', { reg_type_id: 21, session_ids: [] })
  source.hold({ ...cancelled, registrants: [...(cancelled.registrants ?? []), fresh] })
  const run = await source.run()
  expect(run).toMatchObject({ code: 4, guard: 'statedRemovals', sent: ['upsert attendees new'] })
  expect(describeReport(run.report)).toMatch(
    /withheld {3}40 removals; to approve: event-sync plan place-\d+,/,
  )
  expect(await source.run()).toMatchObject({ code: 4, guard: 'statedRemovals', sent: [] })
  const planned = await source.plan()
  expect((await source.approve(planned.report.planHash)).sent).toHaveLength(40)
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: [] })
})
