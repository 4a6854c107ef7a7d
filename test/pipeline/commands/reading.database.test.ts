import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { CLI, start } from './command-line.ts'
import { runInProcess } from './in-process.ts'
import { startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { useSmallWorkspace, workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace } from './workspace.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('runs lists the last state of each integration, or all runs of one integration, newest first [spec 3 p1]', async () => {
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
  const [last, never] = states.runs
  expect(last).toEqual({
    integration: 'summit',
    run: second?.run,
    status: 'planned',
    exitCode: 0,
    changes: 0,
    reason: null,
    pinned: null,
    startedAt: expect.stringMatching(TIME),
    lastSuccessAt: expect.stringMatching(TIME),
    secondsSinceSuccess: expect.any(Number),
  })
  const nothing = Object.fromEntries(Object.keys(last ?? {}).map((key) => [key, null]))
  expect(never).toEqual({ ...nothing, integration: 'other', status: 'never run' })
  const listed = await workspace.report('runs', 'summit')
  expect(listed.runs.map(({ run }) => run)).toEqual([second?.run, first?.run])
  expect(listed.runs[1]).toEqual({
    integration: 'summit',
    run: first?.run,
    command: 'run',
    status: 'finished',
    exitCode: 0,
    changes: expect.any(Number),
    reason: null,
    pinned: null,
    startedAt: expect.stringMatching(TIME),
    finishedAt: expect.stringMatching(TIME),
    planHash: first?.planHash,
  })
  expect((await workspace.report('runs', 'summit', '--limit', '1')).runs).toHaveLength(1)
  expect((await workspace.run('runs')).stdout).toMatch(/^integration .*\n-+ .*\nsummit .*\nother .*\n$/)
})

test('runs shows the status, the exit code and the reason of each run', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  await workspace.run('run')
  const { Users = [] } = smallEvent
  source.records = { ...smallEvent, Users: [...Users, { FirstName: 'of no id' }] }
  await workspace.run('run')
  source.records = { ...smallEvent, Users: [] }
  await workspace.run('run')
  source.script = async () => ({ status: 404, body: '' })
  await workspace.run('run')
  const { runs } = JSON.parse((await workspace.run('runs', 'summit', '--json')).stdout)
  expect(
    runs.map(({ status, exitCode, reason }: Record<string, unknown>) => [status, exitCode, reason]),
  ).toEqual([
    ['failed', 1, expect.stringMatching(/^extract failed: source a, /)],
    [
      'held',
      4,
      expect.stringMatching(
        /^1 of 1 speaker and 4 of 4 attendees would disappear from the app; .*; emptied: users had /,
      ),
    ],
    ['finished', 3, '1 record could not be read'],
    ['finished', 0, null],
  ])
  const { stdout } = await workspace.run('show', String(runs[2].run))
  expect(stdout).toContain('confirmed')
})

test('show prints everything about one run: its report, its times, its reads and its error [spec 4 p3, R63]', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  // The product measures the times of steps only in the process, and does not store them in the ledger.
  const { runs } = await workspace.report('run')
  const [report] = runs.map(({ steps: _, ...rest }) => rest)
  const full = JSON.parse((await workspace.run('show', String(report?.run), '--json')).stdout)
  expect(full).toMatchObject({
    ...report,
    command: 'run',
    error: null,
    approvedBy: null,
    productVersion: expect.any(String),
  })
  for (const name of ['startedAt', 'plannedAt', 'appliedAt', 'finishedAt']) expect(full[name]).toMatch(TIME)
  const resources: readonly { readonly resource: string }[] = full.resources
  const names = resources.map(({ resource }) => resource).join(' ')
  expect(names).toBe('rooms session_types sessions time_slots tracks users')
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
  const place = useSmallWorkspace(engine)
  const sql = (...args: readonly string[]) => place().workspace.run('sql', ...args)

  test('sql reads a query from an argument, a file or standard input, and prints a table, CSV or JSON; a query cannot write', async () => {
    const query = `select 7 as n, 'a "b", c' as "some text", null as nothing, '=1' as formula;`

    const table = await sql(query)
    expect(table).toEqual({
      code: 0,
      stdout: 'n  some text  nothing  formula\n-  ---------  -------  -------\n7  a "b", c            =1\n',
      stderr: '',
    })
    writeFileSync(join(place().workspace.folder, 'my query.sql'), `-- a comment\n${query}\n`)
    const csv = await sql('-f', 'my query.sql', '--format', 'csv')
    expect(csv.stdout).toBe('"n","some text","nothing","formula"\r\n"7","a ""b"", c",,"\'=1"\r\n')
    const { folder, env } = place().workspace
    const json = await runInProcess(['sql', '--json'], { folder, env, input: query })
    expect(JSON.parse(json.stdout)).toEqual({
      rows: [{ n: 7, 'some text': 'a "b", c', nothing: null, formula: '=1' }],
    })

    const { code, stdout, stderr } = await sql('delete from sync.runs')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      'sql only reads: a query begins with select, with, values, table or explain, not with "delete"; nothing was changed\n',
    )
  })

  test('sql keeps the types in JSON; in CSV, numbers are unchanged and formulas are escaped unless --raw is given', async () => {
    const query = `select -5 as n, 9007199254740993 as big, 1.50::numeric as exact, 0.5::float8 as half, 'NaN'::float8 as none,
      true as yes, '{"a": [1, 9007199254740993]}'::jsonb as doc, array['a', 'b,"c"', null] as list, '+1 202' as phone`
    const json = await sql(query, '--json')
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
    const phone = `select -5 as n, '+1 202' as "=phone, ""home"""`
    const csv = await sql(phone, '--format', 'csv')
    expect(csv.stdout).toBe('"n","\'=phone, ""home"""\r\n"-5","\'+1 202"\r\n')
    const raw = await sql(phone, '--format', 'csv', '--raw')
    expect(raw.stdout).toBe('"n","=phone, ""home"""\r\n"-5","+1 202"\r\n')
  })

  test('sql prints a long result as one CSV, one JSON object or one table', async () => {
    const query = 'select n from generate_series(1, 2500) as n'
    const json = await sql(query, '--json')
    expect(JSON.parse(json.stdout).rows.at(-1)).toEqual({ n: 2500 })
    const csv = await sql(query, '--format', 'csv')
    expect(csv.stdout.split('\r\n')).toHaveLength(2502)
    const table = await sql(query)
    expect(table.stdout.split('\n').filter((line) => line.startsWith('-'))).toHaveLength(1)
  })

  test('sql shows where a query is wrong, gives a hint, and refuses statements that write', async () => {
    const told = async (query: string) => {
      const { code, stdout, stderr } = await sql(query)
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
    expect(await told('select * from agenda')).toContain('hint: query published.agenda,')
    expect(await told('select 1 from published.agenda where unique_id = 7')).toContain('hint: ids are text')
    // A value that the query does not contain may be personal data, so the message hides it.
    const value = "select nullif(repeat('Ada', 2), '')::int"
    expect(await told(value)).toMatch(/^invalid input syntax for type integer: "…"\n(?!hint)/)
    expect(await told("select 1 from published.agenda where speaker_ids = 'u1'")).toContain(
      "hint: to search a list, write '70325' = any (speaker_ids)",
    )
    for (const query of ['select 1; select 2', 'select 1; commit; drop schema sync cascade'])
      expect(await told(query)).toBe('only one statement at a time is allowed\n')
    expect(await told('with gone as (delete from sync.runs returning 1) select 1')).toContain(
      'sql only reads',
    )
    await told("select set_config('transaction_read_only', 'off', true), lo_create(0)")
    const made = await sql('select count(*)::int as n from pg_largeobject_metadata', '--json')
    expect(JSON.parse(made.stdout)).toEqual({ rows: [{ n: 0 }] })
    expect(await told('\\d+ published.agenda')).toContain('is a psql command')
    const plan = await sql('explain select * from published.runs')
    expect([plan.code, plan.stdout.split('\n')[0]]).toEqual([0, 'QUERY PLAN'])
    const none = 'select 1 as one where false'
    expect(await sql(none)).toEqual({
      code: 0,
      stdout: 'one\n---\n',
      stderr: '(0 rows)\n',
    })
    expect(JSON.parse((await sql(none, '--json')).stdout)).toEqual({ rows: [] })
  })
})

test('sql ends without an error if the program that reads its output ends early, for example head', async () => {
  const { folder, env } = (await workspaceOfSmallEvent()).workspace
  const script = '"$0" "$1" sql "select generate_series(1, 1000000)" --format csv | head -1; echo $PIPESTATUS'
  const { stdout, stderr } = await start('bash', ['-c', script, process.execPath, CLI], { folder, env }).ended
  expect({ stdout, stderr }).toEqual({ stdout: '"generate_series"\r\n0\n', stderr: '' })
})
