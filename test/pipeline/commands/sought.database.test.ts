import { describe, expect, test, vi } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { engines } from '../../support/engines.ts'
import { openTestIo, runInProcess } from './in-process.ts'
import { startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const person = (
  Id: string | null,
  FirstName: string,
  LastName: string,
  EmailAddress = `${Id}@people.example`,
) => {
  return { ...(Id === null ? {} : { Id }), FirstName, LastName, EmailAddress }
}

/** An event in which people share a name, and some records are left out or cannot be read. */
const event = {
  ...smallEvent,
  Sessions: [
    ...(smallEvent.Sessions ?? []),
    { Id: 103, Title: 'Dinner: the Opening night', TimeSlotId: 1, Enabled: false },
  ],
  Users: [
    person('u1', 'Ada', 'Lovelace'),
    person('u2', 'Zoë', 'Müller', 'office@people.example'),
    person('u3', 'Grace', 'Hopper', 'office@people.example'),
    person('u4', 'Adam', 'Love-Lace'),
    person('u5', 'Kim', 'Lee'),
    person(null, 'Kim', 'Lee', 'kim@people.example'),
    person('u6', 'Bea', 'Silent', ''),
  ],
}

describe.each(engines)('on %s', (engine) => {
  async function synced() {
    const source = await startScriptedSource(event)
    const workspace = await makeWorkspace(engine)
    workspace.env.EVENT_SYNC_KEY = Buffer.alloc(32, 7).toString('base64')
    workspace.configure({
      ...configOfA(source.url, { guards: { maxQuarantined: 9 } }),
      sealingKey: 'env:EVENT_SYNC_KEY',
    })
    expect((await workspace.run('run')).code).toBe(0)
    return { workspace, source }
  }

  test('--name finds a person by whole words, in any order, and ignores case and accents', async () => {
    const { workspace } = await synced()
    const explained = (name: string, ...args: readonly string[]) =>
      workspace.run('explain', 'summit', 'attendees', '--name', name, ...args)
    for (const name of ['lovelace ADA', 'ada', 'Lovelace'])
      expect((await explained(name)).stdout).toContain('summit: attendees u1 is synced\n')
    for (const name of ['zoe muller', 'ZOE\u0308'])
      expect((await explained(name)).stdout).toContain('summit: attendees u2 is synced\n')
    for (const name of ['lace', 'Ad', 'ada hopper', 'Ada Lovelace King']) {
      const { code, stdout, stderr } = await explained(name)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toBe(
        'summit: nobody was read with that name; give whole words, in any order, or the unique ID\n',
      )
    }
    const session = await workspace.run('explain', 'summit', 'agenda', '--name', 'closing')
    expect(session.stdout).toContain('summit: agenda 102 is synced\n')
    const unknown = await workspace.run('explain', 'summit', 'agenda', '--name', 'breakfast')
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/^summit: no session was read/)])
  })

  test('if several people match, they are listed and nothing is done; names and addresses need --show-personal', async () => {
    const { workspace } = await synced()
    const args = ['suppress', 'summit', 'attendees', '--name', 'kim lee']
    const hidden = await workspace.run(...args)
    expect(hidden).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'summit: 2 people were read with that name; give the unique ID of one, or more words of the name:\n' +
        '  attendees (hidden)\n  attendees u5\n',
    })
    const shown = await workspace.run(...args, '--show-personal')
    expect(shown.stderr).toContain('  attendees kim@people.example "Kim Lee"\n  attendees u5 "Kim Lee"\n')
    const sessions = await workspace.run('suppress', 'summit', 'agenda', '--name', 'opening')
    expect(sessions.stderr).toContain('2 sessions were read with that title')
    expect(sessions.stderr).toContain('  agenda 101 "Opening"\n  agenda 103 "Dinner: the Opening night"\n')
    const { suppressed } = JSON.parse((await workspace.run('suppress', 'summit', '--json')).stdout)
    expect(suppressed).toEqual([])
  })

  test('--name searches only the newest name of a person, even after the person left the source', async () => {
    const { workspace, source } = await synced()
    source.records = { ...event, Users: [person('u1', 'Augusta', 'King'), ...event.Users.slice(2)] }
    await workspace.run('run')
    const codeOf = async (name: string) =>
      (await workspace.run('explain', 'summit', 'attendees', '--name', name)).code
    expect([await codeOf('lovelace'), await codeOf('augusta'), await codeOf('müller')]).toEqual([1, 0, 0])
  })

  test('suppress, unsuppress and forget act on a person who is the only one with the given name', async () => {
    const { workspace } = await synced()
    const suppressed = await workspace.run('suppress', 'summit', 'attendees', '--name', 'Hopper')
    expect(suppressed.stdout).toBe('attendees u3 of summit will be left out of the next plan\n')
    const back = await workspace.run('unsuppress', 'summit', 'attendees', '--name', 'grace hopper')
    expect(back.stdout).toBe('attendees u3 of summit will be in the next plan again\n')
    expect((await workspace.run('forget', 'summit', 'attendees', '--name', 'lee')).code).toBe(1)
    const input = 'Grace HOPPER\nlater lines are ignored\n'
    const forgotten = await runInProcess(['forget', 'summit', 'attendees', '--name', '-'], {
      ...workspace,
      input,
    })
    expect(forgotten).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the person is forgotten'),
    })
    expect(forgotten.stdout + forgotten.stderr).not.toMatch(/grace|hopper/i)
    expect((await workspace.run('explain', 'summit', 'attendees', '--name', 'grace')).code).toBe(1)
    const { runs } = await workspace.report('run')
    expect(runs[0]?.changes.attendees).toMatchObject({ remove: 1 })
  })

  test('explain --email finds the person with the address, or lists all people with this address', async () => {
    const { workspace } = await synced()
    const by = (address: string) => byAddress(workspace, address, 'explain', 'summit', 'attendees')
    expect((await by('U1@People.example')).stdout).toContain('summit: attendees u1 is synced\n')
    const desk = await by('kim@people.example')
    expect(desk.stdout).toContain('summit: attendees (hidden) is synced\n')
    expect(desk.stdout).not.toContain('@')
    const several = await by('office@people.example')
    expect(several).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^summit: 2 people .* address; .*\n {2}attendees u2\n {2}attendees u3\n$/,
      ),
    })
    expect((await by('nobody@people.example')).code).toBe(1)
  })

  test('explain without a content explains every content that has the person, and lists several people who match', async () => {
    const { workspace } = await synced()
    const both = await workspace.run('explain', 'summit', '--name', 'ada lovelace')
    expect(both.code).toBe(0)
    expect(both.stdout).toMatch(/^summit: speakers u1 is synced\n.*\nsummit: attendees u1 is synced\n/s)
    const { items } = JSON.parse(
      (await workspace.run('explain', 'summit', '--name', 'night', '--json')).stdout,
    )
    expect(items).toMatchObject([{ content: 'agenda', uniqueId: '103', standing: 'excluded' }])
    const byEmail = await byAddress(workspace, 'u4@people.example', 'explain', 'summit')
    expect(byEmail.stdout).toMatch(/^summit: speakers u4 is not synced.*\nsummit: attendees u4 is synced\n/s)
    const several = await workspace.run('explain', 'summit', '--name', 'kim lee')
    expect([several.code, several.stdout]).toEqual([1, ''])
    expect(several.stderr).toContain('2 people were read with that name')
    expect((await workspace.run('explain', 'summit', '--name', 'nobody')).code).toBe(1)
  })

  test('the command missing with a name or an address lists only records with this name or address', async () => {
    const { workspace } = await synced()
    const missing = await workspace.run('missing', 'summit', '--name', 'silent')
    expect(missing.code).toBe(0)
    expect(missing.stdout).toMatch(/^summit: 2 records left out, /)
    const { records } = JSON.parse(
      (await workspace.run('missing', 'summit', '--json', '--name', 'NIGHT')).stdout,
    )
    expect(records).toMatchObject([{ content: 'agenda', id: '103' }])
    const csv = await byAddress(workspace, 'u4@people.example', 'missing', 'summit', '--csv')
    expect(csv.stdout.trim().split('\r\n')).toEqual([
      expect.stringContaining('"content"'),
      expect.stringContaining('"speakers","u4"'),
    ])
    const none = await workspace.run('missing', 'summit', '--name', 'closing')
    expect([none.code, none.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^summit: no record with that name or address is missing; 2 hints, as of run \S+ of 2\S+\n/,
      ),
    ])
    const unknown = await workspace.run('missing', 'summit', '--name', 'nobody', '--json')
    expect([unknown.code, JSON.parse(unknown.stdout).error]).toEqual([
      1,
      'summit: nobody and no session was read with that name; give whole words, in any order, or the unique ID',
    ])
    expect((await byAddress(workspace, 'nobody@people.example', 'missing', 'summit')).code).toBe(1)
  })

  test('quarantine with a name or an address finds an unreadable record by its earlier version', async () => {
    const { workspace, source } = await synced()
    source.records = {
      ...event,
      Sessions: [...event.Sessions, { Title: 'No id' }],
      Users: [
        ...event.Users.slice(1),
        { ...person('u1', 'Ada', 'Lovelace'), Biography: 'x'.repeat(300_000) },
      ],
    }
    const config = JSON.parse(workspace.read('event-sync.yaml'))
    workspace.configure({ ...config, http: { ...config.http, maxRecordBytes: 50_000 } })
    expect((await workspace.run('run')).code).toBe(0)
    const all = JSON.parse((await workspace.run('quarantine', 'summit', '--json')).stdout).records
    expect(all.length).toBeGreaterThan(1)
    const byName = await workspace.run('quarantine', 'summit', '--json', '--name', 'ada lovelace')
    expect(JSON.parse(byName.stdout).records).toMatchObject([{ resource: 'users', sourceId: 'u1' }])
    const byEmail = await byAddress(workspace, 'u1@people.example', 'quarantine', 'summit')
    expect(byEmail.stdout).toContain('\n1 record. place: ')
    const readable = await workspace.run('quarantine', 'summit', '--name', 'hopper')
    expect(readable.stdout).toMatch(
      /^summit: every record with that name or address of the last read could be read \(/,
    )
    const unknown = await byAddress(workspace, 'nobody@people.example', 'quarantine', 'summit')
    expect([unknown.code, unknown.stdout, unknown.stderr]).toEqual([
      1,
      '',
      'summit: nobody was read with that address; a record that could never be read is known only by its id\n',
    ])
  })
})

test('if the arguments do not clearly name a person, the command refuses them before it opens anything, and does not print them', async () => {
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA('http://127.0.0.1:9'))
  const refused: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [
      ['explain', 'summit'],
      /^the content is missing; give one of agenda, speakers, attendees and a unique ID, or --email or --name/,
    ],
    [['explain', 'summit', 'people'], /^"people" is not a content; give one of: agenda, speakers, attendees/],
    [['explain', 'summit', 'attendees'], /no person was given; give the id of the person, --email or --name/],
    [['explain', 'summit', 'agenda'], /the unique ID of the session is missing/],
    [['explain', 'summit', 'agenda', '--email'], /a session has no e-mail address/],
    [
      ['explain', 'summit', 'attendees', 'u1', '--name', 'canary'],
      /the unique ID, --email and --name cannot/,
    ],
    [['missing', 'summit', '--email', '--name', 'canary'], /^--email and --name cannot be used together/],
    [['quarantine', 'summit', '--name', '-'], /the name has no letter and no digit/],
    [['forget', 'summit', 'attendees', '--name', ' . '], /the name has no letter and no digit/],
    [['missing', 'summit', '--name', 'canary@people.example'], /does not belong in a command line/],
  ]
  for (const [args, message] of refused) {
    const { code, stdout, stderr } = await workspace.run(...args)
    expect([code, stdout, stderr]).toEqual([64, '', expect.stringMatching(message)])
    expect(stderr).not.toContain('canary')
  }
})

test('explain --email at a terminal asks for the address and does not show what the user types', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  expect((await workspace.run('run')).code).toBe(0)
  const io = openTestIo({ ...workspace, input: 'u1@people.example\n', isTerminal: true })
  const setRawMode = vi.fn()
  Object.assign(io.stdin, { setRawMode })
  expect(await runCommand(['explain', 'summit', 'attendees', '--email'], io)).toBe(0)
  expect(io.output.stdout).toContain('summit: attendees u1 is synced\n')
  expect(io.output.stderr).toBe('e-mail address (not shown): \n')
  // A terminal in raw mode does not show what the user types.
  expect(setRawMode.mock.calls).toEqual([[true], [false]])
})

/** Runs a command with `--email`, and gives it an address on standard input. */
function byAddress(workspace: Workspace, address: string, ...args: readonly string[]) {
  return runInProcess([...args, '--email'], { ...workspace, input: `${address}\n` })
}
