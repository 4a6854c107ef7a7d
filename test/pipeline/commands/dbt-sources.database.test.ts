import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { DbtSources } from '../../../pipeline/commands/dbt-sources.ts'
import { useSmallWorkspace } from './small-workspace.ts'

const place = useSmallWorkspace()
const dbtSources = (...options: readonly string[]) => place().workspace.run('dbt-sources', ...options)

test('dbt-sources prints every table, view and column of the schemas published and staging', async () => {
  const { code, stdout, stderr } = await dbtSources()
  expect([code, stderr]).toEqual([0, ''])
  const { version, sources }: DbtSources = parse(stdout)
  expect(version).toBe(2)
  expect(sources.map(({ name, schema }) => [name, schema])).toEqual([
    ['published', 'published'],
    ['staging', 'staging'],
  ])
  const told = sources.flatMap(({ schema, tables }) =>
    tables.flatMap(({ name, columns }) =>
      columns.map((column) => `${schema}.${name}.${column.name} ${column.data_type}`),
    ),
  )
  const there = await place().workspace.rows(`
    select table_schema || '.' || table_name || '.' || attname || ' ' || format_type(atttypid, atttypmod) as column
    from information_schema.tables
    join pg_attribute on attrelid = format('%I.%I', table_schema, table_name)::regclass and attnum > 0
    where table_schema in ('published', 'staging')`)
  expect(there.length).toBeGreaterThan(200)
  expect(told.toSorted()).toEqual(there.map(({ column }) => String(column)).toSorted())
})

test('every table and column has a description, and columns with personal data are marked', async () => {
  const { sources }: DbtSources = parse((await dbtSources()).stdout)
  const tables = sources.flatMap((source) =>
    source.tables.map((table) => ({ ...table, schema: source.schema })),
  )
  const columns = tables.flatMap((table) =>
    table.columns.map((column) => ({ ...column, at: `${table.schema}.${table.name}.${column.name}` })),
  )
  for (const { description } of [...sources, ...tables, ...columns]) {
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

test('the freshness checks of dbt use the time of the last finished run and of the last run that staged records', async () => {
  const asked = async (...options: readonly string[]) => {
    const { sources }: DbtSources = JSON.parse((await dbtSources('--json', ...options)).stdout)
    return sources.flatMap(({ schema, tables }) =>
      tables.flatMap(({ name, config }) =>
        config === undefined ? [] : [{ of: `${schema}.${name}`, ...config }],
      ),
    )
  }
  const after = (hours: number) => ({ count: hours, period: 'hour' })
  const daily = { warn_after: after(24), error_after: after(48) }
  expect(await asked()).toEqual([
    { of: 'published.runs', loaded_at_field: 'finished_at', freshness: daily },
    { of: 'staging.runs', loaded_at_field: 'staged_at', freshness: daily },
  ])
  const [ofPublished] = await asked('--warn-after', '3', '--error-after', '6')
  expect(ofPublished?.freshness).toEqual({ warn_after: after(3), error_after: after(6) })
  const refused = await dbtSources('--warn-after', '1.5')
  expect(refused.code).toBe(64)
  expect(refused.stderr).toContain('It must be a whole number of hours, 1 or more.')
})
