import { execFileSync, spawnSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { start } from '../commands/command-line.ts'
import { begin } from '../commands/rename-small-event.ts'
import type { Records } from '../commands/scripted-source.ts'
import { integrationOfA, smallEvent } from '../commands/small-event.ts'
import { DEPLOY } from './dockerfile.ts'

const RUN_SERVICE = 'systemd/event-sync-run.service'
const isRoot = process.platform === 'linux' && process.getuid?.() === 0

/** Python of a virtual environment in which the package is installed. */
const AIRFLOW = process.env.AIRFLOW_PYTHON ?? 'python3'
const DAGSTER = process.env.DAGSTER_PYTHON ?? 'python3'
const canImport = (python: string, name: string) => spawnSync(python, ['-c', `import ${name}`]).status === 0

const hasStrace = spawnSync('strace', ['--version']).status === 0

/** All people are missing, so that a guard holds the run. */
const emptied: Records = { ...smallEvent, Users: [] }

/** Makes a workspace with the integrations of the examples, and with the package in node_modules. */
async function place() {
  const begun = await begin()
  const { workspace, source } = begun
  workspace.configure({
    integrations: ['summit', 'expo'].map((id) =>
      integrationOfA(id, source.url, { removals: { minCount: 1 } }),
    ),
    sealingKey: 'env:EVENT_SYNC_KEY',
  })
  mkdirSync(join(workspace.folder, 'node_modules'))
  symlinkSync(packageRoot, join(workspace.folder, 'node_modules', 'event-content-sync'))
  return begun
}

type Place = Awaited<ReturnType<typeof place>>

const programs = `${join(packageRoot, 'node_modules/.bin')}:${process.env.PATH}`

/** Runs a shell command where the folder of a workspace is /srv/event-sync, as on the machine of a user. */
function inService({ workspace: { folder, env } }: Place, line: string, before = '') {
  const script = [
    'set -e',
    'mount -t tmpfs tmpfs /srv',
    'mkdir /srv/event-sync',
    `mount --bind '${folder}' /srv/event-sync`,
    before,
    'cd /srv/event-sync',
    'exec sh -c "$0"',
  ]
  return start('unshare', ['--mount', 'sh', '-c', script.join('\n'), line], {
    folder,
    env: { ...env, PATH: programs },
  }).ended
}

/** User id of the user event-sync, whom the machine of the test does not have. */
const UID = 47_110
const AS_USER = 'setpriv --reuid=event-sync --regid=event-sync --init-groups'

/** Adds the user event-sync, and the program event-sync in /usr/local/bin, as the README does. */
const USER_AND_PROGRAM = [
  ...['passwd', 'group'].flatMap((file) => [
    `cp /etc/${file} /srv/${file}`,
    `echo 'event-sync:x:${UID}:${file === 'passwd' ? `${UID}::/srv/event-sync:/bin/sh` : ''}' >> /srv/${file}`,
    `mount --bind /srv/${file} /etc/${file}`,
  ]),
  'mount -t tmpfs tmpfs /usr/local/bin',
  `install -m 0755 '${join(DEPLOY, 'event-sync')}' /usr/local/bin/event-sync`,
].join('\n')

/** Makes a workspace whose output folder and .env belong to the user event-sync. */
async function placeOfUser() {
  const begun = await place()
  const { folder, env } = begun.workspace
  const variables = Object.entries(env).map(([name, value]) => `${name}='${value}'\n`)
  mkdirSync(join(folder, 'out'), { mode: 0o700 })
  writeFileSync(join(folder, '.env'), variables.join(''), { mode: 0o600 })
  for (const name of ['out', '.env']) chownSync(join(folder, name), UID, UID)
  return { ...begun, workspace: { ...begun.workspace, env: {} } }
}

const statesOf = async ({ workspace }: Place) =>
  (await workspace.report('runs')).runs.map(({ integration, status }) => `${integration} ${status}`).sort()

const unit = readFileSync(join(DEPLOY, RUN_SERVICE), 'utf8')

describe.runIf(isRoot)('in /srv/event-sync (skipped: only root on Linux can mount)', () => {
  test('the command of the systemd service runs all integrations, and can write only to the output folder', async () => {
    const begun = await place()
    mkdirSync(join(begun.workspace.folder, 'out'))
    const [, command = ''] = /^ExecStart=\/usr\/bin\/(.*)$/m.exec(unit) ?? []
    const [, writable = ''] = /^ReadWritePaths=(.*)$/m.exec(unit) ?? []
    const strict = [
      'mount --rbind / /',
      `mount --bind ${writable} ${writable}`,
      'mount -o remount,bind,ro /',
      'mount -o remount,bind,ro /srv/event-sync',
      'for place in / /srv/event-sync; do if touch $place/new 2> /dev/null; then exit 99; fi; done',
    ]
    const { code, stderr } = await inService(begun, command, strict.join('\n'))
    expect([code, stderr]).toEqual([0, expect.anything()])
    expect(await statesOf(begun)).toEqual(['expo finished', 'summit finished'])
  })

  test.skipIf(!hasStrace)(
    'the system calls of a run are in the filter of the systemd service (skipped without strace)',
    async () => {
      const begun = await place()
      const trace = join(begun.workspace.folder, 'trace')
      const { code, stderr } = await inService(
        begun,
        `strace -f -c -o trace node ${packageRoot}/pipeline/bin/event-sync.js run`,
      )
      expect([code, stderr]).toEqual([0, expect.anything()])
      const used = [...readFileSync(trace, 'utf8').matchAll(/ (\w+)$/gm)].map(([, name]) => name ?? '')
      expect(used).toContain('openat')
      const callsOf = (set: string): readonly string[] => {
        const { stdout } = spawnSync('systemd-analyze', ['syscall-filter', set], { encoding: 'utf8' })
        const names = [...stdout.matchAll(/^ +(@?[\w-]+)$/gm)].map(([, name]) => name ?? '')
        return names.flatMap((name) => (name.startsWith('@') ? callsOf(name) : [name]))
      }
      const sets = [...unit.matchAll(/^SystemCallFilter=(~?)(@\S+)$/gm)]
      const allowed = new Set(sets.filter(([, not]) => not === '').flatMap(([, , set = '']) => callsOf(set)))
      const denied = new Set(sets.filter(([, not]) => not === '~').flatMap(([, , set = '']) => callsOf(set)))
      expect(
        used.filter(
          (name) => name !== 'total' && name !== 'syscall' && (!allowed.has(name) || denied.has(name)),
        ),
      ).toEqual([])
    },
  )

  test('the line of the crontab prints nothing while all is well, and one line if a plan is held', async () => {
    const begun = await placeOfUser()
    const line =
      readFileSync(join(DEPLOY, 'crontab'), 'utf8')
        .split('\n')
        .find((one) => one.startsWith('*')) ?? ''
    const command = line.split(' ').slice(5).join(' ')
    expect(command).not.toContain('%')
    const quiet = await inService(begun, `${AS_USER} ${command}`, USER_AND_PROGRAM)
    expect([quiet.code, quiet.stdout, quiet.stderr]).toEqual([0, '', ''])
    begun.source.records = emptied
    const held = await inService(begun, `${AS_USER} ${command}`, USER_AND_PROGRAM)
    expect([held.code, held.stdout]).toEqual([4, ''])
    expect(held.stderr.trim().split('\n')).toHaveLength(1)
  })

  test('commands of root write as the user of the service with the program event-sync, and are refused without it', async () => {
    const begun = await placeOfUser()
    const program = 'node node_modules/event-content-sync/pipeline/bin/event-sync.js'
    const bare = await inService(begun, `set -a; . ./.env; ${program} run`, USER_AND_PROGRAM)
    expect([bare.code, bare.stderr]).toEqual([
      64,
      expect.stringContaining(
        'run the command as event-sync, with the program `event-sync` of the folder deploy, or with `setpriv ',
      ),
    ])
    for (const command of ['event-sync run', `${AS_USER} event-sync run`]) {
      const { code, stderr } = await inService(begun, command, USER_AND_PROGRAM)
      expect([code, stderr]).toEqual([0, expect.anything()])
    }
    const init = await inService(begun, 'event-sync init', USER_AND_PROGRAM)
    expect([init.code, init.stderr]).toEqual([
      64,
      expect.stringContaining('npx --no-install event-sync init'),
    ])
    const out = join(begun.workspace.folder, 'out')
    const owners = execFileSync('find', [out, '-printf', '%U %m\\n'], { encoding: 'utf8' })
    expect(new Set(owners.trim().split('\n'))).toEqual(new Set([`${UID} 600`, `${UID} 700`]))
    // The words of the refusal also work, if the variables are set.
    const [, prefix = ''] = /`(setpriv [^`]*)`/.exec(bare.stderr) ?? []
    const again = await inService(begun, `set -a; . ./.env; ${prefix} ${program} run`, USER_AND_PROGRAM)
    expect([again.code, again.stderr]).toEqual([0, expect.anything()])
  })
})

/** Makes a folder for the files of a scheduler, with one of the examples. */
function schedulerFolder(example: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-scheduler-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'dags'))
  cpSync(join(DEPLOY, example), join(folder, 'dags', example))
  return folder
}

function runPython(
  python: string,
  args: readonly string[],
  { workspace }: Place,
  env: Record<string, string>,
) {
  return start(python, args, {
    folder: workspace.folder,
    env: { ...workspace.env, PATH: programs, EVENT_SYNC_FOLDER: workspace.folder, ...env },
  }).ended
}

test.skipIf(!canImport(AIRFLOW, 'airflow'))(
  'Airflow runs each integration as a task, and a held plan fails its task without a second try (skipped without airflow; AIRFLOW_PYTHON names a Python that has it)',
  async () => {
    const begun = await place()
    const folder = schedulerFolder('airflow_dag.py')
    const env = {
      AIRFLOW_HOME: folder,
      AIRFLOW__CORE__DAGS_FOLDER: join(folder, 'dags'),
      AIRFLOW__CORE__LOAD_EXAMPLES: 'False',
    }
    const airflowWith = (more: Record<string, string>, ...args: readonly string[]) =>
      runPython(AIRFLOW, ['-m', 'airflow', ...args], begun, { ...env, ...more })
    const airflow = (...args: readonly string[]) => airflowWith({}, ...args)
    expect((await airflow('db', 'migrate')).code).toBe(0)
    const first = await airflow('dags', 'test', 'event_sync', '2026-01-01')
    expect([first.code, first.stdout + first.stderr]).toEqual([
      0,
      expect.stringMatching(/state[=:']+ ?success/i),
    ])
    expect(await statesOf(begun)).toEqual(['expo finished', 'summit finished'])
    begun.source.records = emptied
    const held = await airflow('dags', 'test', 'event_sync', '2026-01-02')
    expect(held.stdout + held.stderr).toContain('ended with exit code 4')
    expect(held.stdout + held.stderr).not.toContain('up_for_retry')
    const at = ['dags', 'test', 'event_sync', '2026-01-03']
    const elsewhere = await airflowWith({ EVENT_SYNC_FOLDER: folder }, ...at)
    expect(elsewhere.stdout + elsewhere.stderr).toContain('set EVENT_SYNC_FOLDER')
    expect(elsewhere.stdout + elsewhere.stderr).not.toContain('up_for_retry')
    expect(await statesOf(begun)).toEqual(['expo held', 'summit held'])
  },
  600_000,
)

test.skipIf(!canImport(DAGSTER, 'dagster'))(
  'Dagster runs each integration as an op, and a held plan fails its op without a second try (skipped without dagster; DAGSTER_PYTHON names a Python that has it)',
  async () => {
    const begun = await place()
    const folder = schedulerFolder('dagster_job.py')
    const file = join(folder, 'dags', 'dagster_job.py')
    const execute = (env: Record<string, string> = {}) =>
      runPython(DAGSTER, ['-m', 'dagster', 'job', 'execute', '-f', file, '-j', 'event_sync'], begun, {
        DAGSTER_HOME: folder,
        ...env,
      })
    const first = await execute()
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('RUN_SUCCESS')])
    expect(await statesOf(begun)).toEqual(['expo finished', 'summit finished'])
    begun.source.records = emptied
    const held = await execute()
    expect([held.code, held.stderr]).toEqual([1, expect.stringContaining('ended with exit code 4')])
    expect(held.stderr).not.toContain('STEP_UP_FOR_RETRY')
    const elsewhere = await execute({ EVENT_SYNC_FOLDER: folder })
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('set EVENT_SYNC_FOLDER')])
    expect(elsewhere.stderr).not.toContain('STEP_UP_FOR_RETRY')
    expect(await statesOf(begun)).toEqual(['expo held', 'summit held'])
  },
  600_000,
)
