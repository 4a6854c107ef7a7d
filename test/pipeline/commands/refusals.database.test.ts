import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInProcess } from './in-process.ts'
import { startScriptedSource } from './scripted-source.ts'
import { configOfA, integrationOfA, runIds, smallCounts, smallEvent } from './small-event.ts'
import { startPlatform, useSmallWorkspace, workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace } from './workspace.ts'

const place = useSmallWorkspace()

test.each<[what: string, args: readonly string[], message: string]>([
  ['no command', [], 'Usage: event-sync'],
  ['an unknown option', ['run', '--force'], "unknown option '--force'"],
  ...[
    ['run', 'nosuch'],
    ['apply', 'nosuch', 'f'],
    ['check', 'nosuch'],
    ['explain', 'nosuch', 'agenda', '1'],
    ['runs', 'nosuch'],
    ['worker', 'nosuch'],
    ['schedule', '--now', 'nosuch'],
  ].map((args): [string, string[], string] => [
    `an unknown integration of ${args[0]}`,
    args,
    'there is no integration "nosuch" in the configuration; its integrations are: summit',
  ]),
  ['a --sample that is not a number', ['plan', '--sample', 'all'], 'It must be a whole number, 0 or more'],
  ['an unknown content', ['plan', '--content', 'agenda,people'], '"people" is none of agenda, speakers, att'],
  [
    'an unknown content of explain',
    ['explain', 'summit', 'rooms', '1'],
    '"rooms" is not a content; give one of: agenda, ',
  ],
  [
    'a --limit that is not a number',
    ['runs', 'summit', '--limit', 'all'],
    'It must be a whole number, 1 or more',
  ],
  ['a text that is not a run id', ['show', 'latest'], '"latest" is not the id of a run'],
  ['an unknown run', ['show', runIds[0]], `there is no run ${runIds[0]}`],
  [
    'a --run-id that is not a UUID',
    ['run', '--run-id', '7'],
    '--run-id 7 is not a UUID of version 7; leave it out, or give one',
  ],
  [
    'an unknown format',
    ['sql', '--format', 'xml', 'select 1'],
    '--format: expected table, csv or json, got "xml"',
  ],
  ['no query', ['sql'], 'there is no query'],
  ['two queries', ['sql', 'select 1', '-f', 'my.sql'], 'there are two queries, an argument and -f; give one'],
  [
    'a missing query file',
    ['sql', '-f', 'nosuch.sql'],
    'nosuch.sql cannot be read (ENOENT: no such file or directory)',
  ],
  ['a --concurrency of 0', ['worker', '--concurrency', '0'], 'It must be a whole number, from 1 to 100'],
  ['a missing configuration', ['-c', 'nosuch.yaml', 'runs'], 'nosuch.yaml does not exist'],
])('wrong usage ends with 64 and a message on standard error: %s', async (_, args, message) => {
  const { folder, env } = place().workspace
  const { code, stdout, stderr } = await runInProcess(args, { folder, env })
  expect([code, stdout, stderr]).toEqual([64, '', expect.stringContaining(message)])
})

test('with --json an error is printed as an object with the key `error`, and its text has no prefix "error:"', async () => {
  const { code, stdout, stderr } = await place().workspace.run('run', '--json', '--force')
  expect(stderr).toBe("error: unknown option '--force'\n")
  expect([code, JSON.parse(stdout)]).toEqual([64, { error: "unknown option '--force'" }])
})

test('if the signing key is wrong or the platform token is missing, a command ends with exit code 64 before it reads the source', async () => {
  const workspace = await makeWorkspace('postgres')
  workspace.configure({ ...configOfA('http://127.0.0.1:9'), audit: { signingKey: 'env:SIGNING_KEY' } })
  workspace.env.SIGNING_KEY = 'not a key'
  const unsigned = await workspace.run('run')
  expect(unsigned.code).toBe(64)
  expect(unsigned.stderr).toContain('the secret env:SIGNING_KEY is not an Ed25519 private key in PEM')
  expect(unsigned.stderr).not.toContain('not a key')

  const at = { url: 'https://platform.example', eventId: '1' }
  const platform = { type: 'http', ...at, token: 'env:PLATFORM_TOKEN' }
  workspace.configure(configOfA('http://127.0.0.1:9', { platform, passwords: { mode: 'none' } }))
  const { code, runs, stderr } = await workspace.report('run')
  expect(stderr).toContain('summit: platform.token of summit: the secret env:PLATFORM_TOKEN does not exist')
  expect(code).toBe(64)
  expect(runs).toMatchObject([{ run: null, status: 'refused' }])
  expect(await workspace.rows('select count(*)::int as n from sync.runs')).toEqual([{ n: 0 }])
})

test('run refuses with exit code 64 a run id that is not later than the last run id, and a changed source event', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  expect((await workspace.run('run', '--run-id', runIds[0])).code).toBe(0)
  const early = await workspace.run('run', '--run-id', runIds[0])
  expect([early.code, early.stderr]).toEqual([64, expect.stringContaining('does not come after')])
  workspace.configure(configOfA(source.url, { source: { type: 'a', url: source.url, eventId: '4343' } }))
  for (const command of ['run', 'plan']) {
    const { code, stderr } = await workspace.run(command)
    expect(code).toBe(64)
    expect(stderr).toContain(
      'integration summit was bound to source.eventId "4242", and the configuration now has "4343"',
    )
  }
  expect((await workspace.run('run', '--rebind')).code).toBe(0)
})

test('without --rebind, run and plan refuse with exit code 64 a platform event to which another integration writes', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  const platform = await startPlatform(workspace)
  const { url, eventId } = platform
  const configure = (id: string) =>
    workspace.configure({
      integrations: [
        integrationOfA(id, source.url, {
          // The integration expo has the same source event as summit, so expo could be a new id of summit.
          source: { type: 'a', url: source.url, eventId: id === 'expo' ? '4243' : '4242' },
          platform: platform.config(100),
          passwords: { mode: 'none' },
        }),
      ],
    })
  configure('summit')
  expect((await workspace.run('run')).code).toBe(0)
  configure('expo')
  for (const command of ['run', 'plan']) {
    const { code, stderr } = await workspace.run(command)
    expect(code).toBe(64)
    expect(stderr).toContain(
      `integration expo may not write to event "${eventId}" of ${url}: summit already wrote there`,
    )
  }
  const status = async () => {
    const { code, stdout } = await workspace.run('status', '--json')
    return [code, JSON.parse(stdout).integrations[0].next]
  }
  expect(await status()).toEqual([1, 'event-sync run expo --rebind'])
  const checked = await workspace.run('check', '--json')
  expect(JSON.parse(checked.stdout).checks).toContainEqual(
    expect.objectContaining({
      rule: 'ledger',
      status: 'failed',
      seen: expect.stringContaining('summit already wrote there'),
    }),
  )
  expect((await workspace.report('plan', '--rebind')).runs[0]?.notes).toEqual([
    'expo is not bound yet, so --rebind changes no binding',
    'expo would take over the platform event of summit, which is then refused',
  ])
  const taken = await workspace.report('run', '--rebind')
  expect(taken.code).toBe(0)
  for (const counts of Object.values(taken.runs[0]?.changes ?? {}))
    expect(counts).toMatchObject({ create: 0 })
  expect((await status())[0]).toBe(0)
  configure('summit')
  expect((await workspace.run('run')).code).toBe(64)
  expect(await status()).toEqual([1, 'event-sync run summit --rebind'])
})

test('without --fresh, run and plan refuse with exit code 64 an output folder with packs that the database does not know', async () => {
  const source = await startScriptedSource(smallEvent)
  const [first, second] = [await makeWorkspace('postgres'), await makeWorkspace('postgres')]
  const output = join(first.folder, 'out')
  first.configure(configOfA(source.url))
  second.configure({ ...configOfA(source.url), output })
  expect((await first.run('run')).code).toBe(0)
  for (const command of ['run', 'plan']) {
    const { code, stderr } = await second.run(command)
    expect(code).toBe(64)
    expect(stderr).toMatch(/this database has no run of summit, but the packs in .* end at run .*`--fresh`/)
  }
  const fresh = await second.report('run', '--fresh')
  expect(fresh.code).toBe(0)
  expect(fresh.runs[0]?.changes).toEqual(smallCounts)
})

test('a failed read ends with exit code 1, names the page and says "safe to run again" [spec 4 p4, spec 7 p1, R2]', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  source.script = async ({ resource, skip }) =>
    resource === 'Users' && skip > 0
      ? { status: 200, body: '{"Message":"ada@people.example may not"}' }
      : null
  const { code, runs, stderr } = await workspace.report('run')
  expect(code).toBe(1)
  expect(runs[0]).toMatchObject({ status: 'failed', certified: false, planHash: null, output: null })
  expect(runs[0]?.error).toMatch(
    /^extract failed: source a, users, page 2: an object where an array is due: "Message": check that source\.url .*\nplatform untouched; safe to run again$/,
  )
  expect(stderr).toContain('platform untouched; safe to run again')
  expect(workspace.files('out')).toEqual(['index.html'])
  source.script = async () => null
  expect((await workspace.report('run')).runs[0]?.changes).toEqual(smallCounts)
})

test('if the output folder cannot be written, run and apply end with exit code 1 before they send anything', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  const good = configOfA(source.url)
  // Even root cannot create a folder below a file.
  writeFileSync(join(workspace.folder, 'file'), '')
  const bad = { ...good, output: './file/out' }
  workspace.configure(good)
  const planHash = String((await workspace.report('plan')).runs[0]?.planHash)

  workspace.configure(bad)
  for (const args of [['run'], ['apply', 'summit', planHash]]) {
    const { code, runs } = await workspace.report(...args)
    expect(code).toBe(1)
    expect(runs[0]?.error).toContain('cannot be written (ENOTDIR: not a directory: ')
    expect(runs[0]?.error).toContain('platform untouched')
    expect(runs[0]?.error).not.toContain('possibly')
  }
  mkdirSync(join(workspace.folder, 'out'), { recursive: true })
  workspace.configure(good)
  expect((await workspace.report('apply', 'summit', planHash)).runs[0]?.changes).toEqual(smallCounts)
})
