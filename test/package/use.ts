import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { useExample } from './example.ts'
import { type Manager, npm } from './managers.ts'
import type { Runtime } from './runtimes.ts'

const execute = promisify(execFile)

/**
 * Matches a warning of npm, pnpm or Yarn. Their other output has names of packages, which may contain the
 * word.
 */
const WARNING = /^npm warn|^warning |\[WARN\]|^\s*WARN\b|with warnings/im

/**
 * Installs a package in a new folder and uses it. Prints the version, writes a configuration, and runs the
 * whole demo. Every file of the demo's packs is checked. In a folder of npm, calls the command in each way in
 * which it can be called. Without `--global`, compiles and runs the example.
 *
 * @returns the steps that worked
 * @throws Error with the output of the step that failed, or with a warning of the installation
 */
export async function useFrom(
  folder: string,
  tarball: string,
  runtime: Runtime,
  manager: Manager,
  isQuick: boolean,
): Promise<readonly string[]> {
  const run = await install(folder, tarball, runtime, manager)
  const installed = join(folder, manager.installed)
  const path = `${join(folder, manager.bin)}:${runtime.env.PATH}`
  const eventSync = (...args: readonly string[]) => {
    const [program, ...first] = manager.exec
    return run(program, [...first, ...args])
  }
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  const { stdout } = await eventSync('--version')
  if (stdout.trim() !== version) throw new Error(`"${stdout.trim()}" where ${version} is installed`)
  await eventSync('init', '--no-input')
  JSON.parse((await eventSync('schema')).stdout)
  await eventSync('demo')
  const files = checkPacks(folder)
  const inPath: Run = (program, args) => run(program, args, path)
  return [
    'no warning',
    `demo with ${files} files verified`,
    ...(manager.name.startsWith('npm') ? await callInEachWay(installed, version, runtime.node, inPath) : []),
    ...(manager.bin === 'bin' ? [] : await useExample(folder, installed, eventSync, run, runtime, isQuick)),
  ]
}

/** Installs the package. @returns a function that runs a program in the folder */
async function install(folder: string, tarball: string, { env, version }: Runtime, manager: Manager) {
  mkdirSync(folder, { recursive: true })
  const run = (program: string, args: readonly string[], path = env.PATH ?? '') =>
    execute(program, [...args], { cwd: folder, env: { ...env, PATH: path }, maxBuffer: 64 << 20 })
  const manifest = { name: 'somebody', version: '1.0.0', private: true, license: 'MIT', type: 'module' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  manager.prepare?.(folder)
  const [program, ...args] = manager.add(tarball)
  const { stdout, stderr } = await run(program, args)
  if (WARNING.test(`${stdout}\n${stderr}`) && manager.name !== "Plug'n'Play")
    throw new Error(`${manager.name} under Node ${version} warns:\n${stdout}\n${stderr}`)
  return run
}

async function callInEachWay(
  installed: string,
  version: string,
  node: string,
  run: Run,
): Promise<readonly string[]> {
  const launcher = join(installed, 'pipeline/bin/event-sync.js')
  const calls = [
    { how: 'bin', program: 'event-sync', args: [] },
    { how: 'direct path', program: node, args: [launcher] },
    { how: 'executable file', program: launcher, args: [] },
  ]
  for (const { how, program, args } of calls) {
    const { stdout } = await run(program, [...args, '--version'])
    if (stdout.trim() !== version) throw new Error(`${how}: "${stdout.trim()}" where ${version} is installed`)
  }
  return calls.map(({ how }) => how)
}

/** Checks that the command says in one sentence what to do in a folder of Yarn without node_modules. */
export async function refuseFrom(
  folder: string,
  tarball: string,
  runtime: Runtime,
  manager: Manager,
): Promise<string> {
  const run = await install(folder, tarball, runtime, manager)
  const [program, ...first] = manager.exec
  const said = await run(program, [...first, 'demo']).then(
    ({ stdout }) => stdout,
    ({ stderr }: { readonly stderr: string }) => stderr,
  )
  if (!/^event-sync does not run .*nodeLinker: node-modules.*$/.test(said.trim())) throw new Error(said)
  return said.trim()
}

type Run = (program: string, args: readonly string[]) => Promise<{ readonly stdout: string }>

/**
 * Installs the package by npm in a new folder, and sets up OpenTelemetry as the README says, with the address
 * of a collector that does not run.
 */
export async function useTelemetry(folder: string, tarball: string, runtime: Runtime): Promise<string> {
  const run = await install(folder, tarball, runtime, npm)
  const readme = readFileSync(join(folder, npm.installed, 'pipeline', 'observe', 'README.md'), 'utf8')
  const packages = [...readme.matchAll(/^npm install (@opentelemetry.+)$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  const [, file = ''] = /```js\n(\/\/ otel\.mjs\n.*?)```/s.exec(readme) ?? []
  if (packages.length === 0 || file === '')
    throw new Error('the README of observe does not say how to set up OpenTelemetry')
  await run('npm', ['install', ...packages, '--no-audit', '--no-fund', '--prefer-offline'])
  writeFileSync(join(folder, 'otel.mjs'), file)
  // Port 9 is the discard port, at which no program listens.
  const variables = [
    'NODE_OPTIONS=--import ./otel.mjs',
    'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9',
    'OTEL_EXPORTER_OTLP_TIMEOUT=500',
  ]
  const watched = (...args: readonly string[]) =>
    run('env', [...variables, 'npx', '--no-install', 'event-sync', ...args]).then(
      () => 0,
      ({ code }: { readonly code: number }) => code,
    )
  const codes = [await watched('demo'), await watched('-c', 'nowhere.yaml', 'run')]
  if (String(codes) !== '0,64') throw new Error(`with a collector that is down, exit codes are ${codes}`)
  return 'OpenTelemetry'
}

/** Checks every file that a `SHA256SUMS` below this folder lists, and returns the number of files. */
function checkPacks(folder: string): number {
  const lists = globSync('event-sync-demo/**/SHA256SUMS', { cwd: folder })
  if (lists.length < 2) throw new Error(`the demo left ${lists.length} packs`)
  const lines = lists.flatMap((list) =>
    readFileSync(join(folder, list), 'utf8')
      .trim()
      .split('\n')
      .map((line) => ({ line, below: join(folder, dirname(list)) })),
  )
  for (const { line, below } of lines) {
    const [sum, file = ''] = line.split('  ')
    const found = createHash('sha256')
      .update(readFileSync(join(below, file)))
      .digest('hex')
    if (found !== sum) throw new Error(`${file} of the demo has another SHA-256`)
  }
  return lines.length
}
