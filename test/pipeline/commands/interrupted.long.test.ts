import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { CLI, start } from './command-line.ts'
import { holdBack, type ScriptedSource } from './scripted-source.ts'
import { configOfA, runIds } from './small-event.ts'
import { startPlatform, workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const [INTERRUPTED, NEXT] = runIds
const PRELOADED = new URL('../../proofs/kills/killed-command.ts', import.meta.url).href
const FILES = [
  'operations.jsonl',
  'agenda.csv',
  'speakers.csv',
  'attendees.csv',
  'decisions.csv',
  'changes.csv',
]

function filesOf(workspace: Workspace, runId: string): readonly string[] {
  return FILES.map((file) => workspace.read('out', 'summit', runId, file))
}

/** Kills a command when its plan is stored but nothing has been sent yet. */
async function killBeforeSending({ env, folder }: Workspace, ...args: readonly string[]): Promise<void> {
  const killed = start(process.execPath, ['--import', PRELOADED, CLI, '--log-level', 'debug', ...args], {
    folder,
    env: { ...env, DEATH: 'apply begun 1' },
  })
  expect((await killed.ended).code).toBe(null)
}

/**
 * Checks that the next `run` finishes the interrupted run under its own id, and that the run after it finds
 * no change.
 */
async function expectFinished(workspace: Workspace, source: ScriptedSource): Promise<void> {
  const { code, runs } = await workspace.report('run')
  expect(code).toBe(0)
  expect(runs.map(({ run, status }) => [run, status])).toEqual([
    [INTERRUPTED, 'finished'],
    [expect.any(String), 'finished'],
  ])
  const nothing = { create: 0, update: 0, remove: 0 }
  for (const counts of Object.values(runs[1]?.changes ?? {})) expect(counts).toMatchObject(nothing)
  const undisturbed = await makeWorkspace('postgres')
  undisturbed.configure(configOfA(source.url))
  expect((await undisturbed.run('run', '--run-id', INTERRUPTED)).code).toBe(0)
  expect(filesOf(workspace, INTERRUPTED)).toEqual(filesOf(undisturbed, INTERRUPTED))
  execFileSync('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], {
    cwd: join(workspace.folder, 'out', 'summit', INTERRUPTED),
  })
  expect(workspace.files('out').filter((file) => file.endsWith('.partial'))).toEqual([])
}

describe.each(engines)('a killed run on %s', (engine) => {
  test('if a run is killed while it reads, the platform is unchanged, and the next run syncs everything', async () => {
    const { source, workspace } = await workspaceOfSmallEvent(engine)
    const { script, asked } = holdBack('Users', 2)
    source.script = script
    const killed = workspace.start('run', '--run-id', INTERRUPTED)
    await asked
    killed.kill('SIGKILL')
    await killed.ended
    source.script = async () => null
    expect(workspace.files('out')).toEqual([])
    expect((await workspace.report('runs')).runs[0]).toMatchObject({
      run: INTERRUPTED,
      status: 'interrupted',
    })

    const { code, runs } = await workspace.report('run', '--run-id', NEXT)
    expect([code, runs.length]).toEqual([0, 1])
    const listed = await workspace.report('runs', 'summit')
    expect(listed.runs.map(({ run, status }) => [run, status])).toEqual([
      [NEXT, 'finished'],
      [INTERRUPTED, 'abandoned'],
    ])
  })
})

test('as long as an interrupted run cannot be finished, no run makes another plan [spec 3 p1]', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  await killBeforeSending(workspace, 'run', '--run-id', INTERRUPTED)
  workspace.configure({ ...configOfA(source.url), output: './event-sync.yaml/out' })
  const { runs: listed } = await workspace.report('runs', 'summit')
  for (const args of [['run'], ['apply', 'summit', String(listed[0]?.planHash)]]) {
    const { code, runs } = await workspace.report(...args)
    expect(code).toBe(1)
    expect(runs).toHaveLength(1)
    expect(runs[0]).toMatchObject({ run: INTERRUPTED, status: 'failed' })
    expect(runs[0]?.error).toContain('the next run finishes this plan first')
  }
  workspace.configure(configOfA(source.url))
  await expectFinished(workspace, source)
})

test('if apply was interrupted, the same apply command finishes it', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  const planned = await workspace.report('plan', '--run-id', INTERRUPTED)
  const apply = ['apply', 'summit', String(planned.runs[0]?.planHash), '--approver', 'Ada']
  await killBeforeSending(workspace, ...apply)
  const { code, runs } = await workspace.report(...apply)
  expect(code).toBe(0)
  expect(runs.map(({ run, status }) => [run, status])).toEqual([[INTERRUPTED, 'finished']])
})

test.each([
  ['SIGINT', 130, 'postgres'],
  ['SIGTERM', 143, 'pglite'],
] as const)(
  '%s ends a run with exit code %i, and the next run on %s uses what this run has already read',
  async (signal, expected, engine) => {
    const { source, workspace } = await workspaceOfSmallEvent(engine)
    const { script, asked } = holdBack('Users', 2)
    source.script = script
    const stopped = workspace.start('run')
    await asked
    // During this wait, the run reads all other resources completely and saves what it has read.
    await sleep(1500)
    stopped.kill(signal)
    const { code, stderr } = await stopped.ended
    expect(code).toBe(expected)
    expect(stderr).toContain('summit: platform untouched; safe to run again\nstopped; nothing is lost')
    expect(stderr).toContain('`event-sync run --fresh-read` reads it again\n')
    source.script = async () => null
    const next = await workspace.report('run')
    expect(next.code).toBe(0)
    expect(next.runs[0]?.notes).toEqual([
      expect.stringMatching(
        /^what an interrupted run had read was reused \(sessions, .*; read from 2.*Z on\); `event-sync run summit --fresh-read`/,
      ),
    ])
  },
)

test('if SIGTERM ends apply, it prints "platform possibly touched" and what the next run will do', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  const platform = await startPlatform(workspace)
  workspace.configure(configOfA(source.url, { platform: platform.config(100), passwords: { mode: 'none' } }))
  await platform.control('faults', { fault: 'latency', ms: 10_000 })
  for (const command of [['run'], ['apply', 'summit', '']]) {
    if (command[0] === 'apply') {
      const { runs } = await workspace.report('runs', 'summit')
      command[2] = String(runs[0]?.planHash)
    }
    const sent = async () =>
      (await platform.control('requests')).requests.filter(({ method }) => method === 'POST').length
    const before = await sent()
    const stopped = workspace.start(...command)
    await expect.poll(sent).toBe(before + 1)
    stopped.kill('SIGTERM')
    const { code, stderr } = await stopped.ended
    expect(code).toBe(143)
    expect(stderr).toMatch(
      /^summit: platform possibly touched; the next run finishes this plan first .*\nstopped; /m,
    )
    await platform.control('faults', { fault: 'latency', ms: 10_000 })
  }
  await platform.control('faults', [])
  expect((await workspace.report('run')).code).toBe(0)
})
