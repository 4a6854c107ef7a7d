import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { startScriptedSource } from './scripted-source.ts'
import { integrationOfA, runIds, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace } from './workspace.ts'

const [first, second, third] = runIds
const { Users = [] } = smallEvent

/** The small event after some changes: in each content, one item is added or changed, and one is removed. */
const changed = {
  ...smallEvent,
  Sessions: [
    {
      Id: 101,
      Title: '=Welcome',
      Description: 'event-sync plan summit',
      TimeSlotId: 1,
      Speakers: [{ Id: 'u1' }],
    },
    { Id: 103, Title: 'Dinner', TimeSlotId: 1, Speakers: [] },
  ],
  Users: [
    { Id: 'u1', FirstName: 'Augusta', LastName: 'Of u1', EmailAddress: 'u1@people.example' },
    ...Users.slice(1),
  ],
}

/**
 * Makes a workspace in which two runs have ended. The first run read the small event, and the second run read
 * the changed event.
 */
async function afterTwoRuns() {
  const place = await workspaceOfSmallEvent()
  expect((await place.workspace.run('run', '--run-id', first)).code).toBe(0)
  place.source.records = changed
  expect((await place.workspace.run('run', '--run-id', second)).code).toBe(0)
  return place
}

test('diff prints as text what changed between two runs; it shows values of people only with --show-personal', async () => {
  const { workspace } = await afterTwoRuns()
  const { code, stdout, stderr } = await workspace.run('diff', '00000001', second)
  expect([code, stderr]).toEqual([0, ''])
  const [heading, ...lines] = stdout.split('\n')
  expect(heading).toMatch(new RegExp(`^summit: from run ${first} of 2\\S+Z to run ${second} of 2\\S+Z$`))
  expect(lines.join('\n')).toBe(`
agenda
  ~ update 101 "=Welcome"
      ~ name         "Opening" -> "=Welcome"
      + description  "event-sync plan summit"
  - remove 102 "Closing"
  + create 103
      + name       "Dinner"
      + startTime  "2031-05-04T13:00:00Z"
      + endTime    "2031-05-04T14:00:00Z"

speakers
  ~ update u1 (hidden)
      ~ firstName  (hidden) -> (hidden)

attendees
  ~ update u1 (hidden)
      ~ firstName  (hidden) -> (hidden)

(hidden) replaces values of people; --show-personal shows them
Differences: 1 created, 3 updated, 1 removed
`)
  const shown = await workspace.run('diff', first, second, '--show-personal', '--content', 'attendees')
  expect(shown.stdout).toContain('      ~ firstName  "Ada" -> "Augusta"\n')
  expect(shown.stdout).not.toMatch(/^agenda|hidden/m)
  const reverse = await workspace.run('diff', second, first)
  expect(reverse.stdout).toContain('      ~ name         "=Welcome" -> "Opening"\n')
  expect(reverse.stdout).toContain('  + create 102\n')
  expect((await workspace.run('diff', first, first)).stdout).toMatch(
    /^[^\n]*\n\nNo difference: both runs want the same items with the same fields\.\n$/,
  )
})

test('diff --sample shows only some changes as text, counts the changes that it does not show, and says how to see them', async () => {
  const { workspace } = await afterTwoRuns()
  const { stdout } = await workspace.run('diff', first, second, '--sample', '1', '--content', 'agenda')
  expect(stdout).toContain(
    `  … 2 more (1 created, 1 removed): event-sync diff ${first} ${second} --content agenda --sample 3\n`,
  )
  expect(stdout).not.toMatch(/remove 102/)
  const summary = await workspace.run('diff', first, second, '--sample', '0')
  expect(summary.stdout).toMatch(/^[^\n]*\n\nDifferences: 1 created, 3 updated, 1 removed\n$/)
})

test('diff --json has the counts and every change, with the old and the new value of each field', async () => {
  const { workspace } = await afterTwoRuns()
  const { stdout, stderr } = await workspace.run('diff', first, second, '--json', '--sample', '1')
  expect(stderr).toBe('(hidden) replaces values of people; --show-personal shows them\n')
  const { changes, ...head } = JSON.parse(stdout)
  const none = { create: 0, update: 0, remove: 0 }
  expect(head).toEqual({
    integration: 'summit',
    from: first,
    to: second,
    counts: {
      agenda: { create: 1, update: 1, remove: 1 },
      speakers: { ...none, update: 1 },
      attendees: { ...none, update: 1 },
    },
  })
  expect(changes).toHaveLength(5)
  expect(changes[0]).toEqual({
    action: 'update',
    content: 'agenda',
    uniqueId: '101',
    name: '=Welcome',
    fields: [
      { field: 'name', before: 'Opening', after: '=Welcome' },
      { field: 'description', before: null, after: 'event-sync plan summit' },
    ],
  })
  expect(changes[4]).toMatchObject({ uniqueId: 'u1', name: '(hidden)', fields: [{ after: '(hidden)' }] })
  expect(JSON.parse((await workspace.run('diff', first, first, '--json')).stdout).changes).toEqual([])
})

test('diff --csv has a row for each changed field; values are safe for spreadsheets and otherwise as the source has them', async () => {
  const { workspace } = await afterTwoRuns()
  const { stdout } = await workspace.run('-c', 'event-sync.yaml', 'diff', first, second, '--csv')
  const rows: readonly Record<string, string>[] = parse(stdout, { columns: true })
  const of = { integration: 'summit', content: 'agenda', unique_id: '101', name: "'=Welcome" }
  expect(rows[0]).toEqual({ ...of, action: 'update', field: 'name', before: 'Opening', after: "'=Welcome" })
  expect(rows[1]).toMatchObject({ field: 'description', before: '', after: 'event-sync plan summit' })
  expect(rows.filter(({ unique_id }) => unique_id === '102')).toMatchObject([
    { action: 'remove', field: 'name', before: 'Closing', after: '' },
    { action: 'remove', field: 'startTime', after: '' },
    { action: 'remove', field: 'endTime', after: '' },
  ])
  expect(rows.at(-1)).toMatchObject({ name: '(hidden)', before: '(hidden)', after: '(hidden)' })
  const shown = await workspace.run('diff', first, second, '--csv', '--show-personal')
  expect(shown.stdout).toContain(
    '"summit","attendees","u1","Augusta Of u1","update","firstName","Ada","Augusta"',
  )
})

test('diff refuses runs that are unknown, runs that made no plan, and runs that were purged', async () => {
  const { source, workspace } = await afterTwoRuns()
  const refusal = async (...runs: readonly string[]) => {
    const { code, stdout, stderr } = await workspace.run('diff', ...runs)
    expect([code, stdout]).toEqual([64, ''])
    return stderr
  }
  source.script = async () => ({ status: 404, body: '' })
  expect((await workspace.run('run', '--run-id', third)).code).toBe(1)
  expect(await refusal(first, third)).toBe(
    `run ${third} of summit made no plan (failed); give another run; \`event-sync runs summit\` lists them\n`,
  )
  await workspace.rows(`update sync.runs set purged_at = '2031-05-01Z' where run_id = '${first}'`)
  expect(await refusal(first, second)).toBe(
    `run ${first} of summit was purged at 2031-05-01T00:00:00.000Z: what it wanted is no longer stored; give another run; \`event-sync runs summit\` lists them\n`,
  )
  expect(await refusal(first, 'ffffffff')).toBe('there is no run ffffffff; `event-sync runs` lists them\n')
  expect(await refusal('01ffffff', second)).toContain('01ffffff is part of several run ids: ')
  expect(await refusal('summit', second)).toContain('"summit" is not the id of a run; ')
})

test('diff refuses two runs of different integrations', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure({
    integrations: [integrationOfA('summit', source.url), integrationOfA('expo', source.url)],
  })
  await workspace.run('run', 'summit', '--run-id', first)
  await workspace.run('run', 'expo', '--run-id', second)
  const { code, stderr } = await workspace.run('diff', first, second)
  expect([code, stderr]).toEqual([
    64,
    `run ${first} is of summit, and run ${second} is of expo; give two runs of one integration; \`event-sync runs summit\` lists them\n`,
  ])
})
