import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { startPlatform, workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace } from './workspace.ts'

/** The small event with records that are not synced, for several reasons. */
const event = {
  ...smallEvent,
  TimeSlots: [
    ...(smallEvent.TimeSlots ?? []),
    { Id: 2, StartTime: '2031-05-04T13:00:00Z', EndTime: '2031-05-04T12:00:00Z' },
  ],
  Sessions: [
    ...(smallEvent.Sessions ?? []),
    { Id: 103, Title: '=Hidden', TimeSlotId: 1, Enabled: false },
    { Id: 104, Title: 'Backwards', TimeSlotId: 2 },
    { Title: 'No id' },
  ],
  Users: [
    ...(smallEvent.Users ?? []),
    { FirstName: 'Di', LastName: 'Plain', EmailAddress: 'canary-no-at' },
    { FirstName: 'Ed', LastName: 'Twice', EmailAddress: 'canary-twice' },
    { FirstName: 'Ed', LastName: 'Twice', EmailAddress: 'canary-twice' },
    { Id: 'u5', FirstName: 'Bea', LastName: 'Silent', EmailAddress: '' },
    { Id: 'u6', FirstName: 'Cy', LastName: 'First', EmailAddress: 'cy@people.example' },
    { Id: 'u6', FirstName: 'Cy', LastName: 'Second', EmailAddress: 'cy@people.example' },
  ],
}

describe.each(engines)('on %s', (engine) => {
  async function synced() {
    const source = await startScriptedSource(event)
    const workspace = await makeWorkspace(engine)
    workspace.configure(configOfA(source.url, { guards: { maxQuarantined: 9 } }))
    expect((await workspace.run('run')).code).toBe(0)
    return workspace
  }

  test('the command missing lists each record without an item, with the reason and what to do; records that need work come first', async () => {
    const workspace = await synced()
    expect((await workspace.run('suppress', 'summit', 'agenda', '102')).code).toBe(0)
    expect((await workspace.run('run')).code).toBe(0)
    const { code, stdout } = await workspace.run('missing', 'summit')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^summit: \d+ records left out, unreadable or rejected; 1 hint, as of run \S+ of 2\S+\n/,
    )
    const groups = [...stdout.matchAll(/^(\S.*) \((\d+)\)$/gm)].map(([, todo, count]) => [
      todo,
      Number(count),
    ])
    expect(groups).toEqual([
      ['Publish it at the source, or sync hidden sessions too with source.includeHidden.', 1],
      ['Fix the time slot at the source.', 1],
      ['Correct the record at the source.', 1],
      ['Give each record its own id at the source.', 4],
      [expect.stringContaining('Fill it in at the source;'), 1],
      [expect.stringContaining('Give the session a room at the source'), 1],
      ['Nothing, if that is right; otherwise undo it: event-sync unsuppress summit agenda UNIQUE_ID', 1],
      [expect.stringContaining('If the user speaks,'), expect.any(Number)],
    ])
    expect(stdout).toContain('agenda   104  Backwards  The end of its time slot is not after the start.')
    expect(stdout).not.toMatch(/Bea|Silent|people\.example|canary/)
    expect(stdout).toContain('--show-personal shows them')
  })

  test('the command missing --csv prints a row for each record, safe for spreadsheets; --show-personal adds names', async () => {
    const workspace = await synced()
    const { code, stdout } = await workspace.run('missing', 'summit', '--csv', '--show-personal')
    expect(code).toBe(0)
    const rows: readonly Record<string, string>[] = parse(stdout, { columns: true })
    const rowOf = (reason: string, content = 'agenda') =>
      rows.find((row) => row.reason === reason && row.content === content)
    expect(rowOf('not_published')).toMatchObject({ integration: 'summit', id: '103', name: "'=Hidden" })
    expect(rowOf('missing_required:emailAddress', 'attendees')).toMatchObject({
      id: 'u5',
      name: 'Bea Silent',
    })
    expect(rowOf('invalid_record')).toMatchObject({ id: '', why: 'It could not be read, $.Id: no id.' })
    expect(rows.filter(({ reason }) => reason === 'duplicate_id').map(({ id }) => id)).toEqual([
      'canary-twice',
      'u6',
      'canary-twice',
      'u6',
    ])
    const { records } = JSON.parse((await workspace.run('missing', 'summit', '--json')).stdout)
    expect(records).toHaveLength(rows.length)
  })

  test('without --show-personal, the command missing hides names and addresses in CSV and JSON too', async () => {
    const workspace = await synced()
    for (const format of ['--csv', '--json']) {
      const { stdout } = await workspace.run('missing', 'summit', format)
      expect(stdout).toContain('(hidden)')
      expect(stdout).toContain('Hidden')
      expect(stdout).not.toMatch(/Bea|Silent|Twice|people\.example|canary/)
    }
  })
})

test('the command missing lists an item that the platform rejected, until the platform accepts it', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  const platform = await startPlatform(workspace)
  const passwords = { mode: 'none' }
  workspace.configure(configOfA(source.url, { platform: platform.config(10), passwords }))
  await platform.control('faults', {
    fault: 'failOperation',
    uniqueId: 'u4',
    content: 'attendees',
    code: 'blocked_list',
  })
  expect((await workspace.run('run')).code).toBe(3)
  const rejected = async () => {
    const { records } = JSON.parse((await workspace.run('missing', 'summit', '--json')).stdout)
    return records.filter(({ reason }: { reason: string }) => reason.startsWith('rejected:'))
  }
  expect(await rejected()).toEqual([
    {
      content: 'attendees',
      id: 'u4',
      name: '(hidden)',
      reason: 'rejected:blocked_list',
      why: 'The platform rejected it: blocked_list.',
      todo: expect.stringContaining('the next run tries again'),
    },
  ])
  // The command `plan` sends nothing, so the platform has not accepted the item yet.
  await workspace.run('plan', 'summit')
  expect(await rejected()).toHaveLength(1)
  expect((await workspace.run('run')).code).toBe(0)
  expect(await rejected()).toEqual([])
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

test('the command missing does not list a rejected item that the platform has; it hides an id that is an e-mail address', async () => {
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
