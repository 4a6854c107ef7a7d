import { expect, test } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { SEALING_KEY } from '../../harness/place.ts'
import { openTestIo, runInProcess } from './in-process.ts'
import { ERASED, ESC, expectNoStep } from './progress-steps.ts'
import { holdBack, startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

function onTerminal({ folder, env }: Workspace, ...args: readonly string[]) {
  return runInProcess(args, { folder, env, isTerminal: true })
}

/** Returns the steps that remain on the terminal at the end, without their times. */
function stepsIn(stderr: string): readonly string[] {
  const lines: string[] = []
  for (const [index, part] of stderr.split(ERASED).entries()) {
    if (index % 2 === 1) lines.splice(-Number(part))
    else lines.push(...part.split('\n').slice(0, -1))
  }
  return lines.filter((line) => line.includes('] ')).map((line) => line.replace(/ \d+\.\d s.*/, ''))
}

test('on a terminal, run and plan show their steps on standard error; if a step is skipped, the other steps keep their numbers', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  const planned = await onTerminal(workspace, 'plan')
  const toPlan = ['[1/7] extract', '[3/7] stage', '[4/7] transform', '[5/7] plan']
  expect(stepsIn(planned.stderr)).toEqual(toPlan.map((step) => `summit: ${step}`))
  const ran = await onTerminal(workspace, 'run')
  const toAudit = [...toPlan, '[6/7] apply', '[7/7] audit']
  expect(stepsIn(ran.stderr)).toEqual(toAudit.map((step) => `summit: ${step}`))
  expect(ran.stderr).toMatch(/summit: \[1\/7\] extract \d+\.\d s: 7 records, 0\.0 MB, \d+ records\/s\n/)
  for (const { stdout } of [planned, ran]) expect(stdout).not.toContain('/7]')
})

test.each([
  ['--json', true],
  ['--no-color', false],
])('no step is shown with the option %s (terminal: %s)', (option, isTerminal) =>
  expectNoStep(option, isTerminal),
)

test('the report of an integration is printed when its run ends, while the next integration runs', async () => {
  const [fast, slow] = [await startScriptedSource(smallEvent), await startScriptedSource(smallEvent)]
  const { script, asked, release } = holdBack('Users', 2)
  slow.script = script
  const workspace = await makeWorkspace('postgres')
  workspace.configure({ integrations: [integrationOfA('fast', fast.url), integrationOfA('slow', slow.url)] })
  const io = openTestIo({ ...workspace, isTerminal: true })
  const ended = runCommand(['run'], io)
  await asked
  expect(io.output.stdout).toMatch(/^fast: applied, 7 changes\n(?:.*\n)* {2}time /)
  expect(io.output.stdout).not.toContain('slow')
  release()
  expect(await ended).toBe(0)
  expect(io.output.stdout).toContain('\nslow: applied, 7 changes\n')
})

test('check, forget, export and verify show their steps in the same form as run', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  workspace.env.EVENT_SYNC_KEY = SEALING_KEY
  const config = JSON.parse(workspace.read('event-sync.yaml'))
  workspace.configure({ ...config, sealingKey: 'env:EVENT_SYNC_KEY' })
  const { runs } = await workspace.report('run')
  const [report] = runs
  const run = String(report?.run)
  const stepsOf = async (...args: readonly string[]) => {
    const { code, stderr } = await onTerminal(workspace, ...args)
    expect([args, code]).toEqual([args, 0])
    return stepsIn(stderr)
  }
  expect(await stepsOf('check')).toEqual(['summit: [1/1] check'])
  expect(await stepsOf('export', run)).toEqual(['summit: [1/2] write', 'summit: [2/2] put in place'])
  expect(await stepsOf('forget', 'summit', 'attendees', 'u4')).toEqual([
    'summit: [1/2] erase',
    'summit: [2/2] scrub',
  ])
  const verified = await onTerminal(workspace, 'verify', String(report?.output))
  expect(verified.stderr).toBe(`[1/1] pack ${run}\n\r${ESC}[1A${ESC}[J`)
})
