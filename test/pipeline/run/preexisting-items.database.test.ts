import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type SamplePlatform, startSamplePlatform } from '../../harness/sample-platform/start.ts'
import { postByHand } from '../../proofs/histories/hand.ts'
import { configOfA } from '../commands/small-event.ts'
import { startPlatform, workspaceOfSmallEvent } from '../commands/small-workspace.ts'
import { makeWorkspace } from '../commands/workspace.ts'

/** Adds a session to a platform as if a person or another tool had added it. */
async function addByHand(platform: SamplePlatform, uniqueId: string): Promise<void> {
  const times = { startTime: '2031-05-04T09:00:00Z', endTime: '2031-05-04T10:00:00Z' }
  const run = `01a1fda0-0000-7000-8000-${uniqueId.padStart(12, '0')}`
  await postByHand(platform, run, {
    seq: 1,
    content: 'agenda',
    uniqueId,
    fields: { name: 'By hand', ...times },
  })
}

async function open(more: Readonly<Record<string, unknown>> = {}) {
  const { source, workspace } = await workspaceOfSmallEvent()
  const platform = await startPlatform(workspace)
  const configure = (other: Readonly<Record<string, unknown>> = {}) =>
    workspace.configure(
      configOfA(source.url, {
        platform: platform.config(100),
        passwords: { mode: 'none' },
        ...more,
        ...other,
      }),
    )
  configure()
  const ids = async () => (await platform.control('state')).items.agenda.map(({ uniqueId }) => uniqueId)
  return { source, workspace, platform, configure, ids }
}

const HELD =
  'preexisting: 1 item of agenda would be removed that the platform had before the first run and that the source does not ask for'

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
