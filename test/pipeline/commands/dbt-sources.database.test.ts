import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { STATES_BY_NEED } from '../../../pipeline/inspect/state.ts'
import type { DbtSources } from '../../../pipeline/schemas/setup.ts'
import { ACTIONS } from '../../../sql/tables.ts'
import { useSmallWorkspace } from './small-workspace.ts'

const place = useSmallWorkspace()
const dbtSources = (...options: readonly string[]) => place().workspace.run('dbt-sources', ...options)

/** Returns the tables of `sources.yml` that are views or tables of the database, and those for freshness. */
function split({ sources }: DbtSources) {
  const tables = sources.flatMap(({ schema, tables }) => tables.map((table) => ({ ...table, schema })))
  return Object.groupBy(tables, ({ identifier }) => (identifier === undefined ? 'relations' : 'freshness'))
}

test.each([
  [[], ['published']],
  [['--staging'], ['published', 'staging']],
])('dbt-sources %j prints every table, view and column of the schemas %j', async (options, schemas) => {
  const { code, stdout, stderr } = await dbtSources(...options)
  expect([code, stderr]).toEqual([0, ''])
  const parsed: DbtSources = parse(stdout)
  expect(parsed.version).toBe(2)
  expect(parsed.sources.map(({ name, schema }) => [name, schema])).toEqual(
    schemas.map((name) => [name, name]),
  )
  const told = (split(parsed).relations ?? []).flatMap(({ schema, name, columns = [] }) =>
    columns.map((column) => `${schema}.${name}.${column.name} ${column.data_type}`),
  )
  const there = await place().workspace.rows(`
    select table_schema || '.' || table_name || '.' || attname || ' ' || format_type(atttypid, atttypmod) as column
    from information_schema.tables
    join pg_attribute on attrelid = format('%I.%I', table_schema, table_name)::regclass and attnum > 0
    where table_schema = any ('{${schemas.join()}}')`)
  expect(there.length).toBeGreaterThan(100)
  expect(told.toSorted()).toEqual(there.map(({ column }) => String(column)).toSorted())
})

test('every table and column has a description, and columns with personal data are marked', async () => {
  const parsed: DbtSources = parse((await dbtSources('--staging')).stdout)
  const tables = split(parsed).relations ?? []
  const columns = tables.flatMap(({ schema, name, columns = [] }) =>
    columns.map((column) => ({ ...column, at: `${schema}.${name}.${column.name}` })),
  )
  for (const { description } of [...parsed.sources, ...tables, ...columns]) {
    expect(description.length).toBeGreaterThan(2)
    // The tool dbt renders descriptions as Jinja templates, so descriptions must not contain Jinja syntax.
    expect(description).not.toMatch(/\{[{%#]|Personal\./)
  }
  const personal = columns.filter(({ config }) => config?.meta.personal === true).map(({ at }) => at)
  expect(personal).toEqual(
    expect.arrayContaining([
      'published.attendees.email_address',
      'published.attendees_by_run.email_address',
      'published.changes.before',
      'staging.a_users.doc',
      'staging.b_registrants.mobile_phone',
    ]),
  )
  expect(personal).not.toContain('published.agenda.name')
  expect(columns.filter(({ config }) => config !== undefined)).toHaveLength(personal.length)
})

const CONTENT = ['agenda', 'speakers', 'attendees']

test('the tests for dbt are the keys, values and references of the dictionary', async () => {
  const parsed: DbtSources = parse((await dbtSources()).stdout)
  const tables = split(parsed).relations ?? []
  const keys = tables.flatMap(({ name, data_tests = [] }) =>
    data_tests.flatMap(({ unique }) =>
      unique === undefined ? [] : [[name, argumentsOf(unique).column_name]],
    ),
  )
  const both = (column: string) => `jsonb_build_array(integration_id, ${column})`
  expect(Object.fromEntries(keys)).toEqual({
    actions: both('action_id'),
    agenda: both('unique_id'),
    attendee_sessions: both('attendee_id, session_id'),
    attendees: both('unique_id'),
    changes: both('run_id, content, unique_id, field'),
    integrations: 'integration_id',
    load_results: both('run_id, seq'),
    purged_runs: both('run_id'),
    runs: both('run_id'),
    session_speakers: both('session_id, speaker_id'),
    speakers: both('unique_id'),
  })
  const values = tables.flatMap(({ name, columns = [] }) =>
    columns.flatMap(({ name: column, data_tests = [] }) =>
      data_tests.flatMap(({ accepted_values: test }) =>
        test === undefined ? [] : [[`${name}.${column}`, argumentsOf(test).values]],
      ),
    ),
  )
  expect(Object.fromEntries(values)).toEqual({
    'actions.action': ACTIONS,
    'changes.action': ['create', 'update', 'handover', 'remove'],
    'changes.content': CONTENT,
    'decisions.content': CONTENT,
    'decisions.decision': ['synced', 'excluded', 'quarantined'],
    'integrations.last_run_status': [
      ...['running', 'planned', 'held', 'applying', 'applied', 'finished', 'failed', 'abandoned'],
    ],
    'integrations.state': expect.arrayContaining([...STATES_BY_NEED]),
    'load_results.content': CONTENT,
    'load_results.op': ['upsert', 'remove'],
  })
  const references = tables.flatMap(({ name, data_tests = [] }) =>
    data_tests.flatMap(({ relationships: test }) =>
      test === undefined ? [] : [[name, ...Object.values(argumentsOf(test))].join(' ')],
    ),
  )
  const toRun = `${both('run_id')} source('published', 'runs') ${both('run_id')}`
  const to = (column: string, target: string) =>
    `${both(column)} source('published', '${target}') ${both('unique_id')}`
  expect(references).toEqual([
    `agenda ${toRun}`,
    `attendee_sessions ${to('attendee_id', 'attendees')}`,
    `attendee_sessions ${to('session_id', 'agenda')}`,
    `attendees ${toRun}`,
    `changes ${toRun}`,
    `decisions ${toRun}`,
    `load_results ${toRun}`,
    `session_speakers ${to('session_id', 'agenda')}`,
    `session_speakers ${to('speaker_id', 'speakers')}`,
    `speakers ${toRun}`,
  ])
  const required = tables
    .find(({ name }) => name === 'decisions')
    ?.columns?.filter(({ data_tests = [] }) => data_tests.some(({ not_null: test }) => test !== undefined))
  expect(required?.map(({ name }) => name)).toEqual(['content', 'decision'])
})

function argumentsOf(test: object): Readonly<Record<string, unknown>> {
  return 'arguments' in test ? Object(test.arguments) : {}
}

test('a test that reads a personal column has the tag personal', async () => {
  const parsed: DbtSources = parse((await dbtSources()).stdout)
  const tagged = (split(parsed).relations ?? []).flatMap(({ name, data_tests = [] }) =>
    data_tests.flatMap((test) =>
      Object.entries(test).map(([kind, one]) => [
        name,
        kind,
        JSON.stringify(one).includes('"tags":["personal"]'),
      ]),
    ),
  )
  expect(tagged).toContainEqual(['agenda', 'unique', false])
  expect(tagged).toContainEqual(['attendees', 'unique', true])
  expect(tagged).toContainEqual(['load_results', 'relationships', false])
  // With the condition of this test, dbt selects all columns of the view.
  expect(tagged).not.toContainEqual(['session_speakers', 'relationships', false])
})

test('each integration of the configuration has its own freshness', async () => {
  const asked = async (...options: readonly string[]) =>
    split(JSON.parse((await dbtSources('--json', ...options)).stdout)).freshness
  const after = (hours: number) => ({ count: hours, period: 'hour' })
  const config = (warn: number, error: number) => ({
    loaded_at_field: 'last_success_at',
    freshness: {
      warn_after: after(warn),
      error_after: after(error),
      filter: "integration_id = 'summit'",
    },
  })
  const summit = { schema: 'published', name: 'integration_summit', identifier: 'integrations' }
  expect(await asked()).toEqual([{ ...summit, description: expect.any(String), config: config(24, 48) }])
  expect(await asked('--warn-after', '3', '--error-after', '6')).toMatchObject([{ config: config(3, 6) }])
  const refused = await dbtSources('--warn-after', '1.5')
  expect(refused.code).toBe(64)
  expect(refused.stderr).toContain('It must be a whole number of hours, 1 or more.')
})
