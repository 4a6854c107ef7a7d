import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startSampleSourceB } from '../../../pipeline/demo/sample-source-b.ts'
import { engines } from '../../support/engines.ts'
import { startScriptedSource } from './scripted-source.ts'
import {
  configOfA,
  credentialsOfB,
  integrationOfA,
  integrationOfB,
  runIds,
  smallCounts,
  smallEvent,
} from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const HASH = /^[0-9a-f]{64}$/

/** Keys of a report in the order of design 6. */
const KEYS = [
  'integration',
  'run',
  'status',
  'planHash',
  'changes',
  'excluded',
  'quarantined',
  'certified',
  'held',
  'output',
]

/** Lines of a run's operations between header and trailer. */
function operations(workspace: Workspace, run: string): readonly string[] {
  return workspace.read('out', 'summit', run, 'operations.jsonl').split('\n').slice(1, -2)
}

describe.each(engines)('on %s', (engine) => {
  test('run lands everything, ends with 0 and prints the report of design 6; the second run has nothing to do', async () => {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace(engine)
    workspace.configure(configOfA(source.url))

    const first = await workspace.report('run')
    const [report] = first.runs
    expect(first.code).toBe(0)
    expect(first.stdout.split('\n')).toHaveLength(2)
    expect(Object.keys(JSON.parse(first.stdout))).toEqual(['runs'])
    expect(Object.keys(report ?? {})).toEqual(KEYS)
    expect(report).toEqual({
      integration: 'summit',
      run: expect.stringMatching(RUN_ID),
      status: 'finished',
      planHash: expect.stringMatching(HASH),
      changes: smallCounts,
      excluded: { not_a_speaker: 3 },
      quarantined: 0,
      certified: true,
      held: null,
      output: join(workspace.folder, 'out', 'summit', String(report?.run)),
    })
    expect(first.stderr).toContain('summit: applied, 7 changes')
    expect(operations(workspace, String(report?.run))).toHaveLength(7)

    const second = await workspace.report('run')
    expect(second.code).toBe(0)
    expect(second.runs[0]?.changes).toEqual({
      agenda: { create: 0, update: 0, remove: 0, unchanged: 2 },
      speakers: { create: 0, update: 0, remove: 0, unchanged: 1 },
      attendees: { create: 0, update: 0, remove: 0, unchanged: 4 },
    })
    expect(operations(workspace, String(second.runs[0]?.run))).toEqual([])
  })

  test('plan ends with 2 and changes nothing; applied, it sends the bytes that run would have sent', async () => {
    const source = await startScriptedSource(smallEvent)
    const planning = await makeWorkspace(engine)
    planning.configure(configOfA(source.url))

    const [first, second] = [
      await planning.report('plan'),
      await planning.report('plan', '--run-id', runIds[0]),
    ].map(({ code, runs }) => ({ code, report: runs[0] }))
    expect([first?.code, second?.code]).toEqual([2, 2])
    expect(Object.keys(first?.report ?? {})).toEqual([...KEYS, 'plan'])
    expect(first?.report).toMatchObject({ status: 'planned', changes: smallCounts, held: null, output: null })
    expect(second?.report?.planHash).toBe(first?.report?.planHash)
    expect(planning.files('out')).toEqual([])
    const known = await planning.run(
      'sql',
      'select count(*) as items from sync.platform_items',
      '--format',
      'csv',
    )
    expect(known.stdout).toBe('items\r\n"0"\r\n')

    const applied = await planning.report(
      'apply',
      'summit',
      String(second?.report?.planHash),
      '--approver',
      'Ada L',
    )
    expect(applied.code).toBe(0)
    expect(applied.runs[0]).toMatchObject({ run: runIds[0], status: 'finished' })
    expect(JSON.parse(planning.read('out', 'summit', runIds[0], 'manifest.json')).approvedBy).toBe('Ada L')

    const running = await makeWorkspace('postgres')
    running.configure(configOfA(source.url))
    expect((await running.run('run', '--run-id', runIds[0])).code).toBe(0)
    for (const file of [
      'operations.jsonl',
      'agenda.csv',
      'speakers.csv',
      'attendees.csv',
      'changes.csv',
      'decisions.csv',
    ]) {
      expect(planning.read('out', 'summit', runIds[0], file), file).toBe(
        running.read('out', 'summit', runIds[0], file),
      )
    }

    const nothingLeft = await planning.report('plan')
    expect(nothingLeft.code).toBe(0)
    expect(nothingLeft.runs[0]).toMatchObject({ status: 'planned', certified: true })
  })
})

test('without --json the report is for people, on standard output, and the way to apply a plan is in it', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  const { code, stdout } = await workspace.run('plan')
  expect(code).toBe(2)
  expect(stdout).toMatch(
    /\nsummit: planned, 7 changes; nothing was sent\n {2}agenda {5}2 to create, 0 to update/,
  )
  expect(stdout).toMatch(/\n {2}apply it with: event-sync apply summit [0-9a-f]{64}\n/)
})

test('a stored plan that is no longer current, or was never there, is refused with 4, and the current one is named', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  const before = String((await workspace.report('plan')).runs[0]?.planHash)

  const unknown = await workspace.report('apply', 'summit', 'f'.repeat(64))
  expect(unknown.code).toBe(4)
  expect(unknown.runs[0]?.error).toContain(`the current one is ${before}`)

  expect((await workspace.run('run')).code).toBe(0)
  source.records = {
    ...smallEvent,
    Sessions: [{ Id: 101, Title: 'Renamed', TimeSlotId: 1, Speakers: [{ Id: 'u1' }] }],
  }
  const after = String((await workspace.report('plan')).runs[0]?.planHash)
  const stale = await workspace.report('apply', 'summit', before)
  expect(stale.code).toBe(4)
  expect(stale.stderr).toContain(`no longer the current plan of summit; the current one is ${after}`)
  expect(stale.stderr).toContain('platform untouched')

  expect((await workspace.run('apply', 'summit', after)).code).toBe(0)
  const again = await workspace.run('apply', 'summit', after)
  expect(again.code).toBe(4)
  expect(again.stderr).toContain('there is none that is current; run `event-sync plan` for one')
})

test('a source without the speaker type holds the run with 4; nothing is sent until the plan is approved', async () => {
  const registrant = {
    first_name: 'Ada',
    last_name: 'L',
    email: 'ada@people.example',
    reg_type_id: 21,
    session_ids: [],
  }
  const source = await startSampleSourceB({
    sessions: [{ id: 1, name: 'Keynote', date: '2031-08-08', start_time: '09:00:00', end_time: '10:00:00' }],
    registrants: [{ id: 1, ...registrant }],
    regTypes: [{ id: 21, name: 'Attendee' }],
  })
  const workspace = await makeWorkspace('postgres')
  Object.assign(workspace.env, credentialsOfB)
  workspace.configure({ integrations: [integrationOfB('expo', source.url)] })
  try {
    const held = await workspace.report('run')
    expect(held.code).toBe(4)
    const [report] = held.runs
    expect(report).toMatchObject({
      status: 'held',
      output: null,
      changes: { agenda: { create: 1 }, attendees: { create: 1 } },
    })
    expect(report?.held).toEqual({
      guard: 'speakerType',
      detail: expect.stringContaining('no registrant type "Speaker"'),
    })
    expect(workspace.files('out')).toEqual([])
    expect((await workspace.report('plan')).code).toBe(4)
    expect((await workspace.report('runs')).runs[0]).toMatchObject({ status: 'held', lastSuccessAt: null })

    const applied = await workspace.report(
      'apply',
      'expo',
      String(report?.planHash),
      '--approver',
      'Ada Lovelace',
    )
    expect(applied.code).toBe(0)
    expect(applied.runs[0]).toMatchObject({ status: 'finished' })
    const manifest = JSON.parse(workspace.read('out', 'expo', String(applied.runs[0]?.run), 'manifest.json'))
    expect(manifest).toMatchObject({ approvedBy: 'Ada Lovelace', approvedAt: expect.stringMatching(/Z$/) })

    source.setData({ ...source.data, regTypes: [{ id: 20, name: 'Speaker' }] })
    expect((await workspace.report('run')).code).toBe(0)
  } finally {
    await source.close()
  }
})

test('a list that moves while it is read is not certified: what was seen lands, and the run ends with 3', async () => {
  const source = await startScriptedSource(smallEvent)
  let asked = 0
  source.script = async ({ resource }) => {
    if (resource !== 'Users') return null
    asked += 1
    const users = [1, 2, 3].map((n) => ({
      Id: `${asked}-${n}`,
      FirstName: 'Ada',
      LastName: 'L',
      EmailAddress: 'a@b.example',
    }))
    return { status: 200, body: JSON.stringify(users) }
  }
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  const planned = await workspace.report('plan')
  expect(planned.code).toBe(3)
  const { code, runs, stderr } = await workspace.report('run')
  expect(code).toBe(3)
  expect(runs[0]).toMatchObject({ status: 'finished', certified: false, changes: { agenda: { create: 2 } } })
  expect(stderr).toContain('a read was not proved complete')
  const full = JSON.parse((await workspace.run('show', String(runs[0]?.run), '--json')).stdout)
  const users = full.resources.find(({ resource }: { resource: string }) => resource === 'users')
  expect(users).toMatchObject({
    certified: false,
    end: 'none',
    detail: expect.stringContaining('the source moved'),
  })
})

test('records that cannot be read are quarantined; more of them than guards.maxQuarantined end with 3', async () => {
  const users = [...(smallEvent.Users ?? []), 'no object', { FirstName: 'X' }]
  const source = await startScriptedSource({ ...smallEvent, Users: users })
  const workspace = await makeWorkspace('postgres')
  workspace.configure({
    integrations: [
      integrationOfA('strict', source.url, { guards: { maxQuarantined: 1 } }),
      integrationOfA('lenient', source.url, { guards: { maxQuarantined: 2 } }),
    ],
  })
  const { code, runs } = await workspace.report('run', 'strict')
  expect(code).toBe(3)
  expect(runs[0]).toMatchObject({ status: 'finished', quarantined: 2, certified: true, changes: smallCounts })
  expect((await workspace.run('run', 'lenient')).code).toBe(0)
})

test('one integration that fails stops no other; of several outcomes the first of 1, 4, 3, 5, 2, 0 is the exit code', async () => {
  const [good, bad, odd] = [
    await startScriptedSource(smallEvent),
    await startScriptedSource({}),
    await startScriptedSource({ Users: ['no object'] }),
  ]
  bad.script = async () => ({ status: 200, body: '{"Message":"no"}' })
  const workspace = await makeWorkspace('postgres')
  workspace.configure({
    integrations: [
      integrationOfA('bad', bad.url),
      integrationOfA('odd', odd.url),
      integrationOfB('no-secret', good.url),
      integrationOfA('good', good.url),
    ],
    http: { retryBudgetSeconds: 0 },
  })
  const all = await workspace.report('run')
  expect(all.code).toBe(1)
  expect(all.runs.map(({ integration, status }) => [integration, status])).toEqual([
    ['bad', 'failed'],
    ['odd', 'finished'],
    ['no-secret', 'refused'],
    ['good', 'finished'],
  ])
  expect(all.runs[2]?.error).toContain('env:API_KEY is not there')
  expect((await workspace.report('run', 'good', 'odd')).code).toBe(3)
  expect((await workspace.report('run', 'good', 'no-secret')).code).toBe(64)
  expect((await workspace.report('run', 'good')).runs).toHaveLength(1)
})
