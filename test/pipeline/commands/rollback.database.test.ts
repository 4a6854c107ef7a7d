import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  beginWithPeople,
  changed,
  itemsOnPlatform,
  replay,
  rollBack,
  runOf,
  Users,
} from './rollback-small-event.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

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

test('a rollback restores the items after a run, and explain says for each item and record that the last plan is a rollback', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  const first = await runOf(workspace)
  source.records = changed
  const second = await runOf(workspace)
  const run = await rollBack(workspace, first)
  expect(replay(workspace, [first, second, run])).toEqual(replay(workspace, [first]))
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
  test('a rollback does not create a forgotten person, neither under the id nor under the token that replaced it', async () => {
    const { workspace, first } = await beginWithPeople()
    for (const id of ['u1', 'u4'])
      expect((await workspace.run('forget', 'summit', 'attendees', id, '--remove')).code).toBe(0)
    await rollBack(workspace, first)
    expect(await itemsOnPlatform(workspace)).toEqual([
      ['agenda', '101', undefined],
      ['agenda', '102', undefined],
      ['attendees', 'u2', undefined],
      ['attendees', 'u3', undefined],
    ])
    expect((await workspace.run('verify', join('out', 'summit'))).code).toBe(0)
  })
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
