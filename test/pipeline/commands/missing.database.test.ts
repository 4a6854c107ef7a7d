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
      /^summit: \d+ records left out, quarantined or rejected; 1 hint, as of run \S+ of 2\S+\n/,
    )
    const groups = [...stdout.matchAll(/^(\S.*) \((\d+)\)$/gm)].map(([, todo, count]) => [
      todo,
      Number(count),
    ])
    expect(groups).toEqual([
      ['Publish it at the source, or sync hidden sessions too with source.includeHidden.', 1],
      ['Fix the time slot at the source.', 1],
      ['Correct the record at the source.', 1],
      ['Give each record its own id at the source.', 2],
      [expect.stringMatching(/^emailAddress: Fill it in at the source;/), 1],
      [expect.stringMatching(/^Hint: Give the session a room at the source/), 1],
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
    expect(rowOf('invalid_record')).toMatchObject({
      id: '',
      why: 'Record 5 of sessions could not be read, $.Id: no id.',
    })
    expect(rows.filter(({ reason }) => reason === 'duplicate_id').map(({ id }) => id)).toEqual([
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

describe.each(engines)('on %s, while a read is not sent,', (engine) => {
  const users = smallEvent.Users ?? []
  const left = { FirstName: 'Bea', LastName: 'Silent', EmailAddress: '' }
  const before = { ...smallEvent, Users: [...users, { Id: 'u5', ...left }] }
  /**
   * In this read, most people are gone, the only session of the speaker is hidden, and another person has no
   * address.
   */
  const faulty = {
    ...smallEvent,
    Sessions: smallEvent.Sessions?.map((session) => ({ ...Object(session), Enabled: false })) ?? [],
    Users: [
      ...users.slice(0, 1),
      { Id: 'u6', ...left },
      { Id: 'u7', FirstName: 'New', LastName: 'Comer', EmailAddress: 'u7@people.example' },
    ],
  }

  async function landed() {
    const source = await startScriptedSource(before)
    const workspace = await makeWorkspace(engine)
    workspace.configure(configOfA(source.url, { removals: { minCount: 1 } }))
    const { code, runs } = await workspace.report('run')
    expect(code).toBe(0)
    const known = await workspace.run('missing', 'summit', '--json')
    source.records = faulty
    return { source, workspace, first: runs[0]?.run ?? '', known: JSON.parse(known.stdout) }
  }

  test('if a plan is held, the command missing describes the last run that landed, and first names the held run, the guard and the time', async () => {
    const { workspace, first, known } = await landed()
    const { code, runs } = await workspace.report('run')
    expect(code).toBe(4)
    const held = runs[0]?.run ?? ''
    const { stdout } = await workspace.run('missing', 'summit')
    const [head, about] = stdout.split('\n')
    expect(head).toMatch(
      new RegExp(
        `^summit: the newest read, run ${held} of 2\\S+, is held by \\w+ since 2\\S+: see event-sync show ${held}; `,
      ),
    )
    expect(about).toMatch(new RegExp(`as of run ${first} of 2\\S+, which landed at 2\\S+$`))
    const { records, run, landedAt, waiting } = JSON.parse(
      (await workspace.run('missing', 'summit', '--json')).stdout,
    )
    expect(records).toEqual(known.records)
    expect(records).toContainEqual(expect.objectContaining({ id: 'u5' }))
    expect(known).toMatchObject({ run: first, waiting: null })
    expect({ run, landedAt, waiting }).toEqual({
      run: first,
      landedAt: expect.stringMatching(/^2/),
      waiting: {
        run: held,
        startedAt: expect.any(String),
        status: 'held',
        plannedAt: expect.any(String),
        guard: expect.any(String),
      },
    })
    const csv = await workspace.run('missing', 'summit', '--csv')
    expect(csv.stderr).toBe(`${head}\n`)
    expect(csv.stdout).not.toContain('u6')
  })

  test('after the plan is approved, the command missing lists what the read of this plan left out', async () => {
    const { workspace } = await landed()
    const { runs } = await workspace.report('run')
    expect((await workspace.run('apply', 'summit', runs[0]?.planHash ?? '')).code).toBe(0)
    const { records, waiting } = JSON.parse((await workspace.run('missing', 'summit', '--json')).stdout)
    expect(waiting).toBe(null)
    const ids = records.map(({ id }: { id: string }) => id)
    expect(ids).toContain('u6')
    expect(ids).not.toContain('u5')
  })

  test('the command missing also names the newest run if this run was only planned, or if it failed', async () => {
    const { workspace, source, known } = await landed()
    source.records = {
      ...before,
      Users: [
        ...before.Users,
        { Id: 'u7', FirstName: 'New', LastName: 'Comer', EmailAddress: 'u7@people.example' },
      ],
    }
    expect((await workspace.run('plan', 'summit')).code).toBe(2)
    const planned = await workspace.run('missing', 'summit')
    expect(planned.stdout).toMatch(
      /^summit: the newest read, run \S+ of \S+, was only planned, and not sent: see event-sync show /,
    )
    expect((await workspace.run('run')).code).toBe(0)
    source.script = async () => ({ status: 404, body: '{}' })
    expect((await workspace.run('run')).code).toBe(1)
    const failed = await workspace.run('missing', 'summit')
    expect(failed.stdout).toMatch(/^summit: the newest run, run \S+ of \S+, failed: see event-sync show /)
    expect(known.records.length).toBeGreaterThan(0)
  })

  test('for a name, the command missing says who is in the app, who was removed by which run and why, and who is not sent yet', async () => {
    const { workspace, source } = await landed()
    const sought = async (name: string) => {
      const { stdout } = await workspace.run('missing', 'summit', '--name', name)
      return stdout.split('With that name or address:\n')[1] ?? ''
    }
    expect(await sought('of u3')).toContain(
      '  attendees u3 is in the app: event-sync explain summit attendees u3\n',
    )
    expect(await sought('ada')).toMatch(
      /speakers u1 is in the app.*attendees u1 .*attendees u2 .*attendees u4 /s,
    )
    expect((await workspace.run('run')).code).toBe(4)
    expect(await sought('comer')).toContain('attendees u7 is not in the app yet: event-sync explain')
    source.records = { ...before, Users: users.slice(0, 3) }
    workspace.configure(configOfA(source.url))
    const { runs } = await workspace.report('run')
    expect(await sought('of u4')).toMatch(
      new RegExp(
        `attendees u4 was removed from the app by run ${runs[0]?.run} of 2\\S+Z, because the source no longer had its record \\(removed_at_source\\): event-sync explain summit attendees u4\n`,
      ),
    )
    const json = await workspace.run('missing', 'summit', '--name', 'of u2', '--json')
    expect(JSON.parse(json.stdout).sought).toEqual([
      {
        content: 'attendees',
        id: 'u2',
        name: '(hidden)',
        standing: 'in_app',
        removedBy: null,
        goneSince: null,
      },
    ])
    const { stdout } = await workspace.run('missing', 'summit', '--name', 'of u4')
    expect(stdout).toMatch(
      /^summit: 1 record with that name or address is no longer in the app or at the source/,
    )
  })
})
