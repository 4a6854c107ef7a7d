import { describe, expect, test } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { engines } from '../../support/engines.ts'
import { openTestIo } from './in-process.ts'
import { holdBack } from './scripted-source.ts'
import { runIds, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

const HINT = '(hidden) replaces values of people; --show-personal shows them\n'

describe.each(engines)('on %s', (engine) => {
  test('explain describes an item as text and as JSON, and shows personal values only with --show-personal', async () => {
    const { workspace } = await workspaceOfSmallEvent(engine)
    expect((await workspace.run('run', '--run-id', runIds[0])).code).toBe(0)

    const { code, stdout, stderr } = await workspace.run('explain', 'summit', 'attendees', 'u1')
    expect([code, stderr]).toEqual([0, ''])
    const run = String.raw`run ${runIds[0]} of 2\S+Z`
    expect(stdout).toMatch(
      new RegExp(String.raw`^summit: attendees u1 is synced

  record      users u1, in this version since ${run}
  platform    it has the item as desired, sent by ${run}
  known from  ${run} \(finished\)
  added by    ${run}; a field without "since" below has not changed since then

  uniqueId  "u1"
      from      users u1 \$\.Id
      rule      [^\n]* \(spec 2\.4\.6\)

  firstName  \(hidden\)
      from      users u1 \$\.FirstName
      rule      The text, trimmed\. A record without this text is left out\. \(spec 2\.4\.1\)
`),
    )
    expect(stdout).toContain(`
  without a value
  title  the source has no value: users u1 $.Title is absent
  company  the source has no value: users u1 $.Company is absent

${HINT}`)
    const io = openTestIo(workspace)
    // On a terminal, standard output and standard error both go to the screen.
    await runCommand(['explain', 'summit', 'attendees', 'u1', '--json'], { ...io, stderr: io.stdout })
    expect(io.output.stdout).toMatch(/^\{.*\}\n\(hidden\) .*\n$/)
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
      'leftOutNext',
      'pinned',
      'notes',
    ])
    expect(explained.fields[1]).toMatchObject({
      field: 'firstName',
      value: 'Ada',
      lastRun: { run: runIds[0] },
    })
  })
})

test('explain does not wait for a run that is reading the source, and shows no data of this run', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  expect((await workspace.run('run', '--run-id', runIds[0])).code).toBe(0)
  source.records = {
    ...smallEvent,
    Sessions: [
      { Id: 101, Title: 'Welcome', TimeSlotId: 1, Speakers: [] },
      ...(smallEvent.Sessions ?? []).slice(1),
    ],
  }
  const { script, asked, release } = holdBack('Users', 0)
  source.script = script
  const reading = workspace.run('run', '--run-id', runIds[1])
  await asked
  const { code, stdout } = await workspace.run('explain', 'summit', 'agenda', '101')
  release()
  await reading
  expect(code).toBe(0)
  expect(stdout).toContain('  name  "Opening"\n')
  expect(stdout).toMatch(
    new RegExp(`  note        run ${runIds[1]} of 2\\S+Z is under way; this is what was known before it\n`),
  )
})
