import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Served } from '../pipeline/library/contract.ts'
import { packageRoot } from '../pipeline/runtime/package-root.ts'
import { type Loopback, serve } from './harness/loopback.ts'
import { CLI, type Ended, type Started, start } from './pipeline/commands/command-line.ts'
import { blocksOf } from './pipeline/snippets/blocks.ts'
import { exampleA } from './sources/a.ts'
import { exampleB } from './sources/b.ts'
import { recordsOf } from './sources/example.ts'
import { engines } from './support/engines.ts'
import { useOneFolder } from './support/folder.ts'
import { createDatabase, freePort } from './support/postgres.ts'

const FILES = [
  'README.md',
  'pipeline/commands/README.md',
  'loaders/README.md',
  'sql/README.md',
  'sql/queries/README.md',
  'sql/checks/README.md',
  'pipeline/README.md',
  ...globSync(
    '{pipeline,loaders,sql}/{extract,library,worker,run,observe,people,verify,packs,views}/README.md',
    {
      cwd: packageRoot,
    },
  ),
]
/** Exit code on success, for commands whose exit code on success is not 0. */
const CODES: Readonly<Record<string, number>> = { plan: 2, worker: 143, 'serve-database': 143 }
/** Matches commands for the demo that is served in another terminal, where one integration is held. */
const OF_DEMO = / event-sync-demo\//
const CODES_OF_DEMO: typeof CODES = { status: 4 }
/** Matches commands that need PostgreSQL, because the embedded database allows only one run at a time. */
const ON_POSTGRES = / --concurrency /
const ON_EMBEDDED = / serve-database /

const lines = FILES.flatMap((file) =>
  blocksOf(file, readFileSync(join(packageRoot, file), 'utf8'))
    .filter(({ language, text }) => language === 'sh' && !text.includes('OTEL_'))
    .flatMap(({ text, line }) =>
      text.split('\n').map((command, index) => ({ file, line: line + index + 1, command })),
    )
    .filter(({ command }) => command.startsWith('npx --no-install event-sync ')),
)

/**
 * The configuration in README.md. The test replaces the addresses in the configuration by the addresses of
 * its own servers.
 */
const [configuration = ''] = blocksOf('README.md', readFileSync(join(packageRoot, 'README.md'), 'utf8'))
  .filter(({ language }) => language === 'yaml')
  .map(({ text }) => text)

// Each command starts with the files and the database that the commands before it left, as if a reader ran
// all commands from top to bottom.
describe.each(engines)('the commands of the documents, one after the other, on %s', (engine) => {
  const folder = join(useOneFolder(), 'my event')
  const env: Record<string, string> = {
    ...exampleB.env,
    EVENT_SYNC_KEY: Buffer.alloc(32, 7).toString('base64'),
    SOURCE_B_API_KEY: exampleB.env?.API_KEY ?? '',
    SOURCE_B_AUTHENTICATION_SECRET: exampleB.env?.AUTHENTICATION_SECRET ?? '',
  }
  const known: Record<string, string> = {}
  let demo: { readonly served: Started; readonly env: Readonly<Record<string, string>> } | null = null
  let sources: readonly Served[]
  let receiver: Loopback

  beforeAll(async () => {
    const { sessions: session = {}, users: user = {} } = exampleA.full
    const person = { ...user, Id: '4711', EmailAddress: 'grace@example.org', LastName: 'Hopper' }
    sources = await Promise.all([
      exampleA.serve(
        recordsOf(exampleA, {
          sessions: [session, { ...session, Id: '101', Title: 'Welcome' }],
          users: [user, person],
        }),
      ),
      exampleB.serve(recordsOf(exampleB)),
    ])
    receiver = await serve((_, response) => response.end('ok'))
    env.WEBHOOK_URL = receiver.url
    mkdirSync(join(folder, 'models'), { recursive: true })
    writeFileSync(join(folder, 'address.txt'), `${String(user.EmailAddress)}\n`)
    symlinkSync(join(packageRoot, 'sql'), join(folder, 'sql'))
    // The days of evidence are in the future in the documents, so that they stay examples.
    known['--from 2031'] = '--from 2001'
    for (const port of ['8080', '5433']) known[port] = String(await freePort())
    for (const name of ['DATABASE_URL', 'NEW_DATABASE_URL'])
      env[name] = await createDatabase(inject('postgresUrl'))
  })
  afterAll(async () => {
    await Promise.all([...sources, receiver].map(({ close }) => close()))
  })

  /** Serves the demo as long as commands for it follow. */
  async function serveDemoFor(command: string): Promise<void> {
    if (OF_DEMO.test(command) === (demo !== null)) return
    if (demo !== null) {
      demo.served.kill('SIGTERM')
      await demo.served.ended
      demo = null
      return
    }
    const served = begin('npx --no-install event-sync demo --serve')
    while (!served.output.stdout.includes('.yaml plan\n')) await sleep(50)
    const exported = served.output.stdout.matchAll(/^ {2}export (\w+)='(.*)'$/gm)
    demo = { served, env: Object.fromEntries(Array.from(exported, ([, name, value]) => [name, value])) }
  }

  function begin(command: string): Started {
    const words = Object.entries(known).reduce((text, [word, value]) => text.replaceAll(word, value), command)
    const line = words.replace(/^npx --no-install event-sync /, '"$NODE" "$CLI" ')
    // Without `exec`, bash would receive the signals instead of the command.
    return start('bash', ['-c', `exec ${line}`], {
      folder,
      env: { ...env, ...demo?.env, NODE: process.execPath, CLI },
    })
  }

  async function follow(command: string, name: string): Promise<Ended> {
    const started = begin(command)
    if (name === 'worker') {
      await started.seen('worker started')
      started.kill('SIGTERM')
    }
    if (name === 'serve-database') {
      while (!started.output.stdout.includes('until it is stopped')) await sleep(5)
      started.kill('SIGTERM')
    }
    return started.ended
  }

  test('at least the expected number of commands is found in the documents', () => {
    expect(lines.length).toBeGreaterThan(25)
  })

  const ofOther = engine === 'postgres' ? ON_EMBEDDED : ON_POSTGRES
  const takenOn = lines.filter(({ command }) => !ofOther.test(command))
  test.each(takenOn.map(({ file, line, command }) => [`${file}, line ${line}`, command] as const))(
    '%s: %s',
    async (_place, command) => {
      const name = /^npx --no-install event-sync (?:-c \S+ )?(\S+)/.exec(command)?.[1] ?? ''
      await serveDemoFor(command)
      const { code, stdout, stderr } = await follow(command, name)
      const expected = (demo === null ? CODES : CODES_OF_DEMO)[name] ?? 0
      expect({ code, stderr: code === expected ? '' : stderr }).toEqual({ code: expected, stderr: '' })
      // These values stand for placeholders in the documents. A reader copies the value for a placeholder
      // from earlier output, or chooses the value.
      known.HASH = /event-sync (?:-c \S+ )?apply \S+ (\w+)/.exec(stdout)?.[1] ?? known.HASH ?? ''
      if (name === 'runs') known.RUN = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(stdout)?.[0] ?? ''
      const configFile = join(folder, 'event-sync.yaml')
      if (name === 'move')
        writeFileSync(
          configFile,
          `database: env:NEW_DATABASE_URL\n${readFileSync(configFile, 'utf8').replace(/^database: .*\n/m, '')}`,
        )
      if (name === 'init') {
        const [a, b] = sources.map(({ url }) => url)
        const text = configuration
          .replace(/^# (database: \S+).*$/m, engine === 'postgres' ? '$1' : '')
          .replace('https://source-a.example', a ?? '')
          .replace('https://source-b.example', b ?? '')
          .replace('"77"', JSON.stringify(exampleB.source.eventId))
        // The webhook is added for the command `notify`, which needs a receiver.
        writeFileSync(configFile, `${text}\nwebhook: {url: env:WEBHOOK_URL}\n`)
      }
    },
  )
})
