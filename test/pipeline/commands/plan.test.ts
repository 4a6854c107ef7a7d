import { describe, expect, test } from 'vitest'
import { startSampleSourceB } from '../../../pipeline/demo/sample-source-b.ts'
import { engines } from '../../support/engines.ts'
import type { Ended } from './command-line.ts'
import { type Records, startScriptedSource } from './scripted-source.ts'
import { configOfA, credentialsOfB, integrationOfB, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const CANARY = 'canary-7@people.example'
const HINT = '(hidden) stands for values of people; --show-personal shows them\n'

/** The small event a day later: a title with an escape sequence, a withdrawn session, changed and new people. */
const changedEvent: Records = {
  ...smallEvent,
  Sessions: [
    { Id: 101, Title: 'Opening\u001b[2J', TimeSlotId: 1, Speakers: [{ Id: 'u1' }, { Id: 'u2' }] },
    { Id: 102, Title: 'Closing', TimeSlotId: 1, Speakers: [], Enabled: false },
  ],
  Users: [
    ...(smallEvent.Users ?? []).slice(0, 3),
    { Id: 'u4', FirstName: 'Ada', LastName: 'Canary', EmailAddress: CANARY },
    { FirstName: 'No', LastName: 'Id', EmailAddress: `other-${CANARY}` },
  ],
}

/** A workspace whose platform has the small event, and whose source has changed since. */
async function makeChanged(engine: (typeof engines)[number]): Promise<Workspace> {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace(engine)
  workspace.configure(configOfA(source.url))
  expect((await workspace.run('run')).code).toBe(0)
  source.records = changedEvent
  return workspace
}

const output = ({ stdout, stderr }: Ended) => stdout + stderr

describe.each(engines)('on %s', (engine) => {
  test('plan shows each change, the summary, and how to apply it; values of people only where asked for', async () => {
    const workspace = await makeChanged(engine)
    const { code, stdout } = await workspace.run('plan')
    expect(code).toBe(2)
    const run = /^summit: plan of run (\S+)\n/.exec(stdout)?.[1]
    const report = stdout.indexOf('summit: planned, 5 changes; nothing was sent\n')
    expect(stdout.slice(0, report)).toBe(`summit: plan of run ${run}

agenda
  ~ update 101
      ~ name        "Opening" -> "Opening\\x1b[2J"
      ~ speakerIds  + u2
  - remove 102: not_published

speakers
  + create u2
      + firstName   (hidden)
      + lastName    (hidden)
      + sessionIds  101
      + attendeeId  "u2"

attendees
  + create (hidden)
      + firstName     (hidden)
      + lastName      (hidden)
      + emailAddress  (hidden)
  ~ update u4
      ~ lastName      (hidden) -> (hidden)
      ~ emailAddress  (hidden) -> (hidden)

${HINT}Plan: 2 to create, 2 to update, 1 to remove (not_published 1)

`)
    expect(stdout.slice(report)).toMatch(/\n {2}apply it with: event-sync apply summit [0-9a-f]{64}\n/)

    const open = await workspace.run('--show-personal', 'plan')
    expect(open.stdout).toContain(`\n      ~ emailAddress  "u4@people.example" -> "${CANARY}"\n`)
    expect(open.stdout).toContain(`\n  + create other-${CANARY}\n`)
    expect(open.stdout).not.toContain('(hidden)')
  })
})

test('plan --json has the changes beside the keys of the contract', async () => {
  const workspace = await makeChanged('postgres')
  const planned = await workspace.report('plan')
  expect(planned.stdout.split('\n')).toHaveLength(2)
  expect(planned.runs).toHaveLength(1)
  expect(planned.runs[0]).toMatchObject({
    integration: 'summit',
    status: 'planned',
    plan: {
      shown: 5,
      total: 5,
      changes: [
        {
          action: 'update',
          content: 'agenda',
          uniqueId: '101',
          fields: [
            { field: 'name', before: 'Opening', after: 'Opening\u001b[2J' },
            { field: 'speakerIds', before: ['u1'], after: ['u1', 'u2'] },
          ],
        },
        { action: 'remove', content: 'agenda', uniqueId: '102', reason: 'not_published' },
        { action: 'create', content: 'speakers', uniqueId: 'u2' },
        { action: 'create', content: 'attendees', uniqueId: '(hidden)' },
        {
          action: 'update',
          content: 'attendees',
          uniqueId: 'u4',
          fields: [
            { field: 'lastName', before: '(hidden)', after: '(hidden)' },
            { field: 'emailAddress', before: '(hidden)', after: '(hidden)' },
          ],
        },
      ],
    },
  })
  expect(planned.stderr).toContain(HINT)
  const open = await workspace.report('plan', '--show-personal')
  expect(open.stdout).toContain(`"after":"${CANARY}"`)
  expect(open.stderr).not.toContain('(hidden)')
})

test('an e-mail address is in no output of plan, run or show without --show-personal', async () => {
  const workspace = await makeChanged('postgres')
  const planned = await workspace.report('plan')
  const run = String(planned.runs[0]?.run)
  const ended = [
    planned,
    await workspace.run('plan'),
    await workspace.run('plan', '--log-level', 'debug'),
    await workspace.run('show', run),
    await workspace.run('show', run, '--json'),
    await workspace.run('run'),
  ]
  for (const one of ended) expect(output(one)).not.toContain('people.example')
  expect(output(await workspace.run('show', run, '--show-personal'))).toContain(CANARY)
})

test('--sample and --content choose what is shown, never what is planned; show shows the rest', async () => {
  const workspace = await makeChanged('postgres')
  const whole = (await workspace.report('plan')).runs[0]
  const some = await workspace.run('plan', '--sample', '1', '--content', 'agenda')
  const run = /plan of run (\S+)/.exec(some.stdout)?.[1]
  expect(some.stdout).toContain('\n  ~ update 101\n')
  expect(some.stdout).not.toContain('- remove')
  expect(some.stdout).not.toContain('attendees\n')
  expect(some.stdout).toContain(
    `\n  … 1 more (1 to remove): event-sync show ${run} --content agenda --sample 2\n`,
  )
  expect(some.stdout).toContain('\nPlan: 2 to create, 2 to update, 1 to remove (not_published 1)\n')
  expect(some.stdout).toContain(`event-sync apply summit ${whole?.planHash}\n`)

  const rest = await workspace.run('show', String(run), '--content', 'agenda', '--sample', '2')
  expect(rest.stdout).toContain('\n  - remove 102: not_published\n')
  const none = await workspace.run('plan', '--sample', '0')
  expect(none.stdout).toMatch(/^summit: plan of run \S+\n\nPlan: 2 to create, 2 to update, 1 to remove/)
  expect(none.stdout).not.toContain('(hidden)')

  const two = await workspace.report('plan', '--sample=1', '--content', 'attendees,speakers')
  expect(two.runs[0]?.planHash).toBe(whole?.planHash)
  expect(two.runs[0]).toMatchObject({
    changes: whole?.changes,
    plan: { shown: 2, total: 5, changes: [{ content: 'speakers' }, { content: 'attendees' }] },
  })
  const shown = await workspace.run(
    'show',
    String(run),
    '--content',
    'agenda',
    '--content',
    'speakers',
    '--json',
  )
  expect(JSON.parse(shown.stdout)).toMatchObject({ run, plan: { shown: 3, total: 5 } })
})

test('colours are for terminals, and off with --no-color', async () => {
  const workspace = await makeChanged('postgres')
  const run = String((await workspace.report('plan')).runs[0]?.run)
  expect((await workspace.run('show', run)).stdout).not.toContain('\u001b')
  workspace.env.FORCE_COLOR = '1'
  const { stdout } = await workspace.run('show', run)
  expect(stdout).toContain('  \u001b[32m+ create u2\u001b[39m\n')
  expect(stdout).toContain('  \u001b[31m- remove 102: not_published\u001b[39m\n')
  expect((await workspace.run('show', run, '--no-color')).stdout).not.toContain('\u001b')
})

test('an empty plan shows its report alone; a run without a plan has null for it, and run has no such key', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  expect((await workspace.report('run')).runs[0]).not.toHaveProperty('plan')
  const { code, stdout } = await workspace.run('plan')
  expect([code, stdout.split('\n')[0]]).toEqual([0, 'summit: planned, nothing to change; nothing was sent'])
  expect((await workspace.report('plan')).runs[0]).toMatchObject({
    plan: { changes: [], shown: 0, total: 0 },
  })

  source.script = async () => ({ status: 403, body: '{}' })
  const failed = await workspace.report('plan')
  expect(failed.code).toBe(1)
  expect(failed.runs[0]).toMatchObject({ status: 'failed', plan: null })
})

test('a held plan is shown as any other, then what holds it and the command that approves it', async () => {
  const source = await startSampleSourceB({
    sessions: [{ id: 1, name: 'Keynote', date: '2031-08-08', start_time: '09:00:00', end_time: '10:00:00' }],
    registrants: [],
    regTypes: [{ id: 21, name: 'Attendee' }],
  })
  const workspace = await makeWorkspace('postgres')
  Object.assign(workspace.env, credentialsOfB)
  workspace.configure({ integrations: [integrationOfB('expo', source.url)] })
  try {
    const { code, stdout } = await workspace.run('plan')
    expect(code).toBe(4)
    const places = [
      '\n  + create 1\n      + name       "Keynote"\n',
      '\nPlan: 1 to create, 0 to update, 0 to remove\n',
      '\nexpo: held, 1 changes; nothing was sent\n',
      '\n  held by speakerType: ',
      '\n  apply it with: event-sync apply expo ',
    ].map((text) => stdout.indexOf(text))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  } finally {
    await source.close()
  }
})

test('a sample that is no count and an unknown content are refused with 64', async () => {
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA('http://127.0.0.1:9'))
  const sample = await workspace.run('plan', '--sample', 'all')
  expect([sample.code, sample.stderr]).toEqual([
    64,
    expect.stringContaining('It must be a whole number from 0'),
  ])
  const content = await workspace.run('plan', '--content', 'agenda,people')
  expect([content.code, content.stderr]).toEqual([
    64,
    expect.stringContaining('"people" is none of agenda, speakers, attendees'),
  ])
})
