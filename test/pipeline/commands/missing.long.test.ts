import { expect, test } from 'vitest'
import { startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { startPlatform, workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace } from './workspace.ts'

test('for a name, the command missing says who is gone from the source, and if the app still has the person', async () => {
  const { Users = [] } = smallEvent
  const silent = { Id: 'u5', FirstName: 'Bea', LastName: 'Silent', EmailAddress: '' }
  const source = await startScriptedSource({ ...smallEvent, Users: [...Users, silent] })
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url, { removals: { action: 'keep' } }))
  expect((await workspace.run('run')).code).toBe(0)
  source.records = { ...smallEvent, Users: Users.slice(0, 2) }
  const { runs } = await workspace.report('run')
  const gone = `the source no longer had its record in run ${runs[0]?.run} of `
  const { stdout } = await workspace.run('missing', 'summit', '--name', 'silent')
  expect(stdout).toMatch(/^summit: 1 record with that name or address is no longer in the app/)
  expect(stdout).toContain(`attendees u5 is not in the app, and ${gone}`)
  const json = await workspace.run('missing', 'summit', '--json', '--name', 'of u3')
  expect(JSON.parse(json.stdout).sought).toEqual([
    expect.objectContaining({
      standing: 'in_app',
      goneSince: expect.objectContaining({ run: runs[0]?.run }),
    }),
  ])
})

test('if all records of a group are missing for one reason, the command missing prints the reason once', async () => {
  const source = await startScriptedSource({
    ...smallEvent,
    Users: [
      ...(smallEvent.Users ?? []),
      ...['u8', 'u9'].map((Id) => ({ Id, FirstName: 'Bea', LastName: 'Silent' })),
    ],
  })
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  await workspace.run('run')
  const { stdout } = await workspace.run('missing', 'summit')
  const why = 'The e-mail address is required of an attendee, and the source has none.'
  expect(stdout.split(why)).toHaveLength(2)
  expect(stdout).toMatch(/^emailAddress: Fill it in at the source; .* \(2\)\nThe e-mail address is required/m)
})

test('the command missing says if nothing has been read yet, and if every record has an item', async () => {
  const source = await startScriptedSource({ ...smallEvent, Users: smallEvent.Users?.slice(0, 1) ?? [] })
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  await workspace.run('status')
  const early = await workspace.run('missing', 'summit')
  expect([early.code, early.stderr]).toEqual([
    1,
    'summit: nothing has been read yet; run `event-sync run summit` first\n',
  ])
  expect((await workspace.run('run')).code).toBe(0)
  expect((await workspace.run('missing', 'summit')).stdout).toMatch(
    /^summit: every record has its item; 3 hints, as of run /,
  )
})

test('the command missing does not list a rejected item if the platform has it; it hides an id that is an e-mail address', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  source.records = {
    ...smallEvent,
    Users: [
      ...(smallEvent.Users ?? []),
      { FirstName: 'Di', LastName: 'Plain', EmailAddress: 'canary-no-at' },
    ],
  }
  const platform = await startPlatform(workspace)
  workspace.configure(configOfA(source.url, { platform: platform.config(10), passwords: { mode: 'none' } }))
  await platform.control('faults', {
    fault: 'failOperation',
    uniqueId: 'canary-no-at',
    content: 'attendees',
    code: 'blocked_list',
  })
  expect((await workspace.run('run')).code).toBe(3)
  const rejected = async (...more: readonly string[]) => {
    const { records } = JSON.parse((await workspace.run('missing', 'summit', '--json', ...more)).stdout)
    return records.flatMap(({ reason, id }: { reason: string; id: string }) =>
      reason.startsWith('rejected:') ? id : [],
    )
  }
  expect(await rejected()).toEqual(['(hidden)'])
  expect(await rejected('--show-personal')).toEqual(['canary-no-at'])
  await workspace.rows("update sync.changes set state = 'failed', code = 'late' where unique_id = 'u4'")
  expect(await rejected()).toEqual(['(hidden)'])
  await workspace.rows("delete from sync.platform_items where unique_id = 'u4'")
  expect(await rejected()).toEqual(['(hidden)', 'u4'])
})
