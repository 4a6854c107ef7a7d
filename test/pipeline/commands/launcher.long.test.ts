import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { packageRoot, productVersion } from '../../../pipeline/runtime/package-root.ts'
import { useOneFolder } from '../../support/folder.ts'
import { createDatabase } from '../../support/postgres.ts'
import { start } from './command-line.ts'
import { holdBack, startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { schedule } from './unattended.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const SOURCES = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'rolldown.config.ts',
  'pipeline',
  'transforms',
  'loaders',
  'sql',
]

/** The Node that is installed on the machine. This Node may be older than the Node of the package. */
const OLDER = '/usr/bin/node'
const hasOlder =
  existsSync(OLDER) &&
  Number(spawnSync(OLDER, ['-p', 'process.versions.node']).stdout.toString().split('.')[0]) < 24

const nodes: readonly (readonly [name: string, path: string])[] = [
  ['the Node that came with the package', process.execPath],
  ...(hasOlder ? ([['an older Node of the machine', OLDER]] as const) : []),
]

/**
 * A copy of the package in which the tests run the build. The package is built in this copy, so that the
 * build does not disturb other tests.
 */
const copy = useOneFolder()
const launcher = () => join(copy, 'pipeline', 'bin', 'event-sync.js')

beforeAll(() => {
  for (const name of SOURCES) cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
})

test.each(nodes)(
  'if event-sync is started by %s before it is built, it says that it is not built',
  async (_name, node) => {
    const { code, stdout, stderr } = await start(node, [launcher(), '--version'], { folder: copy }).ended
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'event-sync is not built: run `npm run build` in its folder\n',
    })
  },
)

describe('event-sync after the build', () => {
  let folder: string
  let env: Record<string, string>
  beforeAll(async () => {
    execFileSync('npm', ['run', 'build'], { cwd: copy, stdio: 'pipe' })
    // npm makes the same link when it installs the package.
    const bin = join(copy, 'bin of npm')
    rmSync(bin, { recursive: true, force: true })
    mkdirSync(bin)
    symlinkSync('../pipeline/bin/event-sync.js', join(bin, 'event-sync'))
    folder = join(copy, 'work')
    mkdirSync(folder, { recursive: true })
    env = { DATABASE_URL: await createDatabase(inject('postgresUrl')) }
    configure('http://127.0.0.1:9')
  })
  const configure = (url: string) =>
    writeFileSync(
      join(folder, 'my config.yaml'),
      JSON.stringify({ database: 'env:DATABASE_URL', ...configOfA(url) }),
    )

  test('the compile cache stays in the folder of the package, and the next start uses it', () => {
    const installed = mkdtempSync(join(copy, 'installed-'))
    for (const name of ['package.json', 'pipeline/bin', 'dist'])
      cpSync(join(copy, name), join(installed, name), { recursive: true })
    const path = join(installed, 'pipeline', 'bin', 'event-sync.js')
    execFileSync(process.execPath, [path, '--version'], { env: {}, stdio: 'pipe' })
    expect(readdirSync(join(installed, 'node_modules', '.cache', 'event-sync'))).toHaveLength(1)
  })

  describe.each(nodes)('started by %s', (_name, node) => {
    const begin = (...args: readonly string[]) => start(node, [launcher(), ...args], { folder, env })

    test('event-sync prints its version if it is started directly, and if it is started through the link of npm', async () => {
      for (const path of [launcher(), join(copy, 'bin of npm', 'event-sync')]) {
        const { code, stdout, stderr } = await start(node, [path, '--version'], { folder }).ended
        expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${productVersion}\n`, stderr: '' })
      }
    })

    test('event-sync passes on standard input, exit codes, and arguments that are empty or contain blanks or quotes', async () => {
      const sql = ['-c', 'my config.yaml', 'sql']
      const { code, stdout } = await begin(...sql, `select 'a  "b"' as "c d"`, '--format', 'csv').ended
      expect([code, stdout]).toEqual([0, '"c d"\r\n"a  ""b"""\r\n'])
      expect((await begin(...sql, '').ended).stderr).toBe(
        'there is no query; give it as an argument, with -f FILE or on standard input\n',
      )
      const piped = await start(node, [launcher(), ...sql], { folder, env, input: 'select 7 as n' }).ended
      expect(piped.stdout).toBe('n\n-\n7\n')
      expect((await begin('--nosuch').ended).code).toBe(64)
      expect((await begin('-c', 'my config.yaml', 'run').ended).code).toBe(1)
    })

    test('the Node that runs the command loads the modules that NODE_OPTIONS imports, for example for traces', async () => {
      const seen = join(folder, 'seen.txt')
      rmSync(seen, { force: true })
      const hook = `import { appendFileSync } from 'node:fs'\nappendFileSync('seen.txt', process.versions.node + '\\n')\n`
      writeFileSync(join(folder, 'hook.mjs'), hook)
      const options = { folder, env: { ...env, NODE_OPTIONS: '--import ./hook.mjs' } }
      expect((await start(node, [launcher(), '--version'], options).ended).code).toBe(0)
      const versions = readFileSync(seen, 'utf8').trimEnd().split('\n')
      expect(Number.parseInt(versions.at(-1) ?? '', 10)).toBeGreaterThanOrEqual(24)
      expect(versions).toHaveLength(node === OLDER ? 2 : 1)
    })

    test('event-sync passes on signals to the command, and ends with the exit code of the command', async () => {
      const source = await startScriptedSource(smallEvent)
      for (const [signal, expected] of [
        ['SIGTERM', 143],
        ['SIGINT', 130],
      ] as const) {
        const { script, asked } = holdBack('Users', 0)
        source.script = script
        configure(source.url)
        const run = begin('-c', 'my config.yaml', 'run', '--rebind')
        await asked
        run.kill(signal)
        expect((await run.ended).code).toBe(expected)
      }
    })

    test('a worker of the systemd unit finishes its run when it is stopped, and leaves no process behind', async () => {
      const site = mkdtempSync(join(copy, 'site-'))
      mkdirSync(join(site, 'node_modules'))
      symlinkSync(copy, join(site, 'node_modules', 'event-content-sync'))
      const source = await startScriptedSource(smallEvent)
      const { script, asked, release } = holdBack('Users', 0)
      source.script = script
      const { integrations, ...rest } = configOfA(source.url)
      const config = { ...rest, integrations: integrations.map((one) => ({ ...one, schedule })) }
      const known = { DATABASE_URL: await createDatabase(inject('postgresUrl')) }
      writeFileSync(
        join(site, 'event-sync.yaml'),
        JSON.stringify({ database: 'env:DATABASE_URL', ...config }),
      )
      const options = { folder: site, env: known }
      expect((await start(node, [launcher(), 'schedule', '--now'], options).ended).code).toBe(0)

      const [program = '', ...args] = (keysOfUnit().get('ExecStart') ?? '').split(' ')
      const worker = start(program === '/usr/bin/node' ? node : program, args, options)
      await asked
      const pid = Number(/"process":(\d+).*"worker started"/.exec(worker.output.stderr)?.[1])
      // With KillMode=mixed, systemd sends the first signal to the main process only.
      worker.kill('SIGTERM')
      await worker.seen('worker stops')
      release()
      const { code, stderr } = await worker.ended
      expect(() => process.kill(pid, 0)).toThrow('ESRCH')
      expect(stderr).toMatch(/"status":"finished".*"job ended"/)
      expect(keysOfUnit().get('SuccessExitStatus')?.split(' ')).toContain(String(code))
    })
  })
})

/** Returns the keys of the systemd unit of a worker. `%i`, which names the instance, is 1. */
function keysOfUnit(): ReadonlyMap<string, string> {
  const unit = readFileSync(
    join(packageRoot, 'pipeline', 'deploy', 'systemd', 'event-sync-worker@.service'),
    'utf8',
  )
  return new Map(
    [...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [
      key,
      value.replaceAll('%i', '1'),
    ]),
  )
}

test('the systemd unit can be enabled, does not run as root, and gives a worker longer to stop than its --grace', () => {
  const keys = keysOfUnit()
  expect(keys.get('WantedBy')).toBe('multi-user.target')
  expect(keys.get('User')).not.toBe('root')
  expect(keys.has('User')).toBe(true)
  const grace = Number(/--grace (\d+)/.exec(keys.get('ExecStart') ?? '')?.[1])
  expect(Number(keys.get('TimeoutStopSec'))).toBeGreaterThan(grace)
})
