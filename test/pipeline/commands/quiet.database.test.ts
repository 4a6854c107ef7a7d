import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runIds } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

test('with --quiet a command that ends with exit code 0 prints nothing, or only its object with --json', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  for (const args of [['run'], ['plan'], ['check'], ['verify', 'out']])
    expect(await workspace.run('--quiet', ...args)).toEqual({ code: 0, stdout: '', stderr: '' })
  const { code, stdout, stderr } = await workspace.run('--quiet', '--json', 'run')
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ runs: [{ status: 'finished' }] })
  expect((await workspace.run('--quiet', 'run', '--help')).stdout).toContain('Usage: event-sync run')
})

test('with --quiet, commands such as sql and show still print the data that the user asked for', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  const [first, second] = runIds
  for (const run of [first, second]) expect((await workspace.run('run', '--run-id', run)).code).toBe(0)
  for (const args of [
    ['sql', '--format', 'csv', 'select 1'],
    ['show', second],
    ['diff', first, second],
    ['explain', 'summit', 'agenda', '101'],
    ['missing', 'summit'],
    ['quarantine', 'summit'],
    ['schema'],
    ['man'],
    ['help', 'guards'],
  ]) {
    const usual = await workspace.run(...args)
    expect([args, usual.code]).toEqual([args, 0])
    expect(usual.stdout).not.toBe('')
    expect(await workspace.run('--quiet', ...args)).toEqual({ ...usual, stderr: '' })
  }
  expect((await workspace.run('--quiet', 'status')).stdout).toMatch(
    /^integration .*\n.*\nsummit +up to date /,
  )
  expect((await workspace.run('--quiet', 'runs')).stdout).toContain(second)
})

test('with --quiet a command that fails prints one line: what happened, where, what it means, and what to do', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  const quiet = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await workspace.run('--quiet', ...args)
    expect([stdout, stderr.split('\n').length]).toEqual(['', 2])
    return { code, line: stderr }
  }
  const planned = await quiet('plan')
  expect(planned).toMatchObject({ code: 2 })
  expect(planned.line).toMatch(
    /^summit: planned, 7 changes; nothing was sent; exit code 2: there are changes; next: apply them with `event-sync apply summit \w{64}`\n$/,
  )
  const { output } = (await workspace.report('run')).runs[0] ?? {}
  writeFileSync(join(String(output), 'agenda.csv'), 'changed')
  const verified = await quiet('verify', 'out')
  expect(verified).toMatchObject({ code: 1 })
  expect(verified.line).toMatch(
    /^summit: run \S+: agenda\.csv .*; exit code 1: failed; next: restore from a backup, or /,
  )
  source.script = async () => ({ status: 403, body: '{}' })
  const failed = await quiet('run')
  expect(failed).toMatchObject({ code: 1 })
  expect(failed.line).toMatch(
    /^summit: extract failed: .*; platform untouched; safe to run again; exit code 1: failed; next: see the error; `event-sync show \S+` shows how far it got\n$/,
  )
  expect((await quiet('check')).line).toMatch(
    /^summit: anonymous failed: .*; next: .*event-sync check summit\n$/,
  )
  const status = await workspace.run('--quiet', 'status')
  expect(status.stdout).toMatch(/^integration /)
  expect(status.stderr).toMatch(/^summit: failing, .*; exit code 1: failed; next: .*event-sync [^\n]*\n$/)
  const unknown = await quiet('sql', 'select nonsense')
  expect(unknown).toMatchObject({ code: 1 })
  expect(unknown.line).toMatch(/^.*"nonsense" does not exist.*; exit code 1: failed; next: correct it, and /)
})

test('with --quiet, errors in the arguments are printed as without --quiet, and errors of the configuration in one line', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  for (const args of [['run', 'nowhere'], ['run', '--run-id', 'x'], ['run', '--nonsense'], ['nonsense']]) {
    const usual = await workspace.run(...args)
    expect(usual.code).toBe(64)
    expect(await workspace.run('--quiet', ...args)).toEqual(usual)
  }
  workspace.configure({ outptu: 'x', integrations: [] })
  const { code, stdout, stderr } = await workspace.run('--quiet', 'run')
  expect([code, stdout, stderr.split('\n').length]).toEqual([64, '', 2])
  expect(stderr).toMatch(
    /^\S*event-sync\.yaml has 2 errors; \S+: outptu: .*; .*fix the file and run again\n$/,
  )
  rmSync(join(workspace.folder, 'event-sync.yaml'))
  expect(await workspace.run('--quiet', 'run')).toEqual(await workspace.run('run'))
})
