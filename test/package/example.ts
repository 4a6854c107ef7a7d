import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { full } from '../sources/sessionize/full.ts'
import { serveSessionize } from '../sources/sessionize/serve.ts'
import type { Runtime } from './runtimes.ts'

const execute = promisify(execFile)
const HERE = dirname(fileURLToPath(import.meta.url))
const ROOT = join(HERE, '..', '..')
const OLDEST = 24
const ENTRIES = ['', '/source', '/target', '/testing'].map((entry) => `event-content-sync${entry}`)

type Printed = Promise<{ readonly stdout: string }>
/** Runs a program in the folder in which the package is installed. */
type Run = (program: string, args: readonly string[]) => Printed
/** Runs the command as users of the package manager do. */
type EventSync = (...args: readonly string[]) => Printed

/**
 * Copies the project `example/` and the packaged example of a target into the folder in which the package is
 * installed, and compiles both. Runs the
 * commands `check`, `run`, `explain`, `sql` and `verify` with the project's own source. Runs the compiled
 * programs: the example of the library, the contract tests of the source and the target, and `require`. An older Node must
 * refuse the library, and say what it needs.
 *
 * @param isQuick true leaves out the contract tests of the target, which take a minute
 * @returns the steps that worked
 */
export async function useExample(
  folder: string,
  installed: string,
  eventSync: EventSync,
  run: Run,
  { node, major }: Runtime,
  isQuick: boolean,
): Promise<readonly string[]> {
  const lists = Object.fromEntries(Object.entries(full).map(([name, record]) => [name, [record]]))
  const server = await serveSessionize(lists)
  try {
    layOut(folder, installed, server.url)
    // kysely, from which some types come, refuses older versions of Node, so it is not installed there.
    if (major >= OLDEST) await compile(folder)
    await useSource(eventSync)
    if (major < OLDEST) return ['a source from outside', await refusal(run, node)]
    for (const entry of ENTRIES) await run(node, ['--input-type=module', '-e', `await import('${entry}')`])
    const required = await run(node, ['built/required.cjs'])
    if (required.stdout.trim() !== 'function function function function')
      throw new Error(`require finds ${required.stdout}`)
    const contracts = ['built/contract.js', ...(isQuick ? [] : ['built/target-contract.js'])]
    await run(node, ['--test', ...contracts])
    const example = await run(node, ['built/library.js'])
    const expected = 'ended with 0: finished\nrun again: 0, last runs: 2, faults of packs: 0'
    if (example.stdout.trim() !== expected) throw new Error(`the example says ${example.stdout}`)
    return ['a source from outside', 'types', 'import', 'require', 'contract tests', 'the library']
  } finally {
    await server.close()
  }
}

/** Adds the files of the example to the folder, and a configuration with the address of its source. */
function layOut(folder: string, installed: string, url: string): void {
  for (const name of [
    'tsconfig.json',
    'library.ts',
    'contract.ts',
    'target-contract.ts',
    'required.cts',
    'sources',
  ])
    cpSync(join(HERE, 'example', name), join(folder, name), { recursive: true })
  copyFileSync(join(ROOT, 'test/sources/sessionize/sessionize.ts'), join(folder, 'sources/sessionize.ts'))
  cpSync(join(installed, 'pipeline/targets/examples'), join(folder, 'targets'), { recursive: true })
  writeFileSync(join(folder, 'records.json'), JSON.stringify(full))
  const source = { type: './sources/sessionize.ts', url, eventId: 'spring', timeZone: 'Europe/Vienna' }
  const integration = {
    id: 'spring',
    source,
    content: ['agenda', 'speakers'],
    platform: { type: 'jsonl' },
    schedule: { cron: '0 4 * * *' },
  }
  writeFileSync(join(folder, 'event-sync.yaml'), JSON.stringify({ integrations: [integration] }))
}

async function compile(folder: string): Promise<void> {
  const types = ['--typeRoots', join(ROOT, 'node_modules/@types')]
  await execute(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.', ...types], { cwd: folder }).catch(
    (error) => {
      throw new Error(`the types of the package do not fit:\n${error.stdout}`)
    },
  )
}

/** Runs commands with the source of the example. */
async function useSource(eventSync: EventSync): Promise<void> {
  await eventSync('check')
  await eventSync('schedule')
  const { stdout } = await eventSync('--json', 'run')
  const [report] = JSON.parse(stdout).runs
  if (report?.changes.agenda.create !== 1 || report.changes.speakers.create !== 1)
    throw new Error(`a run of a source from outside came to ${stdout}`)
  const explained = await eventSync('explain', 'spring', 'agenda', String(full.sessions.id))
  if (!explained.stdout.includes('sessions.title')) throw new Error(`explain says:\n${explained.stdout}`)
  await eventSync('sql', 'select source_id, first_name from staging.sessionize_speakers')
  await eventSync('verify', 'out/spring')
}

/** Checks that `import` and `require` of each entry fail with one sentence. */
async function refusal(run: Run, node: string): Promise<string> {
  for (const entry of ENTRIES) {
    const ways = [
      `import('${entry}').catch(({ message }) => console.log(message))`,
      `try { require('${entry}') } catch ({ message }) { console.log(message) }`,
    ]
    for (const code of ways) {
      const { stdout } = await run(node, ['-e', code])
      if (!/^event-content-sync needs Node 24 or newer as a library, and this is v.*\n$/.test(stdout))
        throw new Error(`${code} says: ${stdout}`)
    }
  }
  return 'a refusal of the library'
}
