import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packageRoot } from '../../../pipeline/package-root.ts'
import { CLI, start } from './command-line.ts'

const README = readFileSync(join(packageRoot, 'README.md'), 'utf8')

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-demo-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const startDemo = (folder: string, ...args: readonly string[]) =>
  start(process.execPath, [CLI, 'demo', ...args], { folder })

test('the demo needs nothing, takes less than 20 seconds, and leaves packs that verify', {
  timeout: 240_000,
}, async () => {
  const folder = makeFolder()
  const startedMs = performance.now()
  const { code, stdout, stderr } = await startDemo(folder, '--folder', 'my demo').ended
  const seconds = (performance.now() - startedMs) / 1000
  expect(stderr).toBe('')
  expect(code).toBe(0)
  // A machine that is busy otherwise gets as much more time.
  expect(seconds).toBeLessThan(20 * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()))

  const [, printed = ''] = /It\s+prints, among more:\n\n```text\n(.*?)```/s.exec(README) ?? []
  const lines = printed.split('\n').filter((line) => line !== '')
  expect(lines.length).toBeGreaterThan(10)
  for (const line of lines) expect(stdout.split('\n')).toContain(line)

  const tables = stdout
    .split('\n')
    .filter((line) => /^sample-[ab] /.test(line))
    .map((line) => line.split(/ {2,}/))
  expect(tables).toHaveLength(3 * 6)
  const [first, second, third] = [tables.slice(0, 6), tables.slice(6, 12), tables.slice(12)]
  expect(
    first.every(([, , create, ...rest]) => Number(create) > 100 && rest.slice(0, 2).join() === '0,0'),
  ).toBe(true)
  expect(
    second.map(([integration, content, ...counts]) =>
      [integration, content, ...counts.slice(0, 3)].join(' '),
    ),
  ).toEqual([
    'sample-a agenda 1 7 2',
    'sample-a speakers 0 2 0',
    'sample-a attendees 0 0 0',
    'sample-b agenda 1 5 0',
    'sample-b speakers 0 0 0',
    'sample-b attendees 0 0 3',
  ])
  expect(third.every(([, , ...counts]) => counts.slice(0, 3).join() === '0,0,0')).toBe(true)
  for (const reason of ['cancelled', 'one_to_one_meeting', 'bad_time', 'quarantined'])
    expect(stdout).toContain(reason)

  const refusal = stdout.slice(stdout.indexOf('Fourth sync'))
  expect(refusal).toMatch(/sample-b: held, \d+ changes; nothing was sent/)
  expect(refusal).toMatch(/held by removals: .*960 of 1921 live items of attendees/)
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

test('with --serve the samples run on, and whoever does as it says gets a plan, until it is stopped', {
  timeout: 240_000,
}, async () => {
  const folder = makeFolder()
  const demo = startDemo(folder, '--folder', 'my demo', '--serve')
  while (!demo.output.stdout.endsWith('\n  npx event-sync -c my demo/event-sync.yaml plan\n')) {
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
  const { code, stdout, stderr } = await startDemo(folder, '--folder', 'mine').ended
  expect(code).toBe(64)
  expect(stderr).toContain('was not made by the demo')
  expect(stdout).toBe('')
  expect(readdirSync(join(folder, 'mine'))).toEqual([])
})
