import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { engines } from '../../support/engines.ts'
import type { Records } from './scripted-source.ts'
import { smallEvent } from './small-event.ts'
import { useSmallWorkspace, workspaceOfSmallEvent } from './small-workspace.ts'
import type { Workspace } from './workspace.ts'

const CANARY = 'canary-7@people.example'
const HINT = '(hidden) replaces values of people; --show-personal shows them\n'

/**
 * The small event one day later. In this time, a title got an escape sequence, a session was withdrawn, and
 * people were changed and added.
 */
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

describe.each(engines)('on %s, after the small event was synced and then changed at the source', (engine) => {
  const place = useSmallWorkspace(engine)
  let workspace: Workspace
  beforeAll(async () => {
    workspace = place().workspace
    expect((await workspace.run('run')).code).toBe(0)
    place().source.records = changedEvent
  })

  test('plan shows all changes, a summary and the apply command, and shows people only with --show-personal', async () => {
    const { code, stdout } = await workspace.run('plan')
    expect(code).toBe(2)
    const run = /^summit: plan of run (\S+)\n/.exec(stdout)?.[1]
    const report = stdout.indexOf('summit: planned, 5 changes; nothing was sent\n')
    expect(stdout.slice(0, report)).toBe(`summit: plan of run ${run}

agenda
  ~ update 101 "Opening\\x1b[2J"
      ~ name        "Opening" -> "Opening\\x1b[2J"
      ~ speakerIds  + u2
  - remove 102 "Closing": not_published

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
  ~ update u4 (hidden)
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

  test('plan --json adds the changes to the keys of every report', async () => {
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
          { action: 'update', content: 'agenda', uniqueId: '101' },
          {
            action: 'remove',
            content: 'agenda',
            uniqueId: '102',
            name: 'Closing',
            reason: 'not_published',
          },
          { action: 'create', content: 'speakers', uniqueId: 'u2' },
          { action: 'create', content: 'attendees', uniqueId: '(hidden)' },
          {
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
    expect(planned.stdout + planned.stderr).not.toContain('people.example')
    const open = await workspace.report('plan', '--show-personal')
    expect(open.stdout).toContain(`"after":"${CANARY}"`)
    expect(open.stderr).not.toContain('(hidden)')
    const debug = await workspace.run('plan', '--log-level', 'debug')
    expect(debug.stdout + debug.stderr).not.toContain('people.example')
  })

  test('--sample and --content limit the changes that plan prints, but not the plan itself; show prints all changes', async () => {
    const whole = (await workspace.report('plan')).runs[0]
    const some = await workspace.run('plan', '--sample', '1', '--content', 'agenda')
    const run = /plan of run (\S+)/.exec(some.stdout)?.[1]
    expect(some.stdout).toContain('\n  ~ update 101 "Opening\\x1b[2J"\n')
    expect(some.stdout).not.toContain('- remove')
    expect(some.stdout).not.toContain('attendees\n')
    expect(some.stdout).toContain(
      `\n  … 1 more (1 to remove): event-sync show ${run} --content agenda --sample 2\n`,
    )
    expect(some.stdout).toContain('\nPlan: 2 to create, 2 to update, 1 to remove (not_published 1)\n')
    expect(some.stdout).toContain(`event-sync apply summit ${whole?.planHash}\n`)

    const rest = await workspace.run('show', String(run), '--content', 'agenda', '--sample', '2')
    expect(rest.stdout).toContain('\n  - remove 102 "Closing": not_published\n')
    const two = await workspace.report('plan', '--sample=1', '--content', 'attendees,speakers')
    expect(two.runs[0]?.planHash).toBe(whole?.planHash)
    expect(two.runs[0]).toMatchObject({
      changes: whole?.changes,
      plan: { shown: 2, total: 5, changes: [{ content: 'speakers' }, { content: 'attendees' }] },
    })
    const contents = ['--content', 'agenda', '--content', 'speakers']
    const shown = await workspace.run('show', String(run), ...contents, '--json')
    expect(JSON.parse(shown.stdout)).toMatchObject({ run, plan: { shown: 3, total: 5 } })
  })

  test('show uses colours unless --no-color is given, and shows e-mail addresses only with --show-personal', async () => {
    const run = String((await workspace.report('plan')).runs[0]?.run)
    vi.stubEnv('FORCE_COLOR', undefined)
    const plain = await workspace.run('show', run)
    for (const text of ['\u001b', 'people.example']) expect(plain.stdout).not.toContain(text)
    vi.stubEnv('FORCE_COLOR', '1')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { stdout } = await workspace.run('show', run)
    expect(stdout).toContain('  \u001b[32m+ create u2\u001b[39m\n')
    expect(stdout).toContain('  \u001b[31m- remove 102 "Closing": not_published\u001b[39m\n')
    const personal = await workspace.run('show', run, '--no-color', '--show-personal')
    expect(personal.stdout).not.toContain('\u001b')
    expect(personal.stdout).toContain(CANARY)
  })
})

test('an empty plan prints only its report; in JSON, the key `plan` is null after a failure, and missing after run', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
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
