import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPack } from '../../harness/read-pack.ts'
import { packsAt, withoutRow } from '../../loaders/verify/tamper.ts'
import { engines } from '../../support/engines.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { startPlatform, workspaceOfSmallEvent } from './small-workspace.ts'
import type { Workspace } from './workspace.ts'

const { Users = [], Sessions = [] } = smallEvent

/**
 * The second state of the small event: one session has another title, one session is gone, one session is
 * new, and one person is gone.
 */
const changed = {
  ...smallEvent,
  Sessions: [
    { Id: 101, Title: 'Grand opening', TimeSlotId: 1, Speakers: [{ Id: 'u1' }] },
    { Id: 103, Title: 'Dinner', TimeSlotId: 1, Speakers: [{ Id: 'u2' }] },
  ],
  Users: Users.slice(0, 3),
}

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

type Items = Readonly<Record<string, unknown>>

/**
 * Applies the operations of these runs in this order, and returns the items that a platform would then have.
 */
function replay(workspace: Workspace, runs: readonly string[]): Items {
  const items = new Map<string, unknown>()
  for (const run of runs) {
    for (const { op, content, uniqueId, fields } of readPack(join(workspace.folder, 'out', 'summit', run))
      .operations) {
      if (op === 'remove') items.delete(`${content} ${uniqueId}`)
      else items.set(`${content} ${uniqueId}`, fields)
    }
  }
  return Object.fromEntries(items)
}

/** Runs the integration once, and returns the id of this run. */
async function runOf(workspace: Workspace): Promise<string> {
  const { code, runs } = await workspace.report('run')
  expect(code).toBe(0)
  return runs[0]?.run ?? ''
}

/** Plans and approves a rollback, and returns the id of its run. */
async function rollBack(workspace: Workspace, to: string): Promise<string> {
  const { code, runs } = await workspace.report('rollback', 'summit', to)
  expect([2, 4]).toContain(code)
  const [made] = runs
  expect(made).toMatchObject({ rollbackTo: to, output: null })
  const applied = await workspace.report('apply', 'summit', made?.planHash ?? '')
  expect(applied.runs).toMatchObject([{ run: made?.run, status: 'finished', rollbackTo: to }])
  return made?.run ?? ''
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

test('rollback prints a plan, ends with exit code 2 and sends nothing; apply approves its plan like any other', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  const first = await runOf(workspace)
  source.records = changed
  await runOf(workspace)
  const { code, stdout, stderr } = await workspace.run('rollback', 'summit', first)
  expect([code, stderr]).toEqual([2, ''])
  expect(stdout).toContain('  - remove 103 "Dinner": rolled_back\n')
  expect(stdout).toContain('      ~ name  "Grand opening" -> "Opening"\n')
  expect(stdout).toContain(`\nsummit: rollback to ${first}: planned, 5 changes; nothing was sent\n`)
  const { planHash, run } = JSON.parse((await workspace.run('show', 'summit', '--json')).stdout)
  expect(stdout).toContain(`apply it with: event-sync apply summit ${planHash}\n`)
  const page = workspace.read('out', 'summit', run, 'report.html')
  expect(page).toContain(
    `This is a rollback: it would bring the items back to what they were after run <code>${first}</code>`,
  )
  const forOrganiser = workspace.read('out', 'summit', run, 'report-masked.html')
  expect(forOrganiser).toContain('if it were taken back to what it showed at an earlier time')
  expect(forOrganiser).toContain('Because they were not in the app at the earlier time')

  const applied = await workspace.run('apply', 'summit', planHash.slice(0, 8), '--reason', 'wrong agenda')
  expect([applied.code, applied.stdout]).toEqual([
    0,
    expect.stringMatching(`^summit: rollback to ${first}: applied, 5 changes\n`),
  ])
  const { actions } = JSON.parse((await workspace.run('log', 'summit', '--json')).stdout)
  expect(actions[0]).toMatchObject({
    action: 'rolled_back',
    run,
    reason: 'wrong agenda',
    detail: `to run ${first}`,
  })
  const pack = (name: string) => workspace.read('out', 'summit', run, name)
  const manifest = JSON.parse(pack('manifest.json'))
  expect(manifest).toMatchObject({ command: 'rollback', rollbackTo: first })
  expect(JSON.parse(pack('details.json'))).toMatchObject({ certificates: [], requests: [] })
  expect(pack('README.txt').replaceAll(/\s+/g, ' ')).toContain(`were after run ${first}.`)
  expect(pack('report.html')).toContain(`This run was a rollback: it read nothing at the source`)
  expect(pack('decisions.csv')).toContain(
    '"agenda","sessions","103","103","excluded","rolled_back","remove",',
  )
  expect(pack('reconciliation.csv')).not.toMatch(/"(records|quarantined|read|staged)"/)
  const { stdout: runs } = await workspace.run('runs', 'summit', '--json')
  expect(JSON.parse(runs).runs[0]).toMatchObject({
    command: 'rollback',
    rollbackTo: first,
    exitCode: 0,
    reason: `rollback to ${first}`,
  })
  expect((await workspace.run('show', run)).stdout).toMatch(new RegExp(`^rollbackTo +${first}$`, 'm'))
  const exported = await workspace.run('export', run)
  expect(exported.code).toBe(0)
})

test('a rollback to the newest run plans no changes, says so, and ends with exit code 0', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  const first = await runOf(workspace)
  const { code, stdout } = await workspace.run('rollback', 'summit', first.slice(-8))
  expect(code).toBe(0)
  expect(stdout).toContain(
    `summit: rollback to ${first}: planned, nothing differs from what the platform had then; nothing was sent\n`,
  )
})

test('explain says for each item and record that the last plan is a rollback', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  const first = await runOf(workspace)
  source.records = changed
  await runOf(workspace)
  await rollBack(workspace, first)
  const explained = async (id: string) => (await workspace.run('explain', 'summit', 'agenda', id)).stdout
  expect(await explained('103')).toMatch(/^summit: agenda 103 is not synced: rolled_back\n/)
  expect(await explained('103')).toContain('The last plan is a rollback, and the platform did not have it')
  expect(await explained('101')).toContain(
    `the last plan is a rollback: what should be there is what the platform had after run ${first}`,
  )
})

test('a rollback removes later items even with removals.action: keep, because a person asked for the removals', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  workspace.configure(configOfA(source.url, { removals: { action: 'keep' } }))
  const first = await runOf(workspace)
  source.records = changed
  await runOf(workspace)
  await rollBack(workspace, first)
  const rows = await workspace.rows(
    "select unique_id from sync.platform_items where content = 'agenda' order by 1",
  )
  expect(rows).toEqual([{ unique_id: '101' }, { unique_id: '102' }])
})

describe('people who are kept out stay out of a rollback', () => {
  /**
   * After the run whose state is restored, the platform had the session 101 with the speaker u1, and the
   * attendee u4.
   */
  async function begin() {
    const place = await workspaceOfSmallEvent()
    const { workspace, source } = place
    workspace.env.KEY = Buffer.alloc(32, 7).toString('base64')
    workspace.configure({ ...configOfA(source.url), sealingKey: 'env:KEY' })
    const first = await runOf(workspace)
    source.records = { ...changed, Sessions: [] }
    expect((await workspace.report('plan')).code).toBe(4)
    const { planHash } = JSON.parse((await workspace.run('show', 'summit', '--json')).stdout)
    expect((await workspace.run('apply', 'summit', planHash)).code).toBe(0)
    return { ...place, first }
  }

  const platform = async (workspace: Workspace) =>
    (await workspace.rows('select content, unique_id, fields from sync.platform_items order by 1, 2')).map(
      ({ content, unique_id, fields }) => [content, unique_id, (fields as Items).speakerIds],
    )

  test('a rollback does not create suppressed people, and leaves out references to them', async () => {
    const { workspace, first } = await begin()
    for (const content of ['attendees', 'speakers'])
      expect((await workspace.run('suppress', 'summit', content, 'u1')).code).toBe(0)
    await rollBack(workspace, first)
    expect(await platform(workspace)).toEqual([
      ['agenda', '101', undefined],
      ['agenda', '102', undefined],
      ['attendees', 'u2', undefined],
      ['attendees', 'u3', undefined],
      ['attendees', 'u4', undefined],
    ])
    expect((await workspace.run('verify', join('out', 'summit'))).code).toBe(0)
  })

  test('a rollback does not create a forgotten person, neither under the id nor under the token that replaced it', async () => {
    const { workspace, first } = await begin()
    for (const id of ['u1', 'u4'])
      expect((await workspace.run('forget', 'summit', 'attendees', id, '--remove')).code).toBe(0)
    await rollBack(workspace, first)
    expect(await platform(workspace)).toEqual([
      ['agenda', '101', undefined],
      ['agenda', '102', undefined],
      ['attendees', 'u2', undefined],
      ['attendees', 'u3', undefined],
    ])
    expect((await workspace.run('verify', join('out', 'summit'))).code).toBe(0)
  })

  test('a rollback recognises people whom another integration forgot, by id or by address, although the history still has their values', async () => {
    const { workspace, source, first } = await begin()
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
    const ids = (await platform(workspace)).map(([content, id]) => `${content} ${id}`)
    expect(ids).not.toContain('attendees u1')
    expect(ids).not.toContain('attendees u4')
    expect(ids).not.toContain('speakers u1')
    expect(await platform(workspace)).toContainEqual(['agenda', '101', undefined])
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

test('the plan of a rollback cannot be applied after an item was left out, because it may create the item', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  const first = await runOf(workspace)
  source.records = changed
  const second = await runOf(workspace)
  const [plan] = (await workspace.report('rollback', 'summit', first)).runs
  expect((await workspace.run('suppress', 'summit', 'attendees', 'u4')).code).toBe(0)
  const applied = await workspace.run('apply', 'summit', plan?.planHash ?? '')
  expect([applied.code, applied.stderr]).toEqual([4, expect.stringContaining('platform untouched')])
  const run = await rollBack(workspace, first)
  expect(Object.keys(replay(workspace, [first]))).toContain('attendees u4')
  expect(Object.keys(replay(workspace, [first, second, run]))).not.toContain('attendees u4')
})

test('while a rollback is only partly sent, status says to run again, and resume is refused', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  const first = await runOf(workspace)
  source.records = changed
  await runOf(workspace)
  const run = await rollBack(workspace, first)
  await workspace.rows(
    `update sync.runs set status = 'applying', applied_at = null, finished_at = null where run_id = '${run}'`,
  )
  const { stdout } = await workspace.run('status', '--json')
  expect(JSON.parse(stdout).integrations[0]).toMatchObject({ next: 'event-sync run summit' })
  const { code, stderr } = await workspace.run('resume', 'summit')
  expect([code, stderr]).toEqual([
    64,
    expect.stringContaining('finish it first with `event-sync run summit`'),
  ])
})

test('a guard holds a rollback that changes many items, and the advice fits a rollback', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  const many = (count: number) =>
    Array.from({ length: count }, (_, place) => ({
      Id: `m${place}`,
      FirstName: 'Max',
      LastName: `Of m${place}`,
      EmailAddress: `m${place}@people.example`,
    }))
  source.records = { ...smallEvent, Users: [...Users, ...many(1)] }
  const first = await runOf(workspace)
  source.records = { ...smallEvent, Users: [...Users, ...many(60)] }
  await runOf(workspace)
  const { code, stdout } = await workspace.run('rollback', 'summit', first)
  expect(code).toBe(4)
  expect(stdout).toContain('held by statedRemovals: 59 of 64 attendees would be removed: rolled_back')
  expect(stdout).toContain('approve it if the platform should have them as it had them after that run')
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

test('rollback refuses a run whose state it cannot restore, and says why', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  const first = await runOf(workspace)
  source.records = changed
  const planned = (await workspace.report('plan')).runs[0]?.run ?? ''
  const second = await runOf(workspace)
  const refused = async (run: string, id = 'summit') => {
    const { code, stderr } = await workspace.run('rollback', id, run)
    return [code, stderr.split('\n')[0]]
  }
  expect(await refused('ffffffff')).toEqual([64, 'there is no run ffffffff; `event-sync runs` lists them'])
  expect(await refused('no id')).toEqual([64, '"no id" is not the id of a run; `event-sync runs` lists them'])
  expect(await refused(planned)).toEqual([
    64,
    `summit: run ${planned} of summit cannot be gone back to: it did not land (status: planned); give another run; \`event-sync runs summit\` lists them`,
  ])
  await workspace.rows(`update sync.runs set purged_at = now() where run_id = '${first}'`)
  expect((await refused(first))[1]).toContain('it was purged at ')
  await workspace.rows(`update sync.runs set purged_at = case when run_id = '${second}' then now() end`)
  expect((await refused(first))[1]).toContain(`run ${second}, which landed after it, was purged`)
  await workspace.rows(
    `update sync.runs set purged_at = null, gap = case when run_id = '${second}' then '[]'::jsonb end`,
  )
  expect((await refused(first))[1]).toContain(
    `before run ${second}, runs landed that this database does not have`,
  )
  await workspace.rows(`update sync.runs set gap = null`)
  await workspace.rows(`update sync.integrations set platform_base = base`)
  expect((await refused(first))[1]).toContain(
    'the integration was bound to another platform event since then',
  )
  await workspace.rows(`update sync.integrations set platform_base = 0`)
  await workspace.rows(`update sync.runs set status = 'applying' where run_id = '${second}'`)
  expect((await refused(first))[1]).toContain('its plan is being sent to the platform')
  await workspace.rows(`update sync.runs set status = 'finished' where run_id = '${second}'`)
  const config = configOfA(source.url)
  workspace.configure({
    ...config,
    integrations: [
      ...config.integrations,
      ...config.integrations.map((one) => ({
        ...one,
        id: 'other',
        source: { ...one.source, eventId: '5000' },
      })),
    ],
  })
  expect((await refused(first, 'other'))[1]).toContain(`run ${first} is not a run of other`)
})

test('a rollback does not change contents that are no longer configured or that no run has synced', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  workspace.configure(configOfA(source.url, { content: ['agenda', 'attendees'] }))
  const first = await runOf(workspace)
  source.records = changed
  await runOf(workspace)
  workspace.configure(configOfA(source.url, { content: ['agenda', 'speakers'] }))
  const run = await rollBack(workspace, first)
  expect(await workspace.rows(`select contents from sync.runs where run_id = '${run}'`)).toEqual([
    { contents: ['agenda'] },
  ])
  expect(
    await workspace.rows('select content, unique_id from sync.platform_items order by 1, 2'),
  ).toMatchObject([
    { content: 'agenda', unique_id: '101' },
    { content: 'agenda', unique_id: '102' },
    { content: 'attendees', unique_id: 'u1' },
    { content: 'attendees', unique_id: 'u2' },
    { content: 'attendees', unique_id: 'u3' },
  ])
  expect((await workspace.run('verify', join('out', 'summit'))).code).toBe(0)
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
