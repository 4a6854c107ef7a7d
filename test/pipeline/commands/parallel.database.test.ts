import { expect, test } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { openTestIo } from './in-process.ts'
import { holdBack, startScriptedSource } from './scripted-source.ts'
import { configOfA, integrationOfA, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace } from './workspace.ts'

const NAMES = ['one', 'two', 'three'] as const

/**
 * Makes a workspace with three integrations. Each source holds back a page until the test releases the page.
 */
async function threeHeld() {
  const workspace = await makeWorkspace('postgres')
  const started = NAMES.map(async (name) => {
    const source = await startScriptedSource(smallEvent)
    const held = holdBack('Users', 2)
    source.script = held.script
    return { ...held, source, integration: integrationOfA(name, source.url) }
  })
  const [one, two, three] = await Promise.all(started)
  if (one === undefined || two === undefined || three === undefined) throw new Error('not three')
  const integrations = [one, two, three].map(({ integration }) => integration)
  workspace.configure({ ...configOfA(''), integrations })
  return { workspace, one, two, three }
}

test('run --parallel 2 runs two integrations at the same time, and prints each report as soon as its run ends', async () => {
  const { workspace, one, two, three } = await threeHeld()
  const io = openTestIo(workspace)
  const ended = runCommand(['run', '--parallel', '2'], io)
  let isThirdAsked = false
  const thirdAsked = three.asked.then(() => {
    isThirdAsked = true
  })
  await Promise.all([one.asked, two.asked])
  expect(isThirdAsked).toBe(false)
  two.release()
  await thirdAsked
  expect(io.output.stdout).toMatch(/^two: applied, 7 changes\n/)
  expect(io.output.stdout).not.toContain('one:')
  for (const { release } of [one, three]) release()
  expect(await ended).toBe(0)
  for (const name of NAMES) expect(io.output.stdout).toContain(`${name}: applied, 7 changes\n`)
})

test('run --parallel ends with the worst exit code, and --json lists the runs in the order of the configuration', async () => {
  const { workspace, one, two, three } = await threeHeld()
  two.source.script = async () => ({ status: 403, body: '{}' })
  for (const { release } of [one, three]) release()
  const { code, runs } = await workspace.report('run', '--parallel', '16')
  expect(code).toBe(1)
  expect(runs.map(({ integration, status }) => [integration, status])).toEqual([
    ['one', 'finished'],
    ['two', 'failed'],
    ['three', 'finished'],
  ])
})

test('if run --parallel is interrupted, it says for each running integration if the platform was touched', async () => {
  const { workspace, one, two, three } = await threeHeld()
  const io = openTestIo(workspace)
  const ended = runCommand(['run', '--parallel', '2'], io)
  await Promise.all([one.asked, two.asked])
  expect(() => io.interrupt(130)).toThrow('only a process can be ended')
  const untouched = 'platform untouched; safe to run again'
  expect(io.output.stderr).toMatch(
    new RegExp(`^(?=[^]*one: ${untouched}\n)(?=[^]*two: ${untouched}\n)[^]*stopped; nothing is lost: `),
  )
  expect(io.output.stderr).not.toContain('three')
  for (const { release } of [one, two, three]) release()
  await ended
})

test('with the embedded database, run --parallel 2 is refused before any source is read', async () => {
  const { workspace } = await workspaceOfSmallEvent('pglite')
  expect(await workspace.run('run', '--parallel', '2')).toEqual({
    code: 64,
    stdout: '',
    stderr: '--parallel: the embedded database takes one run at a time; leave it out, or use PostgreSQL\n',
  })
  expect((await workspace.run('run', '--parallel', '17')).stderr).toContain('from 1 to 16')
})
