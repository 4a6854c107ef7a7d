import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { statusOf, UNTIL, WHY } from './paused.ts'
import { holdBack } from './scripted-source.ts'
import { smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import type { Workspace } from './workspace.ts'

const END = '2099-05-04T00:00:00.000Z'

async function actionsOf(workspace: Workspace): Promise<readonly Readonly<Record<string, string | null>>[]> {
  return JSON.parse((await workspace.run('log', 'summit', '--json')).stdout).actions
}

describe.each(engines)('on %s', (engine) => {
  test('a run during a pause plans, sends nothing, reports the pause everywhere and ends with 0; the first run after resume sends', async () => {
    const { workspace } = await workspaceOfSmallEvent(engine)
    const paused = await workspace.run('pause', 'summit', '--until', UNTIL, ...WHY)
    expect(paused).toMatchObject({ code: 0, stderr: '' })
    const words = /pinned since \S+Z, until 2099-05-04T00:00:00Z: rooms move/
    expect(paused.stdout).toMatch(words)
    expect(paused.stdout).toContain('`event-sync resume summit` ends it')
    expect(await statusOf(workspace)).toMatchObject({ code: 0, state: 'pinned', run: null, next: null })

    const first = await workspace.report('run')
    const pinned = { since: expect.any(String), until: END, reason: 'rooms move' }
    expect(first).toMatchObject({ code: 0, runs: [{ status: 'planned', output: null, pinned }] })
    expect(first.stderr).toMatch(/^summit: pinned, 7 changes; nothing was sent\n/)
    expect(first.stderr).toMatch(words)
    const [report] = first.runs
    const apply = `event-sync apply summit ${report?.planHash}`
    expect(first.stderr).toContain(`\n  apply it with: event-sync resume summit && ${apply}\n`)
    expect(workspace.files('out').filter((name) => name.endsWith('operations.jsonl'))).toEqual([])
    const page = workspace.read('out', 'summit', report?.run ?? '', 'report.html')
    expect(page).toMatch(/pinned since .* rooms move/)
    expect(page).toContain(`<code>event-sync resume summit &amp;&amp; ${apply}</code>`)

    expect(await statusOf(workspace)).toMatchObject({
      code: 0,
      state: 'pinned',
      pinned,
      exitCode: 0,
      run: report?.run,
      reason: expect.stringMatching(words),
      next: null,
      changes: { attendees: { create: 4 } },
    })
    expect((await workspace.run('status')).stdout).toMatch(words)
    expect(workspace.read('out', 'index.html')).toMatch(words)
    for (const args of [['runs'], ['runs', 'summit']]) {
      const { stdout } = await workspace.run(...args, '--json')
      expect(JSON.parse(stdout).runs[0]).toMatchObject({ status: 'planned', exitCode: 0, pinned })
      expect((await workspace.run(...args)).stdout).toContain('pinned since')
    }
    expect((await workspace.run('show', 'summit')).stdout).toMatch(words)
    const explained = await workspace.run('explain', 'summit', 'agenda', '101')
    expect(explained.stdout).toMatch(
      /nothing is sent now: pinned since .* `event-sync resume summit` ends it/,
    )

    const refused = await workspace.run('apply', 'summit', report?.planHash ?? '')
    expect(refused.code).toBe(64)
    expect(refused.stderr).toMatch(
      /^summit is pinned since .*; `event-sync resume summit` first; nothing was sent/,
    )
    expect((await workspace.run('apply', 'summit')).stderr).toMatch(/^summit is pinned since /)

    const resumed = await workspace.run('resume', 'summit', '--reason', 'done')
    expect(resumed.stdout).toMatch(/^summit was pinned since .*rooms move\n/)
    expect(await workspace.run('resume', 'summit')).toMatchObject({
      code: 0,
      stdout: 'summit is not pinned: runs send what they plan\n',
    })
    const second = await workspace.report('run')
    expect(second).toMatchObject({ code: 0, runs: [{ status: 'finished', pinned: null }] })
    expect(await statusOf(workspace)).toMatchObject({ state: 'up to date', pinned: null })
    expect((await workspace.run('explain', 'summit', 'agenda', '101')).stdout).not.toContain('pinned')
    expect(await actionsOf(workspace)).toMatchObject([
      { action: 'resumed', reason: 'done', until: null },
      { action: 'paused', reason: 'rooms move', until: END, operator: expect.stringMatching(/./) },
    ])
  })
})

test('if a guard holds a plan during a pause, the exit code is 0; after resume, the plan can be applied', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  await workspace.run('run')
  source.records = { ...smallEvent, Users: [], Sessions: [] }
  await workspace.run('pause', 'summit')
  const { code, stderr, runs } = await workspace.report('run')
  expect([code, runs[0]?.status]).toEqual([0, 'held'])
  expect(stderr).toMatch(/^summit: pinned, 7 changes, held; nothing was sent\n/)
  expect(stderr).toContain('held by emptied')
  // `plan` is called by somebody who looks at the plan, so a pause does not change its exit code.
  expect((await workspace.run('plan')).code).toBe(4)
  expect(await statusOf(workspace)).toMatchObject({ code: 0, state: 'pinned' })
  await workspace.run('resume', 'summit')
  const hash = runs[0]?.planHash ?? ''
  expect(await statusOf(workspace)).toMatchObject({
    code: 4,
    state: 'held',
    next: `event-sync apply summit ${hash}`,
  })
  expect(workspace.read('out', 'index.html')).toMatch(/held/)
  const applied = await workspace.run('apply', 'summit', hash, '--reason', 'the event was cancelled')
  expect(applied.code).toBe(0)
  const [approved] = await actionsOf(workspace)
  expect(approved).toMatchObject({
    action: 'approved',
    reason: 'the event was cancelled',
    detail: `plan ${hash}`,
  })
})

test('during a pause, no part of a held plan is sent, although guards.onHold is withholdRemovals', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  const { integrations } = JSON.parse(workspace.read('event-sync.yaml'))
  workspace.configure({
    http: { retryBudgetSeconds: 0 },
    integrations: [{ ...integrations[0], guards: { onHold: 'withholdRemovals' }, removals: { minCount: 1 } }],
  })
  await workspace.run('run')
  source.records = { ...smallEvent, Users: smallEvent.Users?.slice(0, 1) ?? [] }
  await workspace.run('pause', 'summit')
  const pinned = await workspace.report('run')
  expect(pinned.runs[0]).toMatchObject({ status: 'held', output: null })
  expect(pinned.stderr).not.toContain('withheld')
  expect(await workspace.rows("select 1 from sync.changes where state = 'withheld'")).toEqual([])
  await workspace.run('resume', 'summit')
  expect((await workspace.report('run')).stderr).toContain('3 withheld')
})

test('during a pause, an interrupted run is not continued, except if the run only lacks its pack', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  await workspace.run('pause', 'summit')
  const planned = (await workspace.report('run')).runs[0]
  await workspace.rows("update sync.runs set status = 'applying'")
  expect((await workspace.run('pause', 'summit')).stdout).toContain('the rest is sent after the pause')
  const refused = await workspace.run('run')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(
    `run ${planned?.run} of summit was interrupted while its plan was being sent`,
  )
  expect(refused.stderr).toContain(
    '`event-sync resume summit` ends that, then `event-sync run summit` sends the rest',
  )
  expect(refused.stderr).not.toContain('platform untouched')
  expect((await workspace.run('apply', 'summit', planned?.planHash ?? '')).code).toBe(64)
  expect(await statusOf(workspace)).toMatchObject({ state: 'interrupted', next: 'event-sync resume summit' })
  await workspace.run('resume', 'summit')
  const finished = await workspace.report('run')
  expect(finished.runs.map(({ run, status }) => [run === planned?.run, status])).toEqual([
    [true, 'finished'],
    [false, 'finished'],
  ])

  await workspace.run('pause', 'summit')
  const last = finished.runs[1]?.run ?? ''
  rmSync(join(workspace.folder, 'out', 'summit', last), { recursive: true })
  await workspace.rows(`delete from sync.reconciliation where run_id = '${last}'`)
  await workspace.rows(
    `update sync.runs set status = 'applied', finished_at = null, manifest_sha256 = null, figures_of = null where run_id = '${last}'`,
  )
  const statuses = (await workspace.report('run')).runs.map(({ status }) => status)
  expect(statuses).toEqual(['finished', 'planned'])
})

test.each([
  ['2031-02-30', 'It must be a day such as 2031-05-04'],
  ['2031-05-04T18:00:00', 'or a time with its zone'],
  ['tomorrow', 'It must be a day'],
  ['2020-01-01', '--until: 2020-01-01T00:00:00.000Z is in the past; give a later time; nothing was changed'],
])('pause --until %s is refused', async (until, message) => {
  const { workspace } = await workspaceOfSmallEvent()
  const refused = await workspace.run('pause', 'summit', '--until', until)
  expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining(message)])
  expect(await actionsOf(workspace)).toEqual([])
})

test('pause and resume report an integration that is not configured as unknown', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  for (const command of ['pause', 'resume', 'log'])
    expect((await workspace.run(command, 'sumit')).stderr).toContain('there is no integration "sumit"')
})

test('if the integration is paused while a run reads, this run does not send its plan', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  const { script, asked, release } = holdBack('Users', 0)
  source.script = script
  const run = workspace.report('run')
  await asked
  const paused = await workspace.run('pause', 'summit')
  release()
  const { code, runs } = await run
  expect([code, runs[0]?.status]).toEqual([0, 'planned'])
  expect(paused.stdout).toContain(`run ${runs[0]?.run} is under way: it sends nothing, unless`)
})
