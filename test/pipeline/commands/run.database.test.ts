import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startSampleSourceB } from '../../harness/sample-source/b.ts'
import { engines } from '../../support/engines.ts'
import { bRegistrant, bSession } from '../../traps/traps-of-b.ts'
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
import { workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const HASH = /^[0-9a-f]{64}$/

/** The keys of a run report in JSON, in their order. */
const KEYS = [
  'integration',
  'run',
  'status',
  'planHash',
  'changes',
  'excluded',
  'quarantined',
  'reading',
  'missed',
  'certified',
  'held',
  'pinned',
  'output',
  'page',
  'steps',
]

/** Returns the lines of operations.jsonl without its header and its trailer. */
function operations(workspace: Workspace, run: string): readonly string[] {
  return workspace.read('out', 'summit', run, 'operations.jsonl').split('\n').slice(1, -2)
}

describe.each(engines)('on %s', (engine) => {
  test('run applies all changes and prints its report, and a second run has nothing to do [spec 1.1, spec 1.6, R47]', async () => {
    const { workspace } = await workspaceOfSmallEvent(engine)

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
      reading: 'full',
      missed: {},
      certified: true,
      held: null,
      pinned: null,
      output: join(workspace.folder, 'out', 'summit', String(report?.run)),
      page: null,
      steps: ['extract', 'stage', 'transform', 'plan', 'apply', 'audit'].map((step) => ({
        step,
        ms: expect.any(Number),
      })),
    })
    expect(first.stderr).toContain('summit: applied, 7 changes')
    expect(first.stderr).toMatch(/\n {2}time {7}extract \d+\.\d s, stage .*, audit .*, \d+\.\d s in all\n$/)
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

  test('plan ends with exit code 2 and changes nothing; apply then sends the same bytes as run would send', async () => {
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
    // Only the newest plan can be approved, so only its page exists.
    expect(planning.files('out').map((file) => dirname(file))).toEqual([
      '.',
      ...Array(3).fill(`summit/${runIds[0]}`),
    ])
    const waiting = await planning.run('export', String(first?.report?.run))
    expect(waiting.code).toBe(64)
    expect(waiting.stderr).toContain('(status: planned); continue with `event-sync plan summit`')

    const planHash = String(second?.report?.planHash)
    const applied = await planning.report('apply', 'summit', planHash, '--approver', 'Ada L')
    expect(applied.code).toBe(0)
    expect(applied.runs[0]).toMatchObject({ run: runIds[0], status: 'finished' })
    expect(JSON.parse(planning.read('out', 'summit', runIds[0], 'manifest.json')).approvedBy).toBe('Ada L')

    const running = await makeWorkspace('postgres')
    running.configure(configOfA(source.url))
    expect((await running.run('run', '--run-id', runIds[0])).code).toBe(0)
    for (const file of ['operations.jsonl', 'agenda.csv', 'changes.csv', 'decisions.csv']) {
      const place = ['out', 'summit', runIds[0], file]
      expect(planning.read(...place), file).toBe(running.read(...place))
    }

    const nothingLeft = await planning.report('plan')
    expect(nothingLeft.code).toBe(0)
    expect(nothingLeft.runs[0]).toMatchObject({ status: 'planned', certified: true })
  })
})

test('apply refuses an outdated or unknown plan with exit code 4, and names the newest plan', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  const before = String((await workspace.report('plan')).runs[0]?.planHash)

  const unknown = await workspace.report('apply', 'summit', 'f'.repeat(64))
  expect(unknown.code).toBe(4)
  expect(unknown.runs[0]?.error).toContain(`the newest is ${before}`)

  expect((await workspace.run('run')).code).toBe(0)
  source.records = {
    ...smallEvent,
    Sessions: [{ Id: 101, Title: 'Renamed', TimeSlotId: 1, Speakers: [{ Id: 'u1' }] }],
  }
  const after = String((await workspace.report('plan')).runs[0]?.planHash)
  const stale = await workspace.report('apply', 'summit', before)
  expect(stale.code).toBe(4)
  expect(stale.stderr).toMatch(
    new RegExp(`plan ${before} of summit was applied at .*; the newest is ${after}`),
  )
  expect(stale.stderr).toContain('platform untouched')

  expect((await workspace.run('apply', 'summit', after)).code).toBe(0)
  const again = await workspace.run('apply', 'summit', after)
  expect(again.code).toBe(4)
  expect(again.stderr).toContain('there is no current plan; make one with `event-sync plan summit`')
})

test('if no registrant type Speaker exists, run ends with exit code 4 and sends nothing until approval [spec 2.5.4]', async () => {
  const source = await startSampleSourceB({
    sessions: [bSession('s1')],
    registrants: [bRegistrant('g1', { reg_type_id: 21 })],
    regTypes: [{ id: 21, name: 'Attendee' }],
  })
  onTestFinished(source.close)
  const workspace = await makeWorkspace('postgres')
  Object.assign(workspace.env, credentialsOfB)
  workspace.configure({ integrations: [integrationOfB('expo', source.url)] })
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
  const pages = ['plan.csv', 'report-masked.html', 'report.html'].map((file) => `expo/${report?.run}/${file}`)
  expect(workspace.files('out')).toEqual([...pages, 'index.html'])
  const plan = await workspace.run('plan')
  expect(plan.code).toBe(4)
  const places = [
    '\n  + create s1\n      + name       "',
    '\nPlan: 2 to create, 0 to update, 0 to remove\n',
    '\nexpo: held, 2 changes; nothing was sent: 1 session and 1 attendee would be added to the app\n',
    '\n  held by speakerType: ',
    '\n  look at it with: event-sync show ',
    '\n  apply it with: event-sync apply expo ',
    '\n  if it is wrong: correct the source, then `event-sync run expo`\n',
  ].map((text) => plan.stdout.indexOf(text))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect((await workspace.report('runs')).runs[0]).toMatchObject({ status: 'held', lastSuccessAt: null })

  const applied = await workspace.report('apply', 'expo', String(report?.planHash), '--approver', 'Ada L')
  expect(applied.code).toBe(0)
  expect(applied.runs[0]).toMatchObject({ status: 'finished' })
  const manifest = JSON.parse(workspace.read('out', 'expo', String(applied.runs[0]?.run), 'manifest.json'))
  expect(manifest).toMatchObject({ approvedBy: 'Ada L', approvedAt: expect.stringMatching(/Z$/) })

  source.setData({ ...source.data, regTypes: [{ id: 20, name: 'Speaker' }] })
  expect((await workspace.report('run')).code).toBe(0)
})

test('if an integration fails, other integrations still run; the exit code is the first of 1, 64, 4, 3, 5, 2, 0 that occurs', async () => {
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
  expect(await workspace.run('run', '--run-id', runIds[0])).toEqual({
    code: 64,
    stdout: '',
    stderr: '--run-id needs exactly one integration; name it\n',
  })
  const all = await workspace.report('run')
  expect(all.code).toBe(1)
  expect(all.runs.map(({ integration, status }) => [integration, status])).toEqual([
    ['bad', 'failed'],
    ['odd', 'finished'],
    ['no-secret', 'refused'],
    ['good', 'finished'],
  ])
  expect(all.runs[2]?.error).toContain('env:API_KEY does not exist')
  expect((await workspace.report('run', 'good', 'odd')).code).toBe(3)
  expect((await workspace.report('run', 'good', 'no-secret')).code).toBe(64)
  expect((await workspace.report('run', 'good')).runs).toHaveLength(1)
})

test('the progress counts each record once, although each page of Source A repeats one record of the page before', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  const { stderr } = await workspace.run('--log-level', 'debug', 'run')
  const lines = stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  const read = lines.filter(({ msg, resource }) => msg === 'read' && resource === 'users')
  expect(read.length).toBeGreaterThan(0)
  expect(read.reduce((sum, { records }) => sum + records, 0)).toBe(4)
})
