import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { describeReport } from '../../pipeline/commands/print-report.ts'
import { ids } from '../support/runs.ts'
import { useDatabase } from '../support/use-database.ts'
import { readPack } from '../traps/pack.ts'
import { startScripted } from '../traps/scripted.ts'
import type { Resources, Setup } from '../traps/sync.ts'
import { aSession, aUser, SLOT_0 } from '../traps/traps-of-a.ts'
import { bRegistrant, bSession } from '../traps/traps-of-b.ts'
import { type Integration, makeIntegration, serve } from './guarded-integration.ts'

// Whole runs over a source that stands still, changes, and lies.

const database = useDatabase('pglite')
let output = ''
beforeAll(() => {
  output = mkdtempSync(join(tmpdir(), 'event-sync-guards-'))
})
afterAll(() => rmSync(output, { recursive: true, force: true }))

let count = 0
function place() {
  count += 1
  return { database: database(), output, id: `guarded-${count}` }
}

/** A source whose records can change, synced once. */
async function synced(
  setup: Setup,
  records: Resources,
): Promise<Integration & { hold(records: Resources): void }> {
  const server = await serve(setup, records)
  onTestFinished(() => server.close())
  const integration = makeIntegration(place(), server.url, setup)
  expect(await integration.run()).toMatchObject({ code: 0, guard: null })
  return { ...integration, hold: server.hold }
}

const ATTENDEES: Setup = { source: { type: 'a' }, content: ['attendees'] }
const users = (number: number, fields: Readonly<Record<string, unknown>> = {}) => ({
  Users: ids(number, 'u').map((id) => aUser(id, fields)),
})
const sessions = (number: number, fields: Readonly<Record<string, unknown>> = {}) => ({
  TimeSlots: [SLOT_0],
  Sessions: ids(number, 's').map((id) => aSession(id, fields)),
})

test('a field that is taken off "View" holds, and holds again, until it is back', async () => {
  const source = await synced(ATTENDEES, users(30, { Company: 'Secret Mill' }))
  source.hold(users(30, { Company: null }))
  for (const run of [await source.run(), await source.run()]) {
    expect(run).toMatchObject({ code: 4, guard: 'blackout', sent: null })
    expect(run.report).toMatchObject({ status: 'held', changes: { attendees: { update: 30 } } })
    expect(run.detail).toContain('users.company had a value in 30 of 30 records, now in 0;')
    expect(run.detail).toContain('check at the source that it is still visible')
    expect(run.detail).toContain(
      '; also massUpdate: company of attendees would change in 30 of 30 live items',
    )
    expect(JSON.stringify(run.report)).not.toContain('Secret')
    expect(describeReport(run.report)).toContain(
      `\n  apply it with: event-sync apply ${run.report.integration} ${run.report.planHash}\n`,
    )
  }
  source.hold(users(30, { Company: 'Secret Mill' }))
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: [] })
})

test('with guards.blackout false it passes, where no other guard trips', async () => {
  const source = await synced(
    { ...ATTENDEES, guards: { blackout: false, massUpdate: 1 } },
    users(30, { Company: 'Mill' }),
  )
  source.hold(users(30))
  expect(await source.run()).toMatchObject({ code: 0, guard: null })
})

test('a required field that few records have holds when it is hidden', async () => {
  const some = (EmailAddress: unknown) => ({
    Users: [
      ...users(40, { EmailAddress: null }).Users,
      ...ids(12, 'known').map((id) => aUser(id, { EmailAddress })),
    ],
  })
  const source = await synced(ATTENDEES, some('ada@people.example'))
  source.hold(some(null))
  const run = await source.run()
  expect(run).toMatchObject({ code: 4, guard: 'blackout', sent: null })
  expect(run.detail).toContain('users.email_address (required) had a value in 12 of 52 records, now in 0;')
  expect(run.detail).toContain(
    '; also removals: 12 of 12 live items of attendees would be removed without a record that asks for it (missing_required:emailAddress 12), removals.maxShare is 0.2, none would be left;',
  )
})

test('a fifth that goes run after run holds, and so does the next run; a day later it passes', async () => {
  const source = await synced(ATTENDEES, users(100))
  source.hold(users(81))
  const first = await source.run()
  expect(first).toMatchObject({ code: 0, guard: null })
  expect(first.sent).toHaveLength(19)
  source.hold(users(66))
  for (const run of [await source.run(), await source.run()]) {
    expect(run).toMatchObject({ code: 4, guard: 'removals', sent: null })
    expect(run.detail).toContain('15 of 81 live items of attendees would be removed')
    expect(run.detail).toContain('after 19 within a day')
  }
  source.wait(25)
  const late = await source.run()
  expect(late).toMatchObject({ code: 0, guard: null })
  expect(late.sent).toHaveLength(15)
})

test('an agenda that vanishes holds, and what the guard saw is told from the cause on', async () => {
  const source = await synced(
    { source: { type: 'a' } },
    { ...sessions(15, { Speakers: [{ Id: 'u1' }] }), ...users(3) },
  )
  source.hold({ TimeSlots: [SLOT_0], ...users(3) })
  const run = await source.run()
  expect(run).toMatchObject({ code: 4, guard: 'emptied', sent: null })
  expect(run.detail).toContain('sessions had 15 records and has none now;')
  expect(run.detail).toContain('; also removals: 15 of 15 live items of agenda would be removed')
  expect(run.detail).toContain('1 of 1 live item of speakers would be removed')
})

test('a small agenda that vanishes holds too: a share of few is nothing, but none left is', async () => {
  const source = await synced({ source: { type: 'a' }, content: ['agenda'] }, sessions(2))
  source.hold({ TimeSlots: [SLOT_0], Sessions: [aSession('other', { Title: null })] })
  const run = await source.run()
  expect(run).toMatchObject({ code: 4, guard: 'removals' })
  expect(run.detail).toContain('2 of 2 live items of agenda would be removed')
})

test('a wrong time zone moves every session, which holds', async () => {
  const inZone = (timeZone: string): Setup => ({ source: { type: 'b', timeZone }, content: ['agenda'] })
  const records = { sessions: ids(25, 's').map((id) => bSession(id)) }
  const source = await synced(inZone('Europe/Berlin'), records)
  source.configure(inZone('America/New_York'))
  const run = await source.run()
  expect(run).toMatchObject({ code: 4, guard: 'massUpdate', sent: null })
  expect(run.detail).toContain('startTime of agenda would change in 25 of 25 live items')
  expect(run.detail).toContain('check source.timeZone')
  source.configure(inZone('Europe/Berlin'))
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: [] })
})

test('a read that is not proved complete removes nothing, whatever it did not see; a complete one does', async () => {
  let given = ids(6)
  let declared = 6
  const server = await startScripted(({ at }) => ({
    items: at === 1 ? given.map((id) => bRegistrant(id)) : [],
    _meta: { totalCount: declared, currentPage: at, perPage: 200 },
  }))
  onTestFinished(() => server.close())
  const integration = makeIntegration(place(), server.url, {
    source: { type: 'b', timeZone: 'UTC' },
    content: ['attendees'],
  })
  await integration.run()
  given = ids(4)
  const blind = await integration.run()
  expect(blind).toMatchObject({ code: 3, guard: null, sent: [] })
  expect(blind.report.certified).toBe(false)
  declared = 4
  expect(await integration.run()).toMatchObject({
    code: 0,
    sent: ['remove attendees i5', 'remove attendees i6'],
  })
})

test('beside a record that could not be read nothing is removed by inference; attested removals go on', async () => {
  const setup: Setup = { source: { type: 'a' }, content: ['agenda', 'attendees'] }
  const source = await synced(setup, { ...sessions(5), ...users(9) })
  source.hold({
    TimeSlots: [SLOT_0],
    Sessions: [
      ...sessions(2).Sessions,
      aSession('s3', { Title: null }),
      aSession('s4', { Enabled: false }),
      { Title: 'of no id' },
    ],
    ...users(8),
  })
  const run = await source.run()
  expect(run).toMatchObject({ code: 3, guard: null })
  // The session that seems to be gone may be the one without an id; the users were all read.
  expect(run.sent).toEqual(['remove attendees u9', 'remove agenda s4'])
  expect(run.report.changes.agenda).toMatchObject({ remove: 1, unchanged: 3 })
  expect(run.report.kept).toBe(1)
})

test('an approved plan lands as it was held, by its hash, and the next run is quiet', async () => {
  const source = await synced(ATTENDEES, users(30))
  source.hold(users(20))
  const held = await source.run()
  expect(held).toMatchObject({ code: 4, guard: 'removals' })
  const approved = await source.approve(held.report.planHash)
  expect(approved).toMatchObject({ code: 0, guard: 'removals' })
  expect(approved.report).toMatchObject({ status: 'finished', run: held.report.run })
  expect(approved.sent).toEqual(
    ids(30, 'u')
      .slice(20)
      .map((id) => `remove attendees ${id}`)
      .sort(),
  )
  expect(describeReport(approved.report)).toContain('\n  approved, though held by removals: ')
  const manifest = JSON.parse(readFileSync(join(approved.report.output ?? '', 'manifest.json'), 'utf8'))
  expect(manifest).toMatchObject({ approvedBy: 'Ada', held: { guard: 'removals' } })
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: [] })
  // The window begins anew with the approval.
  source.hold(users(16))
  expect(await source.run()).toMatchObject({ code: 0, guard: null })
})

test('a plan that was approved late is what the next is compared with, whatever ran since', async () => {
  const source = await synced(ATTENDEES, users(30, { Company: 'Mill' }))
  source.hold(users(30))
  const held = await source.run()
  expect(held).toMatchObject({ code: 4, guard: 'blackout' })
  // The source recovers, so that there is nothing to do; then the plan of before is approved all the same.
  source.hold(users(30, { Company: 'Mill' }))
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: [] })
  expect(await source.approve(held.report.planHash)).toMatchObject({ code: 0 })
  source.hold(users(31))
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: ['upsert attendees u31'] })
})

test('a plan without changes is not held, whatever is empty', async () => {
  const source = await synced(
    { source: { type: 'a' }, content: ['agenda'] },
    { ...sessions(3), Rooms: [{ Id: 'r', Name: 'Unused' }] },
  )
  source.hold(sessions(3))
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: [] })
})

test('with removals.action keep nothing is removed, and nothing of it is held', async () => {
  const source = await synced({ ...ATTENDEES, removals: { action: 'keep' } }, users(30))
  source.hold(users(10))
  const run = await source.run()
  expect(run).toMatchObject({ code: 0, guard: null, sent: [] })
  expect(run.report.kept).toBe(20)
})

const withholding = (setup: Setup): Setup => ({ ...setup, guards: { onHold: 'withholdRemovals' } })

test('onHold withholdRemovals: the rest lands, no removal does, and it ends with 4 until somebody approves', async () => {
  const setup = withholding({ source: { type: 'a' }, content: ['agenda', 'attendees'] })
  const source = await synced(setup, { ...sessions(4), ...users(30) })
  // One session is attested to go: where removals are in doubt, none is sent.
  const Sessions = [...sessions(3).Sessions, aSession('s4', { Enabled: false })]
  const Users = [...users(19).Users, aUser('u20', { Company: 'New' })]
  source.hold({ TimeSlots: [SLOT_0], Sessions, Users })
  const run = await source.run()
  expect(run).toMatchObject({ code: 4, guard: 'removals', sent: ['upsert attendees u20'] })
  expect(run.report).toMatchObject({ status: 'finished', withheld: 11 })
  const pack = readPack(run.report.output ?? '')
  expect(pack.decisions.filter(({ action }) => action === 'remove')).toEqual([])
  expect(pack.items.attendees.size).toBe(20)
  expect(readFileSync(join(run.report.output ?? '', 'changes.csv'), 'utf8')).not.toContain('"remove"')
  expect(describeReport(run.report)).toMatch(
    /applied, 1 changes\n(.*\n)*.*withheld {3}11 removals; to approve them: event-sync plan guarded-\d+,/,
  )

  const again = await source.run()
  expect(again).toMatchObject({ code: 4, guard: 'removals', sent: [] })
  expect(again.report).toMatchObject({ status: 'finished', withheld: 11 })

  const planned = await source.plan()
  expect(planned).toMatchObject({ code: 4, guard: 'removals', sent: null })
  expect(planned.report.status).toBe('held')
  const approved = await source.approve(planned.report.planHash)
  expect(approved).toMatchObject({ code: 0 })
  expect(approved.sent).toHaveLength(11)
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: [] })
})

test('onHold withholdRemovals: where all of a content is gone, the other contents land', async () => {
  const setup = withholding({ source: { type: 'a' }, content: ['agenda', 'attendees'] })
  const source = await synced(setup, { ...sessions(4), ...users(5) })
  source.hold({ TimeSlots: [SLOT_0], ...users(6) })
  expect(await source.run()).toMatchObject({ code: 4, guard: 'emptied', sent: ['upsert attendees u6'] })
})

test('onHold withholdRemovals: a blackout, or a lookup that is empty, holds everything all the same', async () => {
  const source = await synced(withholding(ATTENDEES), users(30, { Company: 'Mill' }))
  source.hold(users(20))
  expect(await source.run()).toMatchObject({ code: 4, guard: 'blackout', sent: null })

  const agenda = withholding({ source: { type: 'a' }, content: ['agenda'] })
  const Rooms = [{ Id: 'r', Name: 'Room' }]
  const rooms = await synced(agenda, { ...sessions(4, { RoomId: 'r' }), Rooms })
  rooms.hold({ ...sessions(3, { RoomId: 'r' }), Rooms: [] })
  expect(await rooms.run()).toMatchObject({ code: 4, guard: 'emptied', sent: null })
})
