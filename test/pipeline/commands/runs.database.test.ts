import { expect, test } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { openTestIo } from './in-process.ts'
import { startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace } from './workspace.ts'

test('options of the command runs limit the list to failed, held or stale runs, or to runs that started in a period', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  const records = source.records
  expect((await workspace.run('run')).code).toBe(0)
  source.records = { ...records, Users: [], Sessions: [] }
  const [first] = (await workspace.report('run')).runs
  source.records = { ...records, Users: [] }
  const [second] = (await workspace.report('run')).runs
  expect([first?.status, second?.status, first?.planHash === second?.planHash]).toEqual([
    'held',
    'held',
    false,
  ])
  source.records = records
  source.script = async () => ({ status: 404, body: '' })
  expect((await workspace.run('run')).code).toBe(1)
  const statuses = async (...options: readonly string[]) => {
    const { runs } = JSON.parse((await workspace.run('runs', ...options, '--json')).stdout)
    return runs.map(({ status }: { readonly status: string }) => status)
  }
  expect(await statuses('--failed')).toEqual(['failed'])
  expect(await statuses('--held')).toEqual(['held', 'held'])
  expect(await statuses('summit', '--held', '--stale')).toEqual(['held'])
  expect((await workspace.run('runs', '--stale')).stdout).toContain(first?.run)
  expect(await statuses('--failed', '--held', '--limit', '2')).toEqual(['failed', 'held'])
  expect(await statuses('--since', '1h')).toEqual(['failed', 'held', 'held', 'finished'])
  await workspace.rows("update sync.runs set started_at = started_at - interval '2 hours'")
  expect((await workspace.run('runs', '--since', '1h')).stdout).toBe('no such runs\n')
  const wrong = await workspace.run('runs', '--since', 'monday')
  expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining('such as 7d')])
})

test('the command runs prints lines of at most 120 characters, with complete run ids and the start of long reasons', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  const long = `summit-${'2031'.repeat(14)}`
  workspace.configure({
    http: { retryBudgetSeconds: 0 },
    integrations: [integrationOfA(long, source.url), integrationOfA('expo', source.url)],
  })
  source.script = async () => ({ status: 404, body: '' })
  const [failed] = (await workspace.report('run', long)).runs
  for (const [args, heading] of [
    [[], /^integration +run +status +changes +started +last success +reason\n/],
    [[long], /^run +status +changes +started +plan hash +reason\n/],
    [['--failed'], /^integration +run +status +changes +started +plan hash +reason\n/],
  ] as const) {
    const { stdout } = await workspace.run('runs', ...args)
    expect(stdout).toMatch(heading)
    expect(stdout).toMatch(new RegExp(`${failed?.run}  failed .* extract fai[^\n]*…\n`))
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(120)
  }
  expect((await workspace.run('runs')).stdout).toMatch(/\nexpo +never run +never\n/)
  expect((await workspace.report('runs', long)).stdout).toContain('such as source.eventId')
})

test('on a terminal, runs and status show states in colours, unless --no-color is given', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  await workspace.run('run')
  source.script = async () => ({ status: 404, body: '' })
  await workspace.run('run')
  const onTerminal = async (...args: readonly string[]) => {
    const io = openTestIo(workspace)
    Object.assign(io.stdout, { isTTY: true })
    await runCommand(args, io)
    return io.output.stdout
  }
  const runs = await onTerminal('runs', 'summit')
  expect(runs).toContain('\x1b[31mfailed\x1b[39m')
  expect(runs).toContain('\x1b[32mfinished\x1b[39m')
  expect(await onTerminal('status')).toContain('\x1b[31mfailing\x1b[39m')
  for (const command of ['runs', 'status']) {
    expect(await onTerminal(command, '--no-color')).not.toContain('\x1b')
    expect((await workspace.run(command)).stdout).not.toContain('\x1b')
  }
})
