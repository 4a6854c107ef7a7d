import { expect, test } from 'vitest'
import { statusOf, UNTIL, WHY } from './paused.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

test('a run that fails during a pause is reported as a failure', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  await workspace.run('pause', 'summit')
  source.script = async () => ({ status: 404, body: '' })
  expect((await workspace.run('run')).code).toBe(1)
  expect(await statusOf(workspace)).toMatchObject({
    code: 1,
    state: 'failing',
    reason: expect.stringMatching(/pinned since/),
    next: 'event-sync check summit',
  })
  source.script = async () => null
  expect((await workspace.run('run')).code).toBe(0)
  expect(await statusOf(workspace)).toMatchObject({ code: 0, state: 'pinned' })
  source.script = async () => ({ status: 404, body: '' })
  const failed = await workspace.report('run')
  expect(await statusOf(workspace)).toMatchObject({ code: 1, state: 'failing', run: failed.runs[0]?.run })
})

test('a pause ends at its end time; a second pause replaces the end and the reason, but not the begin', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  const pinOf = async (...args: readonly string[]) =>
    JSON.parse((await workspace.run('pause', 'summit', ...args, '--json')).stdout).pinned
  const { since } = await pinOf('--until', UNTIL, ...WHY)
  expect(await pinOf('--until', '2099-05-04T18:00:00+02:00')).toEqual({
    since,
    until: '2099-05-04T16:00:00.000Z',
    reason: null,
  })
  await workspace.rows(
    "update sync.actions set until = now() - interval '1 minute' where until < '2099-05-05'",
  )
  expect((await workspace.report('run')).runs[0]).toMatchObject({ status: 'finished', pinned: null })
  const again = await pinOf()
  expect(again.since > since).toBe(true)
  expect(again.until).toBeNull()
})
