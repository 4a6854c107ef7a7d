import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { startScriptedSource } from './scripted-source.ts'
import { configOfA, runIds, smallEvent } from './small-event.ts'
import { makeWorkspace } from './workspace.ts'

const HINT = '(hidden) stands for values of people; --show-personal shows them\n'

describe.each(engines)('on %s', (engine) => {
  test('an item is explained as text and as JSON; values of people only where asked for', async () => {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace(engine)
    workspace.configure(configOfA(source.url))
    expect((await workspace.run('run', '--run-id', runIds[0])).code).toBe(0)

    const { code, stdout, stderr } = await workspace.run('explain', 'summit', 'attendees', 'u1')
    expect([code, stderr]).toEqual([0, ''])
    const run = String.raw`run ${runIds[0]} of 2\S+Z`
    expect(stdout).toMatch(
      new RegExp(String.raw`^summit: attendees u1 is synced

  record      users u1, read as it is by ${run}
  platform    it has the item as it should, sent by ${run}
  known from  ${run} \(finished\)
  brought by  ${run}; what has no "since" below is as it was then

  uniqueId  "u1"
      from      users u1 \$\.Id
      rule      [^\n]* \(spec 2\.4\.6\)

  firstName  \(hidden\)
      from      users u1 \$\.FirstName
      rule      The text, trimmed; without it there is no item\. \(spec 2\.4\.1\)
`),
    )
    expect(stdout).toContain(`
  without a value
  title  the source gives none: users u1 $.Title is absent
  company  the source gives none: users u1 $.Company is absent

${HINT}`)
    const json = await workspace.run('explain', 'summit', 'attendees', 'u1', '--json', '--show-personal')
    expect([json.code, json.stderr]).toEqual([0, ''])
    const explained = JSON.parse(json.stdout)
    expect(Object.keys(explained)).toEqual([
      'integration',
      'content',
      'uniqueId',
      'standing',
      'lastRead',
      'record',
      'why',
      'fields',
      'marks',
      'platform',
      'notes',
    ])
    expect(explained.fields[1]).toMatchObject({
      field: 'firstName',
      value: 'Ada',
      lastRun: { run: runIds[0] },
    })
  })
})

test('what cannot be explained is an error that says what to do', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  const empty = await workspace.run('explain', 'summit', 'agenda', '101')
  expect(empty).toMatchObject({
    code: 1,
    stderr: 'the database holds nothing yet; `event-sync run` reads the source\n',
  })
  expect((await workspace.run('run')).code).toBe(0)
  const before = await workspace.rows('select count(*) from sync.runs')
  const [unknown, json, content, integration] = await Promise.all([
    workspace.run('explain', 'summit', 'speakers', 'u2@people.example'),
    workspace.run('explain', 'summit', 'agenda', 'u2', '--json'),
    workspace.run('explain', 'summit', 'rooms', '1'),
    workspace.run('explain', 'nosuch', 'agenda', '1'),
  ])
  expect(unknown).toMatchObject({ code: 1, stdout: '' })
  expect(unknown?.stderr).toMatch(/^summit: speakers has no \(hidden\), now or before: /)
  expect(json?.code).toBe(1)
  expect(JSON.parse(json?.stdout ?? '').error).toContain(
    'attendees has it: event-sync explain summit attendees u2',
  )
  expect(content).toMatchObject({
    code: 64,
    stderr: '"rooms" is no content; there are: agenda, speakers, attendees\n',
  })
  expect(integration).toMatchObject({ code: 64 })
  expect(await workspace.rows('select count(*) from sync.runs')).toEqual(before)
})

test('a run that reads the source, or holds the lock, is not waited for, and nothing of it is seen', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  expect((await workspace.run('run', '--run-id', runIds[0])).code).toBe(0)
  source.records = {
    ...smallEvent,
    Sessions: [
      { Id: 101, Title: 'Welcome', TimeSlotId: 1, Speakers: [] },
      ...(smallEvent.Sessions ?? []).slice(1),
    ],
  }
  const asked = Promise.withResolvers<void>()
  source.script = async ({ resource }) => {
    if (resource !== 'Users') return null
    asked.resolve()
    return new Promise(() => undefined)
  }
  const reading = workspace.start('run', '--run-id', runIds[1])
  await asked.promise
  const { code, stdout } = await workspace.run('explain', 'summit', 'agenda', '101')
  reading.kill('SIGKILL')
  await reading.ended
  expect(code).toBe(0)
  expect(stdout).toContain('  name  "Opening"\n')
  expect(stdout).toMatch(
    new RegExp(`  note        run ${runIds[1]} of 2\\S+Z is under way; this is what was known before it\n`),
  )
})
