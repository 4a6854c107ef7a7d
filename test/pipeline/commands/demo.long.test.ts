import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { makeFolder } from '../../support/folder.ts'
import { CLI, start } from './command-line.ts'
import { runInProcess } from './in-process.ts'

const README = readFileSync(join(packageRoot, 'README.md'), 'utf8')

const startDemo = (folder: string, ...args: readonly string[]) =>
  start(process.execPath, [CLI, 'demo', ...args], { folder })

test('the demo needs nothing, takes less than 20 seconds, and leaves packs that verify', {
  timeout: 240_000,
}, async () => {
  const folder = makeFolder()
  const before = process.cpuUsage()
  const { code, stdout, stderr } = await runInProcess(['demo', '--folder', 'my demo'], { folder })
  const { user, system } = process.cpuUsage(before)
  expect(stderr).toBe('')
  expect(code).toBe(0)
  // Time of the processor: by the clock it is longer on a machine that is busy otherwise.
  expect((user + system) / 1e6).toBeLessThan(20)

  const [, printed = ''] = /Part\s+of\s+what\s+it\s+prints:\n\n```text\n(.*?)```/s.exec(README) ?? []
  const lines = printed.split('\n').filter((line) => line !== '')
  expect(lines.length).toBeGreaterThan(8)
  for (const line of lines) expect(stdout.split('\n')).toContain(line)

  const planned = [...stdout.matchAll(/^(sample-[ab]) +(\w+) +(\d+) +(\d+) +(\d+) /gm)]
  const [second, third] = [planned.slice(6, 12), planned.slice(12)]
  expect(second.map((row) => row.slice(1).join(' '))).toEqual([
    'sample-a agenda 1 4 1',
    'sample-a speakers 0 1 0',
    'sample-a attendees 0 0 0',
    'sample-b agenda 1 3 0',
    'sample-b speakers 0 0 0',
    'sample-b attendees 0 0 2',
  ])
  expect(third.map((row) => row.slice(3).join(' '))).toEqual(Array(6).fill('0 0 0'))
  for (const reason of ['cancelled', 'one_to_one_meeting', 'bad_time', 'quarantined'])
    expect(stdout).toContain(reason)

  const refusal = stdout.slice(stdout.indexOf('Fourth sync'))
  expect(refusal).toMatch(/sample-b: held, \d+ changes; nothing was sent/)
  expect(refusal).toMatch(/held by removals: .*18 of 34 live items of attendees/)
  expect(refusal).toMatch(/apply it with: event-sync apply sample-b [0-9a-f]{64}/)

  // What was held leaves no pack; what went to a platform, no file of operations.
  const filesOf = { 'sample-a': 13, 'sample-b': 12 }
  for (const integration of ['sample-a', 'sample-b'] as const) {
    const packs = readdirSync(join(folder, 'my demo', 'out', integration))
    expect(packs).toHaveLength(3)
    for (const pack of packs) {
      const cwd = join(folder, 'my demo', 'out', integration, pack)
      const checked = execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd, encoding: 'utf8' })
      expect(checked).toMatch(new RegExp(`^(.+: OK\n){${filesOf[integration]}}$`))
    }
  }
})

test('with --serve the samples run on, and anyone who does as it says gets a plan, until it is stopped', {
  timeout: 240_000,
}, async () => {
  const folder = makeFolder()
  const demo = startDemo(folder, '--folder', 'my demo', '--serve')
  while (!demo.output.stdout.endsWith('\n  npx --no-install event-sync -c my demo/event-sync.yaml plan\n')) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const exports = demo.output.stdout.match(/^ {2}export .+$/gm) ?? []
  expect(exports).toHaveLength(3)
  const line = [...exports, `"$NODE" "$CLI" -c 'my demo/event-sync.yaml' plan`].join('\n')
  const env = { NODE: process.execPath, CLI }
  const planned = await start('bash', ['-c', line], { folder, env }).ended
  expect(planned).toMatchObject({ code: 0 })
  expect(planned.stdout).toContain('sample-b: planned, nothing to change')
  demo.kill('SIGINT')
  expect((await demo.ended).code).toBe(130)
})

test('the demo refuses a folder that it did not make', async () => {
  const folder = makeFolder()
  mkdirSync(join(folder, 'mine'))
  const { code, stdout, stderr } = await runInProcess(['demo', '--folder', 'mine'], { folder })
  expect(code).toBe(64)
  expect(stderr).toContain('was not made by the demo')
  expect(stdout).toBe('')
  expect(readdirSync(join(folder, 'mine'))).toEqual([])
})
