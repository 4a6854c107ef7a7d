import { expect } from 'vitest'
import type { Database } from '../../sql/database.ts'
import type { Resources } from '../harness/serve-records.ts'
import { ids } from '../support/runs.ts'
import type { Setup } from '../traps/sync.ts'
import { aSession, SLOT_0 } from '../traps/traps-of-a.ts'
import { bRegistrant, bSession } from '../traps/traps-of-b.ts'
import { serveIntegration } from './guarded-integration.ts'

// In these tests most items are removed at once, because their records state this.

const TYPES = [
  { id: 20, name: 'Speaker' },
  { id: 21, name: 'Guest' },
]
export const B: Setup = { source: { type: 'b', timeZone: 'UTC' } }
export const registrants = (count: number, cancelled: number, more: object = {}): Resources => ({
  sessions: [bSession('s1')],
  registrants: ids(count).map((id, place) =>
    bRegistrant(id, {
      reg_type_id: 21,
      session_ids: [],
      cancelled_at: place < cancelled ? '2031-02-03 04:05:06' : null,
      ...more,
    }),
  ),
  regTypes: TYPES,
})
export const A: Setup = { source: { type: 'a' }, content: ['agenda'] }
export const sessions = (count: number, fields: object, SessionTypes: readonly unknown[]): Resources => ({
  TimeSlots: [SLOT_0],
  SessionTypes,
  Sessions: ids(count).map((id) => aSession(id, { SessionTypeId: 'y1', ...fields })),
})
export const TALK = [{ Id: 'y1', Title: 'Talk' }]

/** Runs an integration with the records before, then with the records after. */
async function runBoth(database: Database, setup: Setup, before: Resources, after: Resources) {
  const source = await serveIntegration(database, setup, before)
  await source.run()
  source.hold(after)
  return { source, run: await source.run() }
}

/** Expects that the run is held, and that nothing is sent until the source is as before. */
export async function expectHeld(
  database: Database,
  setup: Setup,
  before: Resources,
  after: Resources,
  seen: string,
) {
  const { source, run } = await runBoth(database, setup, before, after)
  expect(run).toMatchObject({ code: 4, guard: 'statedRemovals', sent: null })
  expect(run.detail).toContain(seen)
  source.hold(before)
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: [] })
}

/** Expects that the items are removed without a hold. */
export async function expectRemoved(
  database: Database,
  setup: Setup,
  before: Resources,
  after: Resources,
  removed: number,
) {
  const { run } = await runBoth(database, setup, before, after)
  expect(run).toMatchObject({ code: 0, guard: null })
  expect(run.sent).toHaveLength(removed)
}
