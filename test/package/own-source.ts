import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { full } from '../sources/pretalx/full.ts'
import { servePretalx } from '../sources/pretalx/serve.ts'

const execute = promisify(execFile)
const HERE = dirname(fileURLToPath(import.meta.url))
const ROOT = join(HERE, '..', '..')

/** Runs a program in the folder in which the package is installed. */
type Run = (program: string, args: readonly string[]) => Promise<{ readonly stdout: string }>

/**
 * Uses an installed package as a library, and with the example of a source that the package contains. Checks
 * the types of the code first. Then runs the commands `check`, `run`, `explain` and `sql` with the source, its
 * contract tests, and the library's example.
 *
 * @param node path of the installed Node
 * @param runsItself true if the installed Node can run the package; false if the package needs the Node that
 *   it brings along
 * @returns the steps that worked
 */
export async function useOwnSource(
  folder: string,
  run: Run,
  node: string,
  runsItself: boolean,
): Promise<readonly string[]> {
  const lists = Object.fromEntries(Object.entries(full).map(([name, record]) => [name, [record]]))
  const server = await servePretalx(lists)
  try {
    mkdirSync(join(folder, 'sources'))
    const example = 'node_modules/event-content-sync/pipeline/sources/examples/pretalx.ts'
    copyFileSync(join(folder, example), join(folder, 'sources/pretalx.ts'))
    copyFileSync(join(HERE, 'library-example.ts'), join(folder, 'example.ts'))
    writeFileSync(join(folder, 'contract.ts'), CONTRACT(JSON.stringify(full)))
    const source = {
      type: './sources/pretalx.ts',
      url: server.url,
      eventId: 'spring',
      timeZone: 'Europe/Vienna',
    }
    const integration = { id: 'spring', source, content: ['agenda', 'speakers'], platform: { type: 'jsonl' } }
    writeFileSync(join(folder, 'event-sync.yaml'), JSON.stringify({ integrations: [integration] }))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, type: 'module' }))

    await execute(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder }).catch((error) => {
      throw new Error(`the types of the package do not fit:\n${error.stdout}`)
    })
    await run('event-sync', ['check'])
    const { stdout } = await run('event-sync', ['--json', 'run'])
    const [report] = JSON.parse(stdout).runs
    if (report?.changes.agenda.create !== 1 || report.changes.speakers.create !== 1) {
      throw new Error(`a run of a source from outside came to ${stdout}`)
    }
    const explained = await run('event-sync', ['explain', 'spring', 'agenda', full.submissions.code])
    if (!explained.stdout.includes('submissions.title')) throw new Error(`explain says:\n${explained.stdout}`)
    await run('event-sync', ['sql', 'select source_id, first_name from staging.pretalx_speakers'])
    await run('event-sync', ['verify', 'out/spring'])
    if (!runsItself) {
      const refused = await run(node, [
        '-e',
        "import('event-content-sync').catch(({ message }) => console.log(message))",
      ])
      if (!refused.stdout.startsWith('event-content-sync needs Node 24')) {
        throw new Error(`as a library it says: ${refused.stdout}`)
      }
      return ['a source from outside', 'a refusal as a library']
    }
    for (const entry of ['', '/source', '/testing'])
      await run(node, ['--input-type=commonjs', '-e', `require('event-content-sync${entry}')`])
    await run(node, ['--test', 'contract.ts'])
    const ended = await run(node, ['example.ts'])
    if (ended.stdout.trim() !== 'ended with 0: finished') throw new Error(`the example says ${ended.stdout}`)
    return ['a source from outside', 'its contract', 'the library']
  } finally {
    await server.close()
  }
}

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  },
  include: ['*.ts', 'sources/*.ts'],
}

const CONTRACT = (full: string) => `import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { contractTests, type Records } from 'event-content-sync/testing'
import source from './sources/pretalx.ts'

async function serve(records: Records) {
  let served = records
  const server = createServer(({ url }, response) => {
    const [, list = ''] = /([a-z]+)\\/\\?/.exec(url ?? '') ?? []
    const results = served[list] ?? []
    response.end(JSON.stringify({ count: results.length, next: null, previous: null, results }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: \`http://127.0.0.1:\${port}\`,
    hold: (next: Records) => void (served = next),
    close: async () => void server.close(),
  }
}

const config = { eventId: 'spring', timeZone: 'Europe/Vienna' }
const { tests, close } = contractTests({ source, config, full: ${full}, serve })
for (const { name, run } of tests) test(name, run)
after(close)
`
