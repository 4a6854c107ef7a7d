import { expect, test } from 'vitest'
import { configOfA } from '../commands/small-event.ts'
import { makeWorkspace } from '../commands/workspace.ts'
import { addByHand, HELD, open } from './preexisting-items.ts'

test('an item that source and platform had before the first run is later removed like any other item', async () => {
  const { source, workspace, platform, ids } = await open()
  expect(await workspace.run('run')).toMatchObject({ code: 0 })
  // A second database starts with a platform that already has the items of the first database.
  const later = await makeWorkspace('postgres')
  Object.assign(later.env, platform.env)
  later.configure(configOfA(source.url, { platform: platform.config(100), passwords: { mode: 'none' } }))
  const { code, stdout } = await later.run('run')
  expect([code, stdout]).toEqual([0, expect.stringContaining('nothing to change')])
  source.records = { ...source.records, Sessions: source.records.Sessions?.slice(0, 1) ?? [] }
  expect((await later.run('run', '--refresh')).code).toBe(0)
  expect(await ids()).toEqual(['101'])
})

test('the first plan of a content that is added later is held too; items that the platform gets afterwards are not removed', async () => {
  const { workspace, platform, configure, ids } = await open({ content: ['attendees'] })
  expect((await workspace.run('run')).code).toBe(0)
  await addByHand(platform, '900')
  configure({ content: ['agenda', 'attendees'] })
  expect((await workspace.run('run')).stdout).toContain(HELD)
  configure({ content: ['agenda', 'attendees'], removals: { action: 'keep' } })
  expect((await workspace.run('run')).code).toBe(0)
  await addByHand(platform, '901')
  expect((await workspace.run('run')).code).toBe(64)
  expect((await workspace.run('run', '--refresh')).code).toBe(0)
  configure({ content: ['agenda', 'attendees'] })
  expect((await workspace.run('run')).stdout).toContain(HELD)
  expect(await ids()).toEqual(['101', '102', '900', '901'])
})
