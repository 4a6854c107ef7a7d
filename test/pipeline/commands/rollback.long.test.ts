import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packsAt, withoutRow } from '../../loaders/verify/tamper.ts'
import { engines } from '../../support/engines.ts'
import {
  beginWithPeople,
  changed,
  itemsOnPlatform,
  replay,
  rollBack,
  runOf,
  Sessions,
  Users,
} from './rollback-small-event.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { startPlatform, workspaceOfSmallEvent } from './small-workspace.ts'

/**
 * The third state of the event: the new session is gone again, and the speaker of the first session is
 * another person.
 */
const later = {
  ...smallEvent,
  Sessions: [
    { Id: 101, Title: 'Grand opening', TimeSlotId: 1, Speakers: [{ Id: 'u2' }] },
    ...Sessions.slice(1),
  ],
  Users: [
    ...Users.slice(0, 3),
    { Id: 'u5', FirstName: 'Eve', LastName: 'Of u5', EmailAddress: 'u5@people.example' },
  ],
}

describe.each(engines)('a rollback, on %s', (engine) => {
  test('a rollback to any run restores the items after that run, even if plans were applied late or other rollbacks came in between', async () => {
    const { workspace, source } = await workspaceOfSmallEvent(engine)
    const landed = [await runOf(workspace)]
    source.records = changed
    const waiting = (await workspace.report('plan')).runs[0]
    source.records = smallEvent
    // The rollback lands before the plan that was made earlier.
    landed.push(await runOf(workspace))
    source.records = changed
    const again = (await workspace.report('plan')).runs[0]
    expect(again?.planHash).toBe(waiting?.planHash)
    source.records = smallEvent
    landed.push(await runOf(workspace))
    source.records = changed
    const late = (await workspace.report('plan')).runs[0]
    expect((await workspace.run('apply', 'summit', late?.planHash ?? '')).code).toBe(0)
    landed.push(late?.run ?? '')
    source.records = later
    landed.push(await runOf(workspace))

    const original = [...landed]
    for (const to of [original[0], original[4], original[2], original[3]]) {
      const run = await rollBack(workspace, to ?? '')
      const then = replay(workspace, original.slice(0, original.indexOf(to ?? '') + 1))
      landed.push(run)
      expect(replay(workspace, landed)).toEqual(then)
    }
    const verified = await workspace.run('verify', join('out', 'summit'))
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('9 packs, all intact')])

    const pinned = await workspace.report('run')
    expect([pinned.code, pinned.runs[0]?.status]).toEqual([0, 'planned'])
    expect(replay(workspace, landed)).toEqual(replay(workspace, original.slice(0, 4)))
    expect((await workspace.run('status')).stdout).toContain('pinned')
    expect((await workspace.run('resume', 'summit')).code).toBe(0)
    const next = await runOf(workspace)
    expect(replay(workspace, [...landed, next])).toEqual(replay(workspace, original))
  })
})

describe('people who are kept out stay out of a rollback', () => {
  test('a rollback does not create suppressed people, and leaves out references to them', async () => {
    const { workspace, first } = await beginWithPeople()
    for (const content of ['attendees', 'speakers'])
      expect((await workspace.run('suppress', 'summit', content, 'u1')).code).toBe(0)
    await rollBack(workspace, first)
    expect(await itemsOnPlatform(workspace)).toEqual([
      ['agenda', '101', undefined],
      ['agenda', '102', undefined],
      ['attendees', 'u2', undefined],
      ['attendees', 'u3', undefined],
      ['attendees', 'u4', undefined],
    ])
    expect((await workspace.run('verify', join('out', 'summit'))).code).toBe(0)
  })

  test('a rollback recognises people whom another integration forgot, by id or by address, although the history still has their values', async () => {
    const { workspace, source, first } = await beginWithPeople()
    // Another integration of the same source event forgets both people.
    const { integrations, ...rest } = configOfA(source.url)
    const other = { ...integrations[0], id: 'expo' }
    workspace.configure({ ...rest, integrations: [...integrations, other], sealingKey: 'env:KEY' })
    // In the other integration, one person has another id, and the other person has another address.
    source.records = {
      ...smallEvent,
      Sessions: [],
      Users: [
        { Id: 'v1', FirstName: 'Ada', LastName: 'Of u1', EmailAddress: 'u1@people.example' },
        { Id: 'u4', FirstName: 'Ada', LastName: 'Of u4', EmailAddress: 'moved@people.example' },
      ],
    }
    expect((await workspace.run('run', 'expo')).code).toBe(0)
    for (const id of ['v1', 'u4'])
      expect((await workspace.run('forget', 'expo', 'attendees', id)).code).toBe(0)
    await rollBack(workspace, first)
    const ids = (await itemsOnPlatform(workspace)).map(([content, id]) => `${content} ${id}`)
    expect(ids).not.toContain('attendees u1')
    expect(ids).not.toContain('attendees u4')
    expect(ids).not.toContain('speakers u1')
    expect(await itemsOnPlatform(workspace)).toContainEqual(['agenda', '101', undefined])
  })
})

test.each([
  { mode: 'global', global: 'env:PASSWORD' },
  { mode: 'random', storeEncryptedPassword: true },
])(
  'with passwords.mode $mode, a rollback gives nobody a password and stores no password, even if it is continued after a crash [R73]',
  async (passwords) => {
    const { workspace, source } = await workspaceOfSmallEvent()
    const platform = await startPlatform(workspace)
    workspace.env.PASSWORD = 'secret-1'
    workspace.env.KEY = Buffer.alloc(32, 7).toString('base64')
    const config = configOfA(source.url, { platform: platform.config(1), passwords })
    workspace.configure({ ...config, sealingKey: 'env:KEY' })
    const has = async (uniqueId: string) =>
      (await platform.control('password', { uniqueId, password: 'secret-1' })).matches
    const first = await runOf(workspace)
    expect(await has('u4')).toBe(passwords.mode === 'global')
    source.records = changed
    await runOf(workspace)
    const { runs } = await workspace.report('rollback', 'summit', first)
    // The platform creates the attendee, but its answer is lost.
    await platform.control('faults', { fault: 'failBeforeCommit', how: 'destroy' })
    const { code } = await workspace.run('apply', 'summit', runs[0]?.planHash ?? '')
    expect(code).toBe(1)
    expect(await workspace.rows('select * from sync.passwords')).toEqual([])
    source.records = smallEvent
    // The rollback continues after the crash, although its approval has pinned the integration.
    expect((await workspace.report('run')).runs).toMatchObject([
      { run: runs[0]?.run, status: 'finished' },
      { status: 'planned', changes: { attendees: { create: 0, unchanged: 4 } } },
    ])
    expect(await has('u4')).toBe(false)
    expect(await workspace.rows('select * from sync.passwords')).toEqual([])
    expect((await workspace.run('verify', join('out', 'summit'))).code).toBe(0)
  },
)

test('the plan of a rollback can be applied after a newer plan if the platform is unchanged; other plans cannot', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  const first = await runOf(workspace)
  source.records = changed
  await runOf(workspace)
  source.records = later
  const ordinary = (await workspace.report('plan')).runs[0]
  const rollback = (await workspace.report('rollback', 'summit', first)).runs[0]
  expect((await workspace.run('apply', 'summit', ordinary?.planHash ?? '')).code).toBe(4)
  await workspace.run('plan')
  expect((await workspace.run('runs', 'summit', '--stale')).stdout).not.toContain(rollback?.run)
  expect((await workspace.run('show', rollback?.run ?? '')).stdout).toContain('apply it with: ')
  expect((await workspace.run('apply', 'summit', rollback?.planHash ?? '')).code).toBe(0)
  expect((await workspace.run('verify', join('out', 'summit'))).code).toBe(0)

  const stale = (await workspace.report('rollback', 'summit', first)).runs[0]
  expect(stale?.changes.agenda.update).toBe(0)
})

test('rollback goes back to a run before which purged runs and a gap are, even if none of them changed anything', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  await runOf(workspace)
  const unchanged = await runOf(workspace)
  const target = await runOf(workspace)
  source.records = changed
  await runOf(workspace)
  await workspace.rows(
    `update sync.runs set purged_at = now(), gap = '[]'::jsonb where run_id = '${unchanged}'`,
  )
  expect((await workspace.run('rollback', 'summit', target)).code).toBe(2)
})

test('purge keeps the run with which guards compare after a rollback that waits for approval', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  const first = await runOf(workspace)
  source.records = changed
  await runOf(workspace)
  const { runs: planned } = await workspace.report('rollback', 'summit', first)
  await workspace.rows(
    "update sync.runs set started_at = '2020-01-01', planned_at = null, applied_at = applied_at - interval '9 years', finished_at = null",
  )
  const purge = ['purge', 'summit', '--older-than', '1d', '--keep-runs', '1', '--json']
  expect(JSON.parse((await workspace.run(...purge)).stdout)).toMatchObject({ purges: [{ beforeRun: null }] })
  await workspace.run('apply', 'summit', planned[0]?.planHash ?? '')
  await workspace.run('resume', 'summit')
  source.records = { ...smallEvent, Users: [] }
  expect((await workspace.report('run')).runs).toMatchObject([{ status: 'held', held: { guard: 'emptied' } }])
})

test('after a rollback, items have the custom fields of that time, even if the configuration no longer has these fields', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  source.records = { ...smallEvent, Users: Users.map((user) => ({ ...Object(user), Diet: 'vegan' })) }
  workspace.configure(configOfA(source.url, { fields: { attendees: { diet: { from: 'Diet' } } } }))
  const first = await runOf(workspace)
  workspace.configure(configOfA(source.url))
  expect((await workspace.report('run')).runs[0]?.changes.attendees.update).toBe(4)
  const run = await rollBack(workspace, first)
  expect(workspace.read('out', 'summit', run, 'attendees.csv')).toContain('"vegan"')
  expect((await workspace.run('verify', join('out', 'summit'))).code).toBe(0)
})

test('verify finds a pack that is falsely marked as a rollback, and a rollback whose rows or figures are wrong', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  const first = await runOf(workspace)
  source.records = changed
  await runOf(workspace)
  await rollBack(workspace, first)
  const packs = packsAt(join(workspace.folder, 'out', 'summit'))
  const forged = (run: number, change: () => void, claim: Readonly<Record<string, unknown>> = {}) =>
    packs.meddle(run, async () => {
      change()
      packs.refresh(run, (manifest) => Object.assign(manifest, claim))
      return (await packs.verify(run)).filter((finding) => !finding.startsWith('chain '))
    })
  const rewrite = (file: string, change: (text: string) => string) =>
    packs.write(2, file, change(packs.read(2, file).toString()))
  const nothing = () => undefined
  expect(await forged(2, nothing)).toEqual([])
  expect(await forged(2, () => withoutRow(packs, 2, 'decisions.csv', 1))).toContainEqual(
    expect.stringMatching(/^decisions.csv agenda records: 2, reconciliation.csv says 3$/),
  )
  const more = '"agenda","sessions","records",3,3,"true"\r\n"agenda","sessions","synced"'
  expect(
    await forged(2, () =>
      rewrite('reconciliation.csv', (text) => text.replace('"agenda","sessions","synced"', more)),
    ),
  ).toContain('reconciliation.csv agenda records is there, although a rollback reads nothing')
  expect(await forged(2, nothing, { command: undefined, rollbackTo: undefined })).toContain(
    'reconciliation.csv agenda records is missing',
  )
  expect(await forged(1, nothing, { command: 'rollback', rollbackTo: first })).toContain(
    'certificates.csv the manifest says that this was a rollback, which reads nothing',
  )
  expect(await forged(1, nothing, { rollbackTo: first })).toEqual([
    'manifest.json is not a manifest of an audit pack',
  ])
})
