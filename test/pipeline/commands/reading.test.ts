import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { CLI, start } from './command-line.ts'
import { startScriptedSource } from './scripted-source.ts'
import { configOfA, integrationOfA, smallEvent } from './small-event.ts'
import { makeWorkspace } from './workspace.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('runs lists the last state of each integration, or the runs of one, the newest first', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure({
    integrations: [integrationOfA('summit', source.url), integrationOfA('other', source.url)],
  })
  expect((await workspace.run('runs', 'summit')).stdout).toBe('no runs yet\n')
  const first = (await workspace.report('run', 'summit')).runs[0]
  const second = (await workspace.report('plan', 'summit')).runs[0]

  const states = await workspace.report('runs')
  expect(states.code).toBe(0)
  expect(states.runs).toEqual([
    {
      integration: 'summit',
      run: second?.run,
      status: 'planned',
      startedAt: expect.stringMatching(TIME),
      lastSuccessAt: expect.stringMatching(TIME),
      secondsSinceSuccess: expect.any(Number),
    },
    {
      integration: 'other',
      run: null,
      status: 'never run',
      startedAt: null,
      lastSuccessAt: null,
      secondsSinceSuccess: null,
    },
  ])
  const listed = await workspace.report('runs', 'summit')
  expect(listed.runs.map(({ run }) => run)).toEqual([second?.run, first?.run])
  expect(listed.runs[1]).toEqual({
    integration: 'summit',
    run: first?.run,
    command: 'run',
    status: 'finished',
    startedAt: expect.stringMatching(TIME),
    finishedAt: expect.stringMatching(TIME),
    planHash: first?.planHash,
  })
  expect((await workspace.report('runs', 'summit', '--limit', '1')).runs).toHaveLength(1)
  const { stdout } = await workspace.run('runs')
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/)[0])).toEqual([
    'integration',
    expect.stringMatching(/^-+$/),
    'summit',
    'other',
    '',
  ])
})

test('show tells one run in full: its report, its times, its reads, and what went wrong', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(source.url))
  const report = (await workspace.report('run')).runs[0]
  const full = JSON.parse((await workspace.run('show', String(report?.run), '--json')).stdout)
  expect(full).toMatchObject({
    ...report,
    command: 'run',
    error: null,
    approvedBy: null,
    productVersion: expect.any(String),
  })
  for (const name of ['startedAt', 'plannedAt', 'appliedAt', 'finishedAt']) expect(full[name]).toMatch(TIME)
  expect(full.resources.map(({ resource }: { resource: string }) => resource)).toEqual([
    'rooms',
    'session_types',
    'sessions',
    'time_slots',
    'tracks',
    'users',
  ])
  expect(full.resources[5]).toMatchObject({
    certified: true,
    elements: 4,
    distinctIds: 4,
    end: 'overlap',
    detail: '',
  })
  const people = await workspace.run('show', String(report?.run))
  expect(people.stdout).toContain('summit: applied, 7 changes')
  expect(people.stdout).toMatch(/\nusers +true +3 +3 +\d+ +4 +4 +overlap\n/)

  source.script = async () => ({ status: 403, body: '{}' })
  const failed = (await workspace.report('run')).runs[0]
  const why = JSON.parse((await workspace.run('show', String(failed?.run), '--json')).stdout)
  expect(why).toMatchObject({ status: 'failed', error: failed?.error })
  expect((await workspace.run('show', String(failed?.run))).stdout).toContain(
    'answered 403: check that the account',
  )
})

describe.each(engines)('sql on %s', (engine) => {
  test('reads from an argument, a file and standard input, as a table, CSV and JSON; nothing can be written', async () => {
    const workspace = await makeWorkspace(engine)
    workspace.configure(configOfA('http://127.0.0.1:9'))
    const query = `select 7 as n, 'a "b", c' as "some text", null as nothing, '=1' as formula;`

    const table = await workspace.run('sql', query)
    expect(table).toEqual({
      code: 0,
      stdout: 'n  some text  nothing  formula\n-  ---------  -------  -------\n7  a "b", c            =1\n',
      stderr: '',
    })
    writeFileSync(join(workspace.folder, 'my query.sql'), `-- a comment\n${query}\n`)
    const csv = await workspace.run('sql', '-f', 'my query.sql', '--format', 'csv')
    expect(csv.stdout).toBe('n,some text,nothing,formula\r\n"7","a ""b"", c",,"\'=1"\r\n')
    const { folder, env } = workspace
    const json = await start(process.execPath, [CLI, 'sql', '--json'], { folder, env, input: query }).ended
    expect(JSON.parse(json.stdout)).toEqual({
      rows: [{ n: 7, 'some text': 'a "b", c', nothing: null, formula: '=1' }],
    })

    const { code, stdout, stderr } = await workspace.run('sql', 'delete from sync.runs')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      'sql only reads: a query begins with select, with, values, table or explain, not with "delete"; nothing was changed\n',
    )
  })

  test('gives values of JSON their kind, and in CSV leaves numbers as they are, texts too with --raw', async () => {
    const workspace = await makeWorkspace(engine)
    workspace.configure(configOfA('http://127.0.0.1:9'))
    const query = `select -5 as n, 9007199254740993 as big, 1.50::numeric as exact, 0.5::float8 as half, 'NaN'::float8 as none,
      true as yes, '{"a": [1, 9007199254740993]}'::jsonb as doc, array['a', 'b,"c"', null] as list, '+1 202' as phone`
    const json = await workspace.run('sql', query, '--json')
    expect(json.stdout).toContain('"doc":{"a": [1, 9007199254740993]}')
    const [row] = JSON.parse(json.stdout).rows
    expect({ ...row, doc: null }).toEqual({
      n: -5,
      big: '9007199254740993',
      exact: '1.50',
      half: 0.5,
      none: 'NaN',
      yes: true,
      doc: null,
      list: ['a', 'b,"c"', null],
      phone: '+1 202',
    })
    const phone = "select -5 as n, '+1 202' as phone"
    const csv = await workspace.run('sql', phone, '--format', 'csv')
    expect(csv.stdout).toBe('n,phone\r\n"-5","\'+1 202"\r\n')
    const raw = await workspace.run('sql', phone, '--format', 'csv', '--raw')
    expect(raw.stdout).toBe('n,phone\r\n"-5","+1 202"\r\n')
  })

  test('says where a query is wrong, with what helps, and that it only reads', async () => {
    const workspace = await makeWorkspace(engine)
    workspace.configure(configOfA('http://127.0.0.1:9'))
    const told = async (query: string) => {
      const { code, stdout, stderr } = await workspace.run('sql', query)
      expect([code, stdout], query).toEqual([1, ''])
      return stderr
    }
    expect(await told('select 1,\n  nme from published.agenda')).toBe(
      [
        'column "nme" does not exist',
        'line 2:   nme from published.agenda',
        '          ^',
        'hint: Perhaps you meant to reference the column "agenda.name".',
        '',
      ].join('\n'),
    )
    expect(await told('select * from agenda')).toContain('hint: for readers there are published.agenda,')
    expect(await told('select 1 from published.agenda where unique_id = 7')).toContain('hint: ids are text')
    expect(await told('select 1; select 2')).toBe('one statement at a time\n')
    expect(await told('with gone as (delete from sync.runs returning 1) select 1')).toContain(
      'sql only reads',
    )
    expect(await told('\\d+ published.agenda')).toContain('is a command of psql')
    const plan = await workspace.run('sql', 'explain select * from published.runs')
    expect([plan.code, plan.stdout.split('\n')[0]]).toEqual([0, 'QUERY PLAN'])
    const none = await workspace.run('sql', 'select 1 as one where false')
    expect(none).toEqual({ code: 0, stdout: 'one\n---\n', stderr: '(0 rows)\n' })
  })
})

test('sql refuses whatever would write', async () => {
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA('http://127.0.0.1:9'))
  expect((await workspace.run('runs')).code).toBe(0)
  const queries = [
    "insert into sync.integrations values ('x')",
    'with gone as (delete from sync.runs returning 1) select * from gone',
    'select 1; drop schema sync cascade',
    'select 1; commit; drop schema sync cascade',
    "select set_config('transaction_read_only', 'off', true), lo_create(0)",
  ]
  await Promise.all(
    queries.map(async (query) => {
      const { code, stdout, stderr } = await workspace.run('sql', query)
      expect([code, stdout], query).toEqual([1, ''])
      expect(stderr, query).not.toBe('')
    }),
  )
  expect(await workspace.rows("select to_regclass('sync.runs') is not null as there")).toEqual([
    { there: true },
  ])
  expect(await workspace.rows('select count(*)::int as n from pg_largeobject_metadata')).toEqual([{ n: 0 }])
})

test('a reader that goes away, such as head, ends the query quietly', async () => {
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA('http://127.0.0.1:9'))
  const { folder, env } = workspace
  const script = '"$0" "$1" sql "select generate_series(1, 1000000)" --format csv | head -1; echo $PIPESTATUS'
  const { stdout, stderr } = await start('bash', ['-c', script, process.execPath, CLI], { folder, env }).ended
  expect({ stdout, stderr }).toEqual({ stdout: 'generate_series\r\n0\n', stderr: '' })
})

test('a long result comes in one CSV, one JSON object and one table', async () => {
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA('http://127.0.0.1:9'))
  const query = 'select n from generate_series(1, 2500) as n'
  const json = await workspace.run('sql', query, '--json')
  expect(JSON.parse(json.stdout).rows.map(({ n }: { n: string }) => Number(n))).toEqual(
    Array.from({ length: 2500 }, (_, index) => index + 1),
  )
  const none = await workspace.run('sql', 'select 1 as n where false', '--json')
  expect(JSON.parse(none.stdout)).toEqual({ rows: [] })
  const csv = await workspace.run('sql', query, '--format', 'csv')
  expect(csv.stdout.split('\r\n')).toHaveLength(2502)
  const table = await workspace.run('sql', query)
  expect(table.stdout.split('\n').filter((line) => line.startsWith('-'))).toHaveLength(1)
})
