import { expect, test } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { startReceiver } from '../observe/receiver.ts'
import { openTestIo, runInProcess } from './in-process.ts'
import { holdBack, startScriptedSource } from './scripted-source.ts'
import { configOfA, integrationOfA, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace } from './workspace.ts'

test('with --quiet, the line about a preview names the command that applies the previewed changes', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  expect(await workspace.run('--quiet', 'plan', '--rebind')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'summit: planned, 7 changes; nothing was sent; exit code 2: there are changes; next: `event-sync run summit --rebind` sends them\n',
  })
})

test('with --quiet, notify names the receivers that did not accept the message', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  const config = JSON.parse(workspace.read('event-sync.yaml'))
  const receiver = await startReceiver()
  workspace.configure({ ...config, webhook: [{ url: receiver.url }] })
  expect(await workspace.run('--quiet', 'notify', '--test')).toEqual({ code: 0, stdout: '', stderr: '' })
  workspace.configure({ ...config, webhook: [{ url: receiver.url }, { url: 'http://127.0.0.1:9' }] })
  const { code, stdout, stderr } = await workspace.run('--quiet', 'notify', '--test')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /^webhook\[1\] 127\.0\.0\.1:9: not accepted: .*; exit code 1: failed; next: correct it, and run `event-sync notify --test` again\n$/,
  )
})

test('with --quiet the line is about the integration with the worst exit code, and names the others that need attention', async () => {
  const [good, bad] = [await startScriptedSource(smallEvent), await startScriptedSource(smallEvent)]
  bad.script = async () => ({ status: 403, body: '{}' })
  const workspace = await makeWorkspace('postgres')
  const { http } = configOfA(good.url)
  const integrations = [integrationOfA('good', good.url), integrationOfA('bad', bad.url)]
  workspace.configure({ http, integrations })
  const { code, stdout, stderr } = await workspace.run('--quiet', 'plan')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^bad: extract failed: .*; also good \(exit code 2\); exit code 1: failed; next: /)
})

test('with --quiet no question is asked, and an interrupted run prints one line', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  await workspace.run('plan')
  for (const args of [
    ['apply', 'summit'],
    ['init', '--add'],
  ]) {
    const asked = await runInProcess(['--quiet', ...args], { ...workspace, isTerminal: true })
    expect(asked).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining('nobody to ask') })
  }
  const held = holdBack('Users', 2)
  source.script = held.script
  const io = openTestIo(workspace)
  const ended = runCommand(['--quiet', 'run'], io)
  await held.asked
  expect(() => io.interrupt(130)).toThrow('only a process can be ended')
  expect(io.output.stderr).toMatch(
    /^summit: platform untouched; safe to run again; stopped; nothing is lost: .*; exit code 130: interrupted; next: run again: unfinished work is completed first\n$/,
  )
  held.release()
  await ended
})
