import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../support/folder.ts'
import { runInProcess } from './in-process.ts'

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runInProcess([...args, 'run'], { folder: makeFolder(onTestFinished), env })
const message =
  /^\.\/event-sync\.yaml does not exist; create one with `event-sync init`, or name another with -c FILE$/

test('with --log-level, the error of a command that cannot begin is a line of the log', async () => {
  const { code, stdout, stderr } = await run(['--log-level', 'error'])
  expect([code, stdout]).toEqual([64, ''])
  expect(JSON.parse(stderr)).toEqual({
    level: 'error',
    time: expect.stringMatching(/Z$/),
    integration: null,
    run: null,
    exitCode: 64,
    error: expect.stringMatching(message),
    msg: 'command failed',
  })
})

test.each([
  ['without --log-level', []],
  ['with --quiet', ['--log-level', 'error', '--quiet']],
])('%s, the error is text', async (_, args) => {
  expect((await run(args)).stderr.trim()).toMatch(message)
})

test('LOG_FORMAT=pretty makes it text for people, and the error about another value is JSON', async () => {
  const pretty = await run(['--log-level', 'info'], { LOG_FORMAT: 'pretty' })
  expect(pretty.stderr).toMatch(/Z error command failed exitCode=64 error=.*does not exist/)
  const wrong = await run(['--log-level', 'info'], { LOG_FORMAT: 'yaml' })
  expect(JSON.parse(wrong.stderr)).toMatchObject({ error: expect.stringContaining('LOG_FORMAT') })
})
