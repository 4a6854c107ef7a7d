import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { useOwnSource } from './own-source.ts'
import type { Runtime } from './runtimes.ts'

const execute = promisify(execFile)
const NAME = 'event-content-sync'

interface Call {
  readonly how: string
  readonly program: string
  readonly args: readonly string[]
}

/**
 * Installs a package in a new folder and uses it. Prints the version in each way in which the command can be
 * called, writes a configuration, and runs the whole demo. Every file of the demo's packs is checked.
 *
 * @returns the steps that worked
 * @throws Error with the output of the step that failed
 */
export async function useFrom(
  folder: string,
  tarball: string,
  { node, env, version: nodeVersion }: Runtime,
  way: 'locally' | 'globally',
): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true })
  const run = (program: string, args: readonly string[], path = env.PATH ?? '') =>
    execute(program, [...args], { cwd: folder, env: { ...env, PATH: path }, maxBuffer: 64 << 20 })
  const installed = join(folder, way === 'locally' ? '' : 'lib', 'node_modules', NAME)
  const launcher = join(installed, 'pipeline/bin/event-sync.js')
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline']
  if (way === 'locally') {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'somebody', private: true }))
    await run('npm', ['install', tarball, ...quiet])
  } else {
    await run('npm', ['install', '--global', '--prefix', folder, tarball, ...quiet])
  }

  const bin = way === 'locally' ? join(folder, 'node_modules', '.bin') : join(folder, 'bin')
  const calls: readonly Call[] = [
    { how: 'bin', program: 'event-sync', args: [] },
    { how: 'direct path', program: node, args: [launcher] },
    { how: 'executable file', program: launcher, args: [] },
    ...(way === 'locally' ? [{ how: 'npx', program: 'npx', args: ['--no-install', 'event-sync'] }] : []),
  ]
  const path = `${bin}:${env.PATH}`
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  const seen: string[] = []
  for (const { how, program, args } of calls) {
    const { stdout } = await run(program, [...args, '--version'], how === 'npx' ? env.PATH : path)
    if (stdout.trim() !== version) throw new Error(`${how}: "${stdout.trim()}" where ${version} is installed`)
    seen.push(how)
  }
  await run('event-sync', ['init', '--no-input'], path)
  JSON.parse((await run('event-sync', ['schema'], path)).stdout)
  await run('event-sync', ['demo'], path)
  const files = checkPacks(folder)
  const inPath = (program: string, args: readonly string[]) => run(program, args, path)
  const own =
    way === 'locally'
      ? await useOwnSource(folder, inPath, node, Number(nodeVersion.slice(1).split('.')[0]) >= 24)
      : []
  const watched = way === 'locally' ? await useTelemetry(folder, installed, run) : []
  return [...seen, 'init', 'schema', `demo with ${files} files verified`, ...own, ...watched]
}

type Run = (program: string, args: readonly string[]) => Promise<{ readonly stdout: string }>

/** Sets up OpenTelemetry as the README says, with the address of a collector that does not run. */
async function useTelemetry(folder: string, installed: string, run: Run): Promise<readonly string[]> {
  const readme = readFileSync(join(installed, 'pipeline', 'observe', 'README.md'), 'utf8')
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
  return ['OpenTelemetry']
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
