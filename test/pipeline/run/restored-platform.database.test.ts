import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWithPlatform } from '../commands/restorable-platform.ts'

/** Deletes the last attendee of the first stored batch with attendees from the storage of a platform. */
function loseAttendee(storage: string): void {
  const path = join(storage, readdirSync(storage)[0] ?? '')
  const lines = readFileSync(path, 'utf8').split('\n')
  const at = lines.findIndex((line) => line.includes('"content":"attendees"'))
  const record = JSON.parse(lines[at] ?? '')
  const last = record.effects.findLastIndex(({ content }: { content: string }) => content === 'attendees')
  record.effects.splice(last, 1)
  writeFileSync(path, lines.with(at, JSON.stringify(record)).join('\n'))
}

const TODO = '`event-sync run summit --refresh` reads back what the platform has and continues from there'

test('a platform that was restored from a backup stops run, plan and apply; --refresh sends the lost changes again', async () => {
  const { workspace, titles, restore, rename, backUp } = await openWithPlatform()
  expect((await workspace.run('run')).code).toBe(0)
  const backup = backUp()
  rename('Another title')
  expect((await workspace.run('run')).code).toBe(0)
  expect(await titles()).toContain('Another title')
  await restore(backup)
  for (const command of ['run', 'plan']) {
    const { code, stderr } = await workspace.run(command)
    expect([command, code]).toEqual([command, 64])
    expect(stderr).toContain(
      'the platform has accepted fence 1 for the event of summit, but had accepted 2 before: it was restored from a backup, or emptied',
    )
    expect(stderr).toContain(TODO)
  }
  expect((await workspace.run('run', '--refresh')).code).toBe(0)
  expect(await titles()).toContain('Another title')
  const { code, stdout } = await workspace.run('run')
  expect([code, stdout]).toEqual([0, expect.stringContaining('nothing to change')])
})

test('--refresh fills an emptied platform again, and the next run is not refused', async () => {
  const { workspace, titles, restore } = await openWithPlatform()
  expect((await workspace.run('run')).code).toBe(0)
  const before = await titles()
  await restore(null)
  const refused = await workspace.run('run')
  expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('accepted fence 0')])
  expect((await workspace.run('run', '--refresh')).code).toBe(0)
  expect(await titles()).toEqual(before)
  expect((await workspace.run('run')).code).toBe(0)
})

test('a run is refused if the platform has another number of items than expected; --refresh corrects this', async () => {
  const { workspace, restore, backUp, countAttendees } = await openWithPlatform()
  expect((await workspace.run('run')).code).toBe(0)
  const backup = backUp()
  loseAttendee(backup)
  await restore(backup)
  const refused = await workspace.run('run')
  expect(refused.code).toBe(64)
  expect(refused.stderr).toContain(
    'the platform has 3 items of attendees for summit, but this database knows of 4: it was restored from a backup, or somebody else writes there',
  )
  expect(refused.stderr).toContain(TODO)
  expect((await workspace.run('run', '--refresh')).code).toBe(0)
  expect(await countAttendees()).toBe(4)
})
