import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startScriptedSource } from './scripted-source.ts'
import { configOfA, runIds, smallCounts, smallEvent } from './small-event.ts'
import { makeWorkspace } from './workspace.ts'

test('wrong usage ends with 64 and says what is wrong, on standard error', async () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['no command', [], 'Usage: event-sync'],
    ['an unknown command', ['sync'], "unknown command 'sync'"],
    ['an unknown option', ['run', '--force'], "unknown option '--force'"],
    ['an argument too few', ['apply', 'summit'], "missing required argument 'plan-hash'"],
    [
      'an unknown integration to run',
      ['run', 'nosuch'],
      'there is no integration "nosuch" in the configuration; there are: summit',
    ],
    ['an unknown integration to apply', ['apply', 'nosuch', 'f'], 'there is no integration "nosuch"'],
    ['an unknown integration to list', ['runs', 'nosuch'], 'there is no integration "nosuch"'],
    ['a limit that is no count', ['runs', 'summit', '--limit', 'all'], 'It must be a whole number from 1'],
    ['what is no run', ['show', 'latest'], '"latest" is not the id of a run'],
    ['an unknown run', ['show', runIds[0]], `there is no run ${runIds[0]}`],
    ['a run id that is none', ['run', '--run-id', '7'], '--run-id 7 is not a UUID of version 7'],
    [
      'an unknown format',
      ['sql', '--format', 'xml', 'select 1'],
      '--format xml is none of table, csv and json',
    ],
    ['no query', ['sql'], 'there is no query'],
    [
      'two queries',
      ['sql', 'select 1', '-f', 'my.sql'],
      'there are two queries, an argument and -f; give one',
    ],
    ['a query file that is not there', ['sql', '-f', 'nosuch.sql'], 'nosuch.sql cannot be read (ENOENT)'],
    ['a worker of an unknown integration', ['worker', 'nosuch'], 'there is no integration "nosuch"'],
    [
      'an unknown integration to make due',
      ['schedule', '--now', 'nosuch'],
      'there is no integration "nosuch"',
    ],
    ['a count that is none', ['worker', '--concurrency', '0'], 'It must be a whole number from 1 to 100'],
    ['a configuration that is not there', ['-c', 'nosuch.yaml', 'runs'], 'nosuch.yaml is not there'],
  ]
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA('http://127.0.0.1:9'))
  await Promise.all(
    cases.map(async ([what, args, message]) => {
      const { code, stdout, stderr } = await workspace.run(...args)
      expect(stderr, what).toContain(message)
      expect([code, stdout], what).toEqual([64, ''])
    }),
  )
})

test('a bad configuration ends with 64 and every mistake with its line, before anything is read or written', async () => {
  const workspace = await makeWorkspace('postgres')
  writeFileSync(
    join(workspace.folder, 'event-sync.yaml'),
    `integrations:
  - id: Summit
    source: {type: a, url: ftp://source.example, eventId: 1}
    platform: {type: jsonl}
    colour: red
`,
  )
  const { code, stderr } = await workspace.run('run')
  expect(code).toBe(64)
  const mistakes = stderr.split('\n').filter((line) => /^ {2}line \d/.test(line))
  expect(mistakes).toEqual([
    expect.stringMatching(/^ {2}line 2, integrations\[0\]\.id: /),
    expect.stringMatching(/^ {2}line 3, integrations\[0\]\.source\.url: /),
    expect.stringMatching(/^ {2}line 5, integrations\[0\]\.colour: unknown key/),
  ])
  expect(workspace.files()).toEqual(['event-sync.yaml'])
})

test('a signing key of another kind is refused with 64, before anything is read or written, and not quoted', async () => {
  const workspace = await makeWorkspace('postgres')
  workspace.configure({ ...configOfA('http://127.0.0.1:9'), audit: { signingKey: 'env:SIGNING_KEY' } })
  workspace.env.SIGNING_KEY = 'not a key'
  const ended = await workspace.run('run')
  expect(ended.code).toBe(64)
  expect(ended.stderr).toContain(
    'audit.signingKey: the secret env:SIGNING_KEY is no Ed25519 private key in PEM',
  )
  expect(ended.stderr).not.toContain('not a key')
})

test('a platform whose token is missing is refused with 64, before anything is read or written', async () => {
  const workspace = await makeWorkspace('postgres')
  const platform = {
    type: 'http',
    url: 'https://platform.example',
    eventId: '1',
    token: 'env:PLATFORM_TOKEN',
  }
  workspace.configure(configOfA('http://127.0.0.1:9', { platform, passwords: { mode: 'none' } }))
  for (const command of ['plan', 'run']) {
    const { code, runs, stderr } = await workspace.report(command)
    expect(stderr).toContain('summit: platform.token of summit: the secret env:PLATFORM_TOKEN is not there')
    expect(code).toBe(64)
    expect(runs).toMatchObject([{ run: null, status: 'refused' }])
  }
  expect(await workspace.rows('select count(*)::int as n from sync.runs')).toEqual([{ n: 0 }])
})

test('with --json a refusal is one JSON object too', async () => {
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA('http://127.0.0.1:9'))
  const { code, stdout } = await workspace.run('--json', 'run', 'nosuch')
  expect(JSON.parse(stdout)).toEqual({
    error: 'there is no integration "nosuch" in the configuration; there are: summit',
  })
  expect(code).toBe(64)
})

test('another source or event is refused with 64, each time, until --rebind', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  expect((await workspace.run('run')).code).toBe(0)
  workspace.configure(configOfA(source.url, { source: { type: 'a', url: source.url, eventId: '4343' } }))
  for (const command of ['run', 'plan', 'run']) {
    const { code, stderr } = await workspace.run(command)
    expect(code).toBe(64)
    expect(stderr).toContain('integration summit was bound to source_event_id "4242", now it is "4343"')
  }
  expect((await workspace.run('run', '--rebind')).code).toBe(0)
  expect((await workspace.run('run')).code).toBe(0)
})

test('packs that the database does not know are refused with 64, each time, until --fresh', async () => {
  const source = await startScriptedSource(smallEvent)
  const [first, second] = [await makeWorkspace('postgres'), await makeWorkspace('postgres')]
  const output = join(first.folder, 'out')
  first.configure(configOfA(source.url))
  second.configure({ ...configOfA(source.url), output })
  expect((await first.run('run')).code).toBe(0)
  for (const command of ['run', 'run', 'plan']) {
    const { code, stderr } = await second.run(command)
    expect(code).toBe(64)
    expect(stderr).toContain('holds packs of summit that this database does not know')
  }
  const fresh = await second.report('run', '--fresh')
  expect(fresh.code).toBe(0)
  expect(fresh.runs[0]?.changes).toEqual(smallCounts)
  expect((await second.run('run')).code).toBe(0)
})

test('a run id that does not come after the last run is refused with 64', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  expect((await workspace.run('run', '--run-id', runIds[1])).code).toBe(0)
  for (const id of [runIds[0], runIds[1]]) {
    const { code, stderr } = await workspace.run('run', '--run-id', id)
    expect(code).toBe(64)
    expect(stderr).toContain('does not come after')
  }
})

test('a read that fails ends with 1 and says where, and that it is safe to run again', async () => {
  const source = await startScriptedSource(smallEvent)
  source.script = async ({ resource, skip }) =>
    resource === 'Users' && skip > 0
      ? { status: 200, body: '{"Message":"ada@people.example may not"}' }
      : null
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  const { code, runs, stderr } = await workspace.report('run')
  expect(code).toBe(1)
  expect(runs[0]).toMatchObject({ status: 'failed', certified: false, planHash: null, output: null })
  // The source's name is still to come: conventions.md has "source a, users, page 12".
  expect(runs[0]?.error).toMatch(
    /^extract failed: source a, users, page 2: an object where an array is due: "Message"\nplatform untouched; safe to run again$/,
  )
  expect(stderr).toContain('platform untouched; safe to run again')
  expect(workspace.files('out')).toEqual([])
  const plain = await workspace.run('run')
  expect([plain.code, plain.stdout]).toEqual([1, ''])
  source.script = async () => null
  expect((await workspace.report('run')).runs[0]?.changes).toEqual(smallCounts)
})

test('an output folder that cannot be written fails before anything is applied, with 1', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  const good = configOfA(source.url)
  // A folder below a file cannot be made, not even by root.
  writeFileSync(join(workspace.folder, 'file'), '')
  const bad = { ...good, output: './file/out' }
  workspace.configure(good)
  const planHash = String((await workspace.report('plan')).runs[0]?.planHash)

  workspace.configure(bad)
  for (const args of [['run'], ['apply', 'summit', planHash]]) {
    const { code, runs } = await workspace.report(...args)
    expect(code).toBe(1)
    expect(runs[0]?.error).toContain('cannot be written (ENOTDIR)')
    expect(runs[0]?.error).toContain('platform untouched')
    expect(runs[0]?.error).not.toContain('possibly')
  }
  expect(
    await workspace.rows("select count(*)::text as n from sync.runs where status in ('applying', 'applied')"),
  ).toEqual([{ n: '0' }])

  mkdirSync(join(workspace.folder, 'out'))
  workspace.configure(good)
  expect((await workspace.report('apply', 'summit', planHash)).runs[0]?.changes).toEqual(smallCounts)
})

test('a database that cannot be used ends with 1 and says which', async () => {
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA('http://127.0.0.1:9'))
  workspace.env.DATABASE_URL = 'postgres://user:secret-of-the-database@localhost:9/x'
  const { code, stderr } = await workspace.run('run')
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^the database of env:DATABASE_URL cannot be used: connect ECONNREFUSED .*; platform untouched\n$/,
  )
})
