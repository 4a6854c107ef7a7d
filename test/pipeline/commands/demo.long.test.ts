import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sampleEvent } from '../../../pipeline/demo/sample-event.ts'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { makeFolder } from '../../support/folder.ts'
import { CLI, start } from './command-line.ts'
import { runInProcess } from './in-process.ts'

const README = readFileSync(join(packageRoot, 'README.md'), 'utf8')

const startDemo = (folder: string, ...args: readonly string[]) =>
  start(process.execPath, [CLI, 'demo', ...args], { folder })

test('the demo needs no setup and less than 20 seconds of CPU time, and verify finds no fault in its packs', {
  timeout: 240_000,
}, async () => {
  const folder = makeFolder()
  const before = process.cpuUsage()
  const { code, stdout, stderr } = await runInProcess(['demo', '--folder', 'my demo'], { folder })
  const { user, system } = process.cpuUsage(before)
  expect(stderr).toBe('')
  expect(code).toBe(0)
  // The test measures CPU time, because on a busy machine more time passes on the clock.
  expect((user + system) / 1e6).toBeLessThan(20)

  const [, printed = ''] =
    /The\s+demo\s+prints,\s+among\s+other\s+things:\n\n```text\n(.*?)```/s.exec(README) ?? []
  const lines = printed.split('\n').filter((line) => line !== '')
  expect(lines.length).toBeGreaterThan(8)
  for (const line of lines) expect(stdout.split('\n')).toContain(line)

  const { sessions, registrants } = sampleEvent.b
  expect(README).toContain(
    `an invented event of ${sessions.length} sessions and ${registrants.length} people`,
  )
  const query = `select
    (select count(*)::int from staging.b_registrants where valid_to_run is null) as current,
    (select count(*)::int from published.runs as run, staging.b_registrants_as_of(run.run_id)
      where run.integration_id = 'sample-b' and is_latest) as published`
  const asked = await runInProcess(['-c', 'my demo/event-sync.yaml', 'sql', '--json', query], { folder })
  const { current, published } = JSON.parse(asked.stdout).rows[0]
  expect(readFileSync(join(packageRoot, 'sql', 'README.md'), 'utf8').replace(/\s+/g, ' ')).toContain(
    `\`sample-b\` has ${current} current registrants, and ${published} in the run`,
  )

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
  expect(refusal).toMatch(
    /apply it with: event-sync -c 'my demo\/event-sync\.yaml' apply sample-b [0-9a-f]{64}\n/,
  )
  const [, shown = ''] = /look at it with: event-sync (.*)/.exec(refusal) ?? []
  const env = { NODE: process.execPath, CLI }
  expect((await start('bash', ['-c', `"$NODE" "$CLI" ${shown}`], { folder, env }).ended).code).toBe(0)

  // A run that is held writes no pack. A plan for an HTTP platform writes no operations file.
  const filesOf = { 'sample-a': 14, 'sample-b': 13 }
  for (const integration of ['sample-a', 'sample-b'] as const) {
    const packs = readdirSync(join(folder, 'my demo', 'out', integration)).filter((name) =>
      existsSync(join(folder, 'my demo', 'out', integration, name, 'SHA256SUMS')),
    )
    expect(packs).toHaveLength(3)
    for (const pack of packs) {
      const cwd = join(folder, 'my demo', 'out', integration, pack)
      const checked = execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd, encoding: 'utf8' })
      expect(checked).toMatch(new RegExp(`^(.+: OK\n){${filesOf[integration]}}$`))
    }
  }
})

test('with --serve, the sample sources keep running until the demo is stopped, and the commands that the demo prints work', {
  timeout: 240_000,
}, async () => {
  const folder = makeFolder()
  const demo = startDemo(folder, '--folder', 'my demo', '--serve')
  while (
    !demo.output.stdout.endsWith("\n  npx --no-install event-sync -c 'my demo/event-sync.yaml' plan\n")
  ) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const exports = demo.output.stdout.match(/^ {2}export .+$/gm) ?? []
  expect(exports).toHaveLength(4)
  const type = (command: string) => {
    const line = [...exports, `"$NODE" "$CLI" ${command}`].join('\n')
    return start('bash', ['-c', line], { folder, env: { NODE: process.execPath, CLI } }).ended
  }
  const commands = [...demo.output.stdout.matchAll(/^ {2}npx --no-install event-sync (.*)$/gm)].map(
    ([, command = '']) => command,
  )
  expect(commands).toHaveLength(4)
  for (const command of commands) expect([command, (await type(command)).code]).toEqual([command, 0])
  const planned = await type("-c 'my demo/event-sync.yaml' plan")
  expect(planned.stdout).toContain('sample-b: planned, nothing to change')

  const second = await runInProcess(['demo', '--folder', 'my demo'], { folder })
  expect(second.code).toBe(64)
  expect(second.stderr).toMatch(
    /a demo that still runs uses .*my demo \(process \d+\)[\s\S]*stop it with Ctrl-C in its terminal, or choose another folder with --folder/,
  )
  expect((await type("-c 'my demo/event-sync.yaml' plan")).code).toBe(0)
  demo.kill('SIGINT')
  expect((await demo.ended).code).toBe(130)
  expect((await runInProcess(['demo', '--folder', 'my demo'], { folder })).code).toBe(0)
})

test('the demo refuses a folder that it did not create', async () => {
  const folder = makeFolder()
  mkdirSync(join(folder, 'mine'))
  const { code, stdout, stderr } = await runInProcess(['demo', '--folder', 'mine'], { folder })
  expect(code).toBe(64)
  expect(stderr).toContain('was not made by the demo')
  expect(stdout).toBe('')
  expect(readdirSync(join(folder, 'mine'))).toEqual([])
})
