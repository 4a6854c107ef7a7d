import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { runInProcess } from './in-process.ts'
import { startScriptedSource } from './scripted-source.ts'
import { smallEvent } from './small-event.ts'
import { ALL, attendeesAfterRun, beginWith, configure, KEY, listed } from './suppress-small-event.ts'
import { makeWorkspace } from './workspace.ts'

const WITHOUT_U2 = ['u1', 'u3', 'u4']

// These tests run on both engines, because the SQL of the commands uses `distinct`, row comparisons and
// updates of a primary key.
describe.each(engines)('on %s', (engine) => {
  test('a suppression applies to all integrations of a source event, even after they are renamed, and to no other event', async () => {
    const { workspace, url } = await beginWith(engine, 'summit', 'expo')
    expect(await attendeesAfterRun(workspace, 'summit')).toEqual(ALL)
    const suppressed = await workspace.run('suppress', 'summit', 'attendees', 'u2')
    expect(suppressed.stdout).toBe('attendees u2 of summit and expo will be left out of the next plan\n')
    expect(await listed(workspace, 'expo')).toMatchObject([{ content: 'attendees', uniqueId: 'u2' }])
    expect((await workspace.run('suppress', 'expo', 'attendees', 'u2')).stdout).toContain('already')
    expect(await attendeesAfterRun(workspace, 'expo')).toEqual(WITHOUT_U2)

    expect((await workspace.run('rename', 'expo', 'renamed')).code).toBe(0)
    configure(workspace, url, ['renamed'])
    expect(await attendeesAfterRun(workspace, 'renamed')).toEqual(WITHOUT_U2)
    configure(workspace, url, ['other'], '4243')
    expect(await listed(workspace, 'other')).toEqual([])

    configure(workspace, url, ['renamed'])
    const unsuppressed = () => workspace.run('unsuppress', 'renamed', 'attendees', 'u2')
    expect((await unsuppressed()).code).toBe(0)
    expect((await unsuppressed()).stdout).toContain('is not left out')
    expect(await attendeesAfterRun(workspace, 'renamed')).toEqual(ALL)
    configure(workspace, url, ['summit'])
    expect(await listed(workspace, 'summit')).toEqual([])
  })

  test('suppress refuses a unique ID that is too long for any item', async () => {
    const { workspace } = await beginWith(engine, 'summit')
    const token = createHash('sha512').update('x').digest('hex').repeat(20)
    const refused = await workspace.run('suppress', 'summit', 'agenda', token)
    expect(refused.code).toBe(64)
    expect(refused.stderr).toContain('is longer than 1000 bytes')
  })

  test('suppress --email reads the address of a person from standard input; only --show-personal prints it', async () => {
    const { workspace, source } = await beginWith(engine, 'summit')
    const [first, second, ...others] = smallEvent.Users ?? []
    const shared = others.map((user) => ({ ...(user as object), EmailAddress: 'office@people.example' }))
    const withoutId = { FirstName: 'Ada', LastName: 'Front', EmailAddress: 'Front.Desk@people.example' }
    source.records = { ...smallEvent, Users: [first, second, ...shared, withoutId] }
    await workspace.report('run')
    const by = (address: string, ...args: readonly string[]) =>
      runInProcess([...args, '--email'], { ...workspace, input: `${address}\n` })

    const suppressed = await by(' U2@People.example ', 'suppress', 'summit', 'attendees')
    expect(suppressed).toEqual({
      code: 0,
      stdout: 'attendees u2 of summit will be left out of the next plan\n',
      stderr: '',
    })
    const front = await by('front.desk@people.example', 'suppress', 'summit', 'attendees', '--json')
    expect(JSON.parse(front.stdout)).toMatchObject({ uniqueId: '(hidden)', changed: true })
    expect(front.stdout + front.stderr).not.toContain('@')
    const shown = await workspace.run('suppress', 'summit', '--show-personal')
    expect(shown.stdout).toMatch(/attendees +front\.desk@people\.example/)
    for (const option of [[], ['--json']]) {
      const { stdout } = await workspace.run('suppress', 'summit', ...option)
      expect(stdout).toContain('u2')
      expect(stdout).toContain('(hidden)')
      expect(stdout).not.toContain('@')
    }
    const query = await attendeesAfterRun(workspace, 'summit')
    expect(query).toEqual(['u1', 'u3', 'u4'])
    const explained = await workspace.run('explain', 'summit', 'attendees', 'front.desk@people.example')
    expect(explained.stdout).toContain('event-sync unsuppress summit attendees --email')

    const several = await by('office@people.example', 'suppress', 'summit', 'attendees')
    expect(several).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/address; .*\n {2}attendees u3\n {2}attendees u4\n$/),
    })
    const nobody = await by('nobody@people.example', 'suppress', 'summit', 'attendees')
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('nobody was read') })
    expect(await listed(workspace, 'summit')).toHaveLength(2)

    for (const address of ['u2@people.example', 'front.desk@people.example'])
      expect((await by(address, 'unsuppress', 'summit', 'attendees')).stdout).toContain('again')
    expect(await listed(workspace, 'summit')).toEqual([])
    expect(await attendeesAfterRun(workspace, 'summit')).toHaveLength(5)
  })

  test('suppress of a forgotten person stores nothing, in any integration of the source event', async () => {
    const { workspace, url } = await beginWith(engine, 'summit', 'expo')
    await workspace.report('run', 'summit')
    expect((await workspace.run('forget', 'summit', 'attendees', 'u3')).code).toBe(0)
    expect((await workspace.run('rename', 'summit', 'renamed')).code).toBe(0)
    configure(workspace, url, ['renamed'])
    for (const content of ['attendees', 'speakers']) {
      const refused = await workspace.run('suppress', 'renamed', content, 'u3')
      expect(refused).toMatchObject({ code: 64, stdout: '' })
      expect(refused.stderr).toContain('that person was forgotten, and stays away; nothing was stored')
    }
    expect((await workspace.run('suppress', 'renamed', 'attendees', 'u4')).code).toBe(0)
    expect(await listed(workspace, 'renamed')).toHaveLength(1)
    delete workspace.env.EVENT_SYNC_KEY
    expect((await workspace.run('suppress', 'renamed', 'attendees', 'u3')).code).toBe(64)
    workspace.env.EVENT_SYNC_KEY = KEY
    configure(workspace, url, ['other'], '4243')
    expect((await workspace.run('suppress', 'other', 'attendees', 'u3', '--force')).code).toBe(0)
  })
})

describe('messages of suppress, status and explain', () => {
  async function begin() {
    const { url } = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace('postgres')
    workspace.env.EVENT_SYNC_KEY = KEY
    configure(workspace, url, ['summit'])
    await workspace.report('run')
    return workspace
  }

  test('suppress refuses an id that no run has read and stores nothing, unless --force is given', async () => {
    const workspace = await begin()
    const refused = await workspace.run('suppress', 'summit', 'attendees', 'u22')
    expect([refused.code, refused.stderr]).toEqual([
      64,
      expect.stringContaining(
        'no run of summit has read attendees u22, and the platform is not known to have it',
      ),
    ])
    expect(await listed(workspace, 'summit')).toEqual([])
    expect((await workspace.run('suppress', 'summit', 'attendees', 'u22', '--force')).code).toBe(0)
    expect(await listed(workspace, 'summit')).toHaveLength(1)
    const explained = await workspace.run('explain', 'summit', 'attendees', 'u22')
    expect([explained.code, explained.stderr]).toEqual([
      1,
      expect.stringContaining('it is left out by hand since'),
    ])
  })

  test('suppress names a session by its title; only --show-personal shows people and reasons', async () => {
    const workspace = await begin()
    const session = await workspace.run('suppress', 'summit', 'agenda', '102')
    expect(session.stdout).toMatch(/^agenda 102 "[^"]+" of summit will be left out/)
    const why = ['--reason', 'Lin asked by phone']
    const person = await workspace.run('suppress', 'summit', 'attendees', 'u2', ...why)
    expect(person.stdout).toBe('attendees u2 of summit will be left out of the next plan\n')
    const shown = await workspace.run('suppress', 'summit', 'attendees', 'u3', '--show-personal', ...why)
    expect(shown.stdout).toMatch(/^attendees u3 "[^"]+" of summit will be left out/)
    expect((await workspace.run('suppress', 'summit')).stdout).not.toContain('Lin')
    expect((await workspace.run('suppress', 'summit', '--show-personal')).stdout).toContain(
      'Lin asked by phone',
    )
    const explain = ['explain', 'summit', 'attendees', 'u2']
    expect((await workspace.run(...explain)).stdout).toMatch(
      /^summit: attendees u2 is left out by hand, from the next run on\n/,
    )
    expect((await workspace.run(...explain)).stdout).toMatch(
      /note +it is left out by hand since .* \(hidden\)/,
    )
    expect((await workspace.run(...explain, '--show-personal')).stdout).toContain('Lin asked by phone')
  })

  test('status ends with 3 while the platform still has a suppressed or forgotten person', async () => {
    const workspace = await begin()
    for (const [command, id, whose] of [
      ['suppress', 'u2', '1 item left out by hand'],
      ['forget', 'u3', '1 item of people who were forgotten'],
    ] as const) {
      expect((await workspace.run(command, 'summit', 'attendees', id)).code).toBe(0)
      const status = await workspace.run('status')
      expect([status.code, status.stdout]).toEqual([3, expect.stringContaining(`still has ${whose}`)])
      expect(status.stdout).toContain('event-sync run summit')
      expect((await workspace.report('run')).code).toBe(0)
      expect((await workspace.run('status')).code).toBe(0)
    }
  })

  test('explain says that a forgotten person is not synced', async () => {
    const workspace = await begin()
    await workspace.run('forget', 'summit', 'attendees', 'u3')
    const explained = () => workspace.run('explain', 'summit', 'attendees', 'u3')
    expect((await explained()).stdout).toMatch(
      /^summit: attendees u3 is kept out: the person was forgotten\n/,
    )
    expect((await explained()).stdout).toContain('the next run removes it, because the person was forgotten')
    await workspace.report('run')
    expect((await explained()).stdout).not.toContain('still has the item')
    const { standing, why } = JSON.parse(
      (await workspace.run('explain', 'summit', 'attendees', 'u3', '--json')).stdout,
    )
    expect([standing, why.reason]).toEqual(['forgotten', 'forgotten'])
  })
})

test('suppress and unsuppress end with exit code 64 if the arguments are wrong, and store nothing', async () => {
  const workspace = await makeWorkspace('postgres')
  configure(workspace, 'http://127.0.0.1:1', ['summit'])
  const refused: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['suppress', 'summit', 'attendees', 'stand.in@people.example'], /does not belong in a command line/],
    [['unsuppress', 'summit', 'speakers', 'stand.in@people.example'], /does not belong in a command line/],
    [['suppress', 'summit', 'attendees', 'u1', '--email'], /cannot be used together/],
    [['suppress', 'summit', 'people', 'u1'], /is not a content/],
    [['suppress', 'nowhere', 'attendees', 'u1'], /nowhere/],
    [['suppress', 'summit', 'attendees'], /no person was given/],
    [['suppress', 'summit', '--email'], /is not a content/],
    [['suppress', 'summit', 'agenda', '--email'], /a session has no e-mail address/],
    [['unsuppress', 'summit', 'agenda'], /unique ID of the session is missing/],
  ]
  for (const [args, message] of refused) {
    const ended = await runInProcess(args, { ...workspace, input: 'u1@people.example\n' })
    expect([ended.code, ended.stderr]).toEqual([64, expect.stringMatching(message)])
    expect(ended.stderr).not.toContain('@')
  }
  const inUtf16 = Buffer.from('\uFEFFu1@people.example\r\n', 'utf16le').toString()
  const args = ['suppress', 'summit', 'attendees', '--email']
  expect(await runInProcess(args, { ...workspace, input: inUtf16 })).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('standard input has no e-mail address in its first line'),
  })
  expect(await workspace.rows('select unique_id from sync.suppressed')).toEqual([])
})
