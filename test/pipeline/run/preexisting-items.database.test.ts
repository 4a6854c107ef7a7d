import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSamplePlatform } from '../../harness/sample-platform/start.ts'
import { addByHand, HELD, open } from './preexisting-items.ts'

test('an item that the platform had before the first run is removed only by an approved plan', async () => {
  const { workspace, platform, ids } = await open()
  for (const id of ['900', '101']) await addByHand(platform, id)
  for (const command of ['plan', 'run', 'run']) {
    const { code, stdout } = await workspace.run(command)
    expect([command, code]).toEqual([command, 4])
    expect(stdout).toContain(HELD)
  }
  expect(await ids()).toEqual(['101', '900'])
  const [, hash = ''] = /event-sync apply summit (\w+)/.exec((await workspace.run('run')).stdout) ?? []
  expect((await workspace.run('apply', 'summit', hash)).code).toBe(0)
  expect(await ids()).toEqual(['101', '102'])
  expect((await workspace.run('run')).code).toBe(0)
})

test('with withholdRemovals all other changes are sent, and even --refresh does not send the removal', async () => {
  const { workspace, platform, ids } = await open({ guards: { onHold: 'withholdRemovals' } })
  await addByHand(platform, '900')
  for (const options of [[], ['--refresh'], []]) {
    expect(await workspace.run('run', ...options)).toMatchObject({ code: 4 })
    expect(await ids()).toEqual(['101', '102', '900'])
  }
})

test('after --rebind to another platform event, removals of its existing items are held too', async () => {
  const { workspace, configure, platform } = await open()
  expect((await workspace.run('run')).code).toBe(0)
  const storage = join(workspace.folder, 'another platform')
  const another = await startSamplePlatform({ storage })
  onTestFinished(() => another.close())
  await addByHand(another, '900')
  configure({ platform: { ...platform.config(100), url: another.url } })
  const { code, stdout } = await workspace.run('run', '--rebind')
  expect([code, stdout]).toEqual([4, expect.stringContaining(HELD)])
})
