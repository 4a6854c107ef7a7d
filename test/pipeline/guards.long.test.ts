import { expect, test } from 'vitest'
import { describeReport } from '../../pipeline/commands/print-report.ts'
import { ids } from '../support/runs.ts'
import { useDatabase } from '../support/use-database.ts'
import type { Setup } from '../traps/sync.ts'
import { SLOT_0 } from '../traps/traps-of-a.ts'
import { bSession } from '../traps/traps-of-b.ts'
import { ATTENDEES, sessions, synced, users, withholding } from './guarded-events.ts'

const database = useDatabase('pglite')

test('removals of several runs within a day are added up and held; a day later they are not held [R45]', async () => {
  const source = await synced(database(), ATTENDEES, users(100))
  source.hold(users(81))
  const first = await source.run()
  expect(first).toMatchObject({ code: 0, guard: null })
  expect(first.sent).toHaveLength(19)
  source.hold(users(66))
  const run = await source.run()
  expect(run).toMatchObject({ code: 4, guard: 'removals', sent: null })
  expect(run.detail).toContain('15 of 81 live items of attendees would be removed')
  expect(run.detail).toContain('after 19 others within a day')
  source.wait(25)
  const late = await source.run()
  expect(late).toMatchObject({ code: 0, guard: null })
  expect(late.sent).toHaveLength(15)
})

test('a wrong time zone moves every session, so the run is held', async () => {
  const inZone = (timeZone: string): Setup => ({ source: { type: 'b', timeZone }, content: ['agenda'] })
  const records = { sessions: ids(25, 's').map((id) => bSession(id)) }
  const source = await synced(database(), inZone('Europe/Berlin'), records)
  source.configure(inZone('America/New_York'))
  const run = await source.run()
  expect(run).toMatchObject({ code: 4, guard: 'massUpdate', sent: null })
  expect(run.detail).toContain('startTime of agenda would change in 25 of 25 live items')
  expect(run.detail).toContain('Check source.timeZone')
  expect(describeReport(run.report)).toMatch(/held by massUpdate: .*\n {2}Check source\.timeZone.*\n/)
})

test('a plan without changes is not held, even if a resource is empty', async () => {
  const source = await synced(
    database(),
    { source: { type: 'a' }, content: ['agenda'] },
    { ...sessions(3), Rooms: [{ Id: 'r', Name: 'Unused' }] },
  )
  source.hold(sessions(3))
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: [] })
})

test('onHold withholdRemovals: if all items of one content are gone, the changes of the other contents are sent', async () => {
  const setup = withholding({ source: { type: 'a' }, content: ['agenda', 'attendees'] })
  const source = await synced(database(), setup, { ...sessions(4), ...users(5) })
  source.hold({ TimeSlots: [SLOT_0], ...users(6) })
  const run = await source.run()
  expect(run).toMatchObject({ code: 4, guard: 'emptied', sent: ['upsert attendees u6'] })
  expect(run.detail).toContain('sessions had 4 records and has none now;')
  expect(run.detail).toContain('; also removals: 4 of 4 live items of agenda would be removed')
})

test('onHold withholdRemovals: after a blackout the whole plan is still held', async () => {
  const source = await synced(database(), withholding(ATTENDEES), users(30, { Company: 'Mill' }))
  source.hold(users(20))
  expect(await source.run()).toMatchObject({ code: 4, guard: 'blackout', sent: null })
})
