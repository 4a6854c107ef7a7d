import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { actionsOf, namesOf } from './log-actions.ts'
import { configOfA } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

test('a change of the source event, a takeover of a platform event and confirmed misses are logged', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  await workspace.run('run')
  await workspace.run('run', '--rebind')
  workspace.configure(configOfA(source.url, { source: { type: 'a', url: source.url, eventId: '5000' } }))
  await workspace.run('plan', '--rebind')
  expect(await namesOf(workspace)).toEqual([])
  const [rebound] = (await workspace.report('run', '--rebind')).runs
  await workspace.rows(`
    insert into sync.misses (integration_id, run_id, resource, count, fields)
    values ('summit', '${rebound?.run}', 'users', 1, '{}')`)
  const [confirmed] = (await workspace.report('run', '--changes')).runs
  await workspace.run('run', '--changes')
  expect((await actionsOf(workspace)).map(({ action, run, detail }) => [action, run, detail])).toEqual([
    ['misses_confirmed', confirmed?.run, null],
    ['rebound', rebound?.run, 'source.eventId from "4242" to "5000"'],
  ])
})

test('a pack from before a change of the source event is written again with the same bytes', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  const [first] = (await workspace.report('run')).runs
  workspace.configure(configOfA(source.url, { source: { type: 'a', url: source.url, eventId: '5000' } }))
  await workspace.run('run', '--rebind')
  rmSync(String(first?.output), { recursive: true })
  expect((await workspace.run('export', String(first?.run))).code).toBe(0)
  expect((await workspace.run('verify', 'out')).code).toBe(0)
})
