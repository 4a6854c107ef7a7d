import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeReport } from '../../pipeline/commands/print-report.ts'
import { readPack } from '../harness/read-pack.ts'
import { ids } from '../support/runs.ts'
import { useDatabase } from '../support/use-database.ts'
import { startScripted } from '../traps/scripted.ts'
import type { Setup } from '../traps/sync.ts'
import { aSession, aUser, SLOT_0 } from '../traps/traps-of-a.ts'
import { bRegistrant } from '../traps/traps-of-b.ts'
import { ATTENDEES, sessions, synced, users, withholding } from './guarded-events.ts'
import { makeIntegration, newPlace } from './guarded-integration.ts'

const database = useDatabase('pglite')

test('if a field loses its "View" setting, each run is held until the field is back [spec 2.1.1, R46]', async () => {
  const source = await synced(database(), ATTENDEES, users(30, { Company: 'Secret Mill' }))
  source.hold(users(30, { Company: null }))
  const held = [await source.run(), await source.run()]
  for (const run of held) {
    expect(run).toMatchObject({ code: 4, guard: 'blackout', sent: null })
    expect(run.report).toMatchObject({ status: 'held', changes: { attendees: { update: 30 } } })
    expect(run.detail).toContain('users.company had a value in 30 of 30 records, now in 0')
    expect(run.detail).toContain('Check at the source that this reader may still see it')
    expect(run.detail).toContain(
      '; also massUpdate: company of attendees would change in 30 of 30 live items',
    )
    expect(JSON.stringify(run.report)).not.toContain('Secret')
    expect(describeReport(run.report)).toContain(
      `\n  apply it with: event-sync apply ${run.report.integration} ${run.report.planHash}\n`,
    )
  }
  source.hold(users(30, { Company: 'Secret Mill' }))
  const quiet = await source.run()
  expect(quiet).toMatchObject({ code: 0, guard: null, sent: [] })
  // The approval of the older plan is refused, even though the newer plan contains no change.
  const late = await source.approve(held[1]?.report.planHash ?? '')
  expect(late).toMatchObject({ code: 4, sent: null })
  expect(late.report.error).toContain(`the newest is ${quiet.report.planHash}`)
})

test('a change of the configuration that changes all items is held, and the hold names the changed key', async () => {
  const Speakers = [{ Id: 'u1' }, { Id: 'u2' }]
  const records = {
    ...sessions(25, { Level: 'Basic', Grade: 'B', Speakers }),
    Users: ['u1', 'u2'].map((id) => aUser(id)),
  }
  const setup: Setup = { source: { type: 'a' }, content: ['agenda', 'speakers'] }
  const source = await synced(database(), { ...setup, fields: { agenda: { level: 'Level' } } }, records)
  source.configure({ ...setup, fields: { agenda: { level: 'Grade' } } })
  expect(await source.run()).toMatchObject({
    guard: 'massUpdate',
    detail: expect.stringMatching(
      /\nCheck fields\.agenda\.level, which was Level as text and is Grade as text now\.$/,
    ),
  })
  source.configure({
    ...setup,
    fields: { agenda: { level: 'Level' } },
    exclude: [{ name: 'slip', content: 'speakers', where: { uniqueId: 'u2' } }],
    removals: { action: 'keep' },
  })
  expect(await source.run()).toMatchObject({
    guard: 'massUpdate',
    detail: expect.stringMatching(
      /^speakerIds of agenda .*\nCheck the rules of exclude that leave out what was synced before: slip\.$/,
    ),
  })
})

/** Returns thirty speakers who share a keynote. The first of these speakers also have their own session. */
function programme(sessionsOfTheirOwn: number) {
  const { Users } = users(30)
  const own = Users.slice(0, sessionsOfTheirOwn).map(({ Id }, place) =>
    aSession(`s${place + 1}`, { Speakers: [{ Id }] }),
  )
  const keynote = aSession('keynote', { Speakers: Users.map(({ Id }) => ({ Id })) })
  return { TimeSlots: [SLOT_0], Sessions: [keynote, ...own], Users }
}

test('onHold withholdRemovals: if most sessions vanish, the hold names the removals, and all other changes are sent', async () => {
  const source = await synced(database(), withholding({ source: { type: 'a' } }), programme(30))
  source.hold(programme(5))
  const run = await source.run()
  expect(run).toMatchObject({ code: 4, guard: 'removals' })
  expect(run.detail).not.toContain('massUpdate')
  expect(run.report).toMatchObject({ status: 'finished', withheld: 25 })
  expect(run.sent).toHaveLength(25)
})

test('an incomplete reading removes nothing, whichever records are missing; a complete reading removes missing records [R21]', async () => {
  let given = ids(6)
  let declared = 6
  const server = await startScripted(({ at }) => ({
    items: at === 1 ? given.map((id) => bRegistrant(id)) : [],
    _meta: { totalCount: declared, currentPage: at, perPage: 200 },
  }))
  onTestFinished(() => server.close())
  const integration = makeIntegration(newPlace(database()), server.url, {
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

test('if a session is unreadable, missing sessions are kept, and all other removals are sent', async () => {
  const setup: Setup = { source: { type: 'a' }, content: ['agenda', 'attendees'] }
  const source = await synced(database(), setup, { ...sessions(5), ...users(9) })
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
  // Session s5 is missing, but may be the session without an id, so its item stays. All users were read, and
  // session s3 was read without its title.
  expect(run.sent).toEqual(['remove attendees u9', 'remove agenda s3', 'remove agenda s4'])
  expect(run.report.changes.agenda).toMatchObject({ remove: 2, unchanged: 3 })
})

test('an approved plan is sent as it was held, by its hash, and the next run has no changes [R45]', async () => {
  const source = await synced(database(), ATTENDEES, users(30))
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
  // After the approval, the limit of a day counts only removals that happened after the approval.
  source.hold(users(16))
  expect(await source.run()).toMatchObject({ code: 0, guard: null })
})

test('onHold withholdRemovals: all changes but the removals are sent, and runs end with exit code 4 until an approval [R45]', async () => {
  const setup = withholding({ source: { type: 'a' }, content: ['agenda', 'attendees'] })
  const source = await synced(database(), setup, { ...sessions(4), ...users(30) })
  // The source says that session s4 is disabled. The removal of session s4 is withheld too, because other
  // removals are in doubt.
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
    /applied, 1 of 12 changes; 11 withheld\n(.*\n)*.*withheld {3}11 removals; to approve: event-sync plan place-\d+,/,
  )

  const planned = await source.plan()
  expect(planned).toMatchObject({ code: 4, guard: 'removals', sent: null })
  expect(planned.report.status).toBe('held')
  const approved = await source.approve(planned.report.planHash)
  expect(approved).toMatchObject({ code: 0 })
  expect(approved.sent).toHaveLength(11)
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: [] })
})

test('a custom field that lost its values counts as a blackout; if its configured key was changed, it counts as a mass update', async () => {
  const soup = users(30, { Diet: 'soup' })
  const source = await synced(database(), { ...ATTENDEES, fields: { attendees: { diet: 'Diet' } } }, soup)
  source.hold(users(30))
  expect(await source.run()).toMatchObject({
    guard: 'blackout',
    detail: expect.stringContaining(
      'users.custom.diet of attendees had a value in 30 of 30 records, now in 0; also massUpdate: ',
    ),
  })
  source.hold(soup)
  for (const fields of [{ attendees: { diet: 'Food' } }, {}]) {
    source.configure({ ...ATTENDEES, fields })
    expect(await source.run()).toMatchObject({
      guard: 'massUpdate',
      detail: expect.stringMatching(/^custom\.diet of attendees would change in 30 of 30 live items/),
    })
  }
})
