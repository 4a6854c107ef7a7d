import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { holdBack, type ScriptedSource, startScriptedSource } from './scripted-source.ts'
import { configOfA, runIds, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const [INTERRUPTED, NEXT] = runIds
const FILES = [
  'operations.jsonl',
  'agenda.csv',
  'speakers.csv',
  'attendees.csv',
  'decisions.csv',
  'changes.csv',
]

const undisturbed = new Map<string, Promise<readonly string[]>>()

/** What a run of the small event that nobody disturbs writes under the id, file by file. */
function filesOfUndisturbed(source: ScriptedSource, runId: string): Promise<readonly string[]> {
  const known = undisturbed.get(runId)
  if (known !== undefined) return known
  const files = makeWorkspace('postgres').then(async (workspace) => {
    workspace.configure(configOfA(source.url))
    expect((await workspace.run('run', '--run-id', runId)).code).toBe(0)
    return filesOf(workspace, runId)
  })
  undisturbed.set(runId, files)
  return files
}

function filesOf(workspace: Workspace, runId: string): readonly string[] {
  return FILES.map((file) => workspace.read('out', 'summit', runId, file))
}

/**
 * Makes the writing of a file of a run wait for ever: the pipe that stands under its temporary name is opened only
 * when somebody reads it.
 *
 * @returns takes the pipe away again
 */
function blockFile(workspace: Workspace, runId: string, file: string): () => void {
  const folder = join(workspace.folder, 'out', 'summit', runId)
  mkdirSync(folder, { recursive: true })
  const pipe = join(folder, `${file}.partial`)
  execFileSync('mkfifo', [pipe])
  return () => rmSync(pipe)
}

/** The next `run` must finish the interrupted one under its own id, then find nothing left to do. */
async function expectFinished(workspace: Workspace, source: ScriptedSource): Promise<void> {
  const { code, runs } = await workspace.report('run')
  expect(code).toBe(0)
  expect(runs.map(({ run, status }) => [run, status])).toEqual([
    [INTERRUPTED, 'finished'],
    [expect.any(String), 'finished'],
  ])
  expect(runs[1]?.changes).toEqual({
    agenda: { create: 0, update: 0, remove: 0, unchanged: 2 },
    speakers: { create: 0, update: 0, remove: 0, unchanged: 1 },
    attendees: { create: 0, update: 0, remove: 0, unchanged: 4 },
  })
  expect(filesOf(workspace, INTERRUPTED)).toEqual(await filesOfUndisturbed(source, INTERRUPTED))
  execFileSync('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], {
    cwd: join(workspace.folder, 'out', 'summit', INTERRUPTED),
  })
  expect(workspace.files('out').filter((file) => file.endsWith('.partial'))).toEqual([])
}

describe.each(engines)('a run on %s that is killed', (engine) => {
  const moments = [
    ['with its plan stored and nothing sent', 'operations.jsonl', 'apply'],
    // From the acknowledgement on, the engines have no part of their own in it.
    ...(engine === 'postgres'
      ? [['with everything acknowledged, but no pack', 'speakers.csv', 'audit'] as const]
      : []),
  ] as const
  test.each(moments)('%s, is finished first by the next run', async (_when, file, step) => {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace(engine)
    workspace.configure(configOfA(source.url))
    const unblock = blockFile(workspace, INTERRUPTED, file)
    const killed = workspace.start('run', '--run-id', INTERRUPTED)
    await killed.seen(`summit: ${step}\n`)
    await sleep(200)
    killed.kill('SIGKILL')
    expect((await killed.ended).code).toBe(null)
    unblock()
    expect((await workspace.report('runs')).runs[0]).toMatchObject({
      run: INTERRUPTED,
      status: step === 'apply' ? 'applying' : 'applied',
    })
    // Whatever the source has become meanwhile is for the run after it.
    await expectFinished(workspace, source)
  })

  test('while it reads, changed nothing: the next run starts anew and does everything', async () => {
    const source = await startScriptedSource(smallEvent)
    const { script, asked } = holdBack('Users', 2)
    source.script = script
    const workspace = await makeWorkspace(engine)
    workspace.configure(configOfA(source.url))
    const killed = workspace.start('run', '--run-id', INTERRUPTED)
    await asked
    killed.kill('SIGKILL')
    await killed.ended
    source.script = async () => null
    expect(workspace.files('out')).toEqual([])

    const { code, runs } = await workspace.report('run', '--run-id', NEXT)
    expect([code, runs.length]).toEqual([0, 1])
    const listed = await workspace.report('runs', 'summit')
    expect(listed.runs.map(({ run, status }) => [run, status])).toEqual([
      [NEXT, 'finished'],
      [INTERRUPTED, 'abandoned'],
    ])
    expect(filesOf(workspace, NEXT)).toEqual(await filesOfUndisturbed(source, NEXT))
  })

  test('again and again at any moment, comes to the same end', async () => {
    const users = Array.from({ length: 600 }, (_, n) => ({
      Id: n,
      FirstName: 'Ada',
      LastName: `Number ${n}`,
      EmailAddress: `${n}@people.example`,
    }))
    const source = await startScriptedSource({ ...smallEvent, Users: users })
    source.script = async ({ resource, skip }) =>
      resource === 'Users' ? { status: 200, body: JSON.stringify(users.slice(skip, skip + 100)) } : null
    const workspace = await makeWorkspace(engine)
    workspace.configure(configOfA(source.url))
    // Starting the embedded engine takes longer, so it is killed less often.
    const steps = engine === 'postgres' ? ['extract', 'transform', 'plan', 'audit'] : ['extract', 'plan']
    for (const step of steps) {
      const killed = workspace.start('run')
      await killed.seen(`summit: ${step}`)
      killed.kill('SIGKILL')
      await killed.ended
    }
    const last = await workspace.report('run')
    expect(last.code).toBe(0)
    const settled = await workspace.report('run')
    expect(settled.code).toBe(0)
    expect(settled.runs[0]?.changes.attendees).toEqual({ create: 0, update: 0, remove: 0, unchanged: 600 })
    // Over all runs together each item was created once: the users and both sessions.
    const sent = workspace
      .files('out')
      .filter((file) => file.endsWith('operations.jsonl'))
      .flatMap((file) => workspace.read('out', file).split('\n'))
      .filter((line) => line.includes('"op":"upsert"'))
    expect(sent).toHaveLength(600 + 2)
  })
})

test('a run on PostgreSQL that is killed between sending and acknowledging sends the same bytes again', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  expect((await workspace.run('runs')).code).toBe(0)
  const client = new pg.Client({ connectionString: workspace.env.DATABASE_URL })
  await client.connect()
  try {
    await client.query('begin')
    // Planning reads what the platform has; acknowledging writes it, and waits here.
    await client.query('lock table sync.platform_items in share mode')
    const killed = workspace.start('run', '--run-id', INTERRUPTED)
    await killed.seen('summit: apply\n')
    while (!workspace.files('out').some((file) => file.endsWith('operations.jsonl'))) await sleep(20)
    const sent = workspace.read('out', 'summit', INTERRUPTED, 'operations.jsonl')
    killed.kill('SIGKILL')
    await killed.ended
    await client.query('rollback')
    expect((await workspace.report('runs')).runs[0]).toMatchObject({ status: 'applying' })
    await expectFinished(workspace, source)
    expect(workspace.read('out', 'summit', INTERRUPTED, 'operations.jsonl')).toBe(sent)
  } finally {
    await client.end()
  }
})

test('an interrupted run that cannot be finished stops the next one: no second plan for the same changes', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  const unblock = blockFile(workspace, INTERRUPTED, 'operations.jsonl')
  const killed = workspace.start('run', '--run-id', INTERRUPTED)
  await killed.seen('summit: apply\n')
  killed.kill('SIGKILL')
  await killed.ended
  unblock()
  workspace.configure({ ...configOfA(source.url), output: './event-sync.yaml/out' })
  for (const args of [['run'], ['apply', 'summit', 'f'.repeat(64)]]) {
    const { code, runs } = await workspace.report(...args)
    expect(code).toBe(1)
    expect(runs).toHaveLength(1)
    expect(runs[0]).toMatchObject({ run: INTERRUPTED, status: 'failed' })
    expect(runs[0]?.error).toContain('the next run finishes this plan first')
  }
  workspace.configure(configOfA(source.url))
  await expectFinished(workspace, source)
})

test('an interrupted apply is finished by the same apply', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  const planned = await workspace.report('plan', '--run-id', INTERRUPTED)
  const apply = ['apply', 'summit', String(planned.runs[0]?.planHash), '--approver', 'Ada']
  const unblock = blockFile(workspace, INTERRUPTED, 'operations.jsonl')
  const killed = workspace.start(...apply)
  await killed.seen('summit: apply\n')
  killed.kill('SIGKILL')
  await killed.ended
  unblock()
  const { code, runs } = await workspace.report(...apply)
  expect(code).toBe(0)
  expect(runs.map(({ run, status }) => [run, status])).toEqual([[INTERRUPTED, 'finished']])
})

test.each([
  ['SIGINT', 130, 'postgres'],
  ['SIGTERM', 143, 'pglite'],
] as const)(
  '%s ends a run with %i; on %s the next one is none the worse',
  async (signal, expected, engine) => {
    const source = await startScriptedSource(smallEvent)
    const { script, asked } = holdBack('Users', 2)
    source.script = script
    const workspace = await makeWorkspace(engine)
    workspace.configure(configOfA(source.url))
    const stopped = workspace.start('run')
    await asked
    stopped.kill(signal)
    expect((await stopped.ended).code).toBe(expected)
    source.script = async () => null
    expect((await workspace.run('run')).code).toBe(0)
  },
)
