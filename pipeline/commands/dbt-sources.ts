import { Option } from 'commander'
import { stringify } from 'yaml'
import {
  type ColumnReference,
  type DescribedColumn,
  type DescribedRelation,
  type Dictionary,
  readDictionary,
} from '../../sql/dictionary.ts'
import { CONTENTS } from '../../sql/tables.ts'
import type { DbtColumn, DbtSources, DbtTable } from '../schemas/setup.ts'
import { wholeNumber } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'

const hours = wholeNumber(1, undefined, ' of hours')

const HELP = `
Examples:
  event-sync dbt-sources > models/sources.yml                   every view of published, for a dbt project
  event-sync dbt-sources --error-after 6 > models/sources.yml   dbt fails if the last run is older than 6 hours
  event-sync dbt-sources --staging > models/sources.yml         also the tables of staging, with all records

For dbt 1.10.5 or newer; a model then reads {{ source('published', 'agenda') }}. Columns that can hold values of a
person have the meta key personal, and tests that read such columns have the tag personal. Each integration of the
configuration has its own freshness: make the file again after you have added an integration.`

export const addDbtSourcesCommand = defineCommand({
  name: 'dbt-sources',
  summary: 'sources.yml for dbt: every view and column for readers, with its meaning, tests and freshness',
  help: HELP,
  options: [
    new Option('--staging', 'also the schema staging, which only event_sync_reader_personal may read'),
    new Option('--warn-after <hours>', 'age of the last finished run of an integration at which dbt warns')
      .argParser(hours)
      .default(24),
    new Option('--error-after <hours>', 'age of the last finished run of an integration at which dbt fails')
      .argParser(hours)
      .default(48),
  ],
  onMoved: 'noted',
  async run({ options, open }: Call<DbtOptions>) {
    const json = await open(async ({ config, database }) =>
      dbtSources(
        await readDictionary(database.kysely),
        config.integrations.map(({ id }) => id),
        options,
      ),
    )
    const yaml = stringify(json, { lineWidth: 0, aliasDuplicateObjects: false })
    return { json, text: `# Made by event-sync dbt-sources.\n${yaml}` }
  },
})

export interface DbtOptions {
  readonly warnAfter: number
  readonly errorAfter: number
  readonly staging?: boolean
}

/** A test of dbt: its name, with its arguments and configuration. */
type DbtTest = NonNullable<DbtTable['data_tests']>[number]

/**
 * Returns the content of a `sources.yml`: one source for each schema, with all of its tables, views and
 * columns.
 *
 * The format is documented at docs.getdbt.com, "Source properties". From dbt 1.10 on, freshness,
 * `loaded_at_field` and `meta` are under `config`. From dbt 1.10.5 on, arguments of tests are under `arguments`.
 *
 * @param integrationIds the integrations of the configuration
 */
export function dbtSources(
  { schemas }: Dictionary,
  integrationIds: readonly string[],
  options: DbtOptions,
): DbtSources {
  const emitted = options.staging === true ? ['published', 'staging'] : ['published']
  return {
    version: 2,
    sources: schemas
      .filter(({ name }) => emitted.includes(name))
      .map(({ name, meaning, relations }) => ({
        name,
        schema: name,
        description: meaning,
        tables: [
          ...relations.map((relation) => toTable(name, relation, relations)),
          ...(name === 'published' ? integrationIds.map((id) => toFreshness(id, options)) : []),
        ],
      })),
  }
}

function toTable(
  schema: string,
  relation: DescribedRelation,
  relations: readonly DescribedRelation[],
): DbtTable {
  const { name, meaning, columns } = relation
  // A view of all runs has each item once for each run, so its tests would read far too many rows.
  const isByRun = name.endsWith('_by_run')
  return {
    name,
    description: meaning,
    columns: columns.map((column) => toColumn(column, isByRun ? [] : testsOf(column, relation))),
    ...(isByRun
      ? {}
      : { data_tests: [...keyTests(schema, relation), ...joinTests(schema, relation, relations)] }),
  }
}

function toColumn({ name, meaning, type, personal }: DescribedColumn, tests: readonly DbtTest[]): DbtColumn {
  const config = personal ? { config: { meta: { personal } } } : {}
  const dataTests = tests.length === 0 ? {} : { data_tests: tests }
  return { name, description: meaning, data_type: type, ...config, ...dataTests }
}

function testsOf(column: DescribedColumn, { key }: DescribedRelation): readonly DbtTest[] {
  const { name, meaning, personal, values } = column
  const hasValue = key.includes(name) || (values.length > 0 && !meaning.includes('null'))
  return [
    ...(hasValue ? [{ not_null: tagged(personal) }] : []),
    ...(values.length > 0 ? [{ accepted_values: { arguments: { values }, ...tagged(personal) } }] : []),
  ]
}

/** Ids are unique only within an integration, so the test needs all columns of the key. */
function keyTests(schema: string, { name, key, columns }: DescribedRelation): readonly DbtTest[] {
  if (key.length === 0) return []
  const personal = columns.some((column) => column.personal && key.includes(column.name))
  return [
    {
      unique: {
        name: `unique_${schema}_${name}`,
        arguments: { column_name: together(key) },
        ...tagged(personal),
      },
    },
  ]
}

function joinTests(
  schema: string,
  { name, columns }: DescribedRelation,
  relations: readonly DescribedRelation[],
): readonly DbtTest[] {
  return columns.flatMap((column) => {
    const { joins, personal } = column
    if (joins === null || joins.schema !== schema) return []
    const target = relations.find((relation) => relation.name === joins.relation)
    const found = target?.columns.find((one) => one.name === joins.column)
    if (found === undefined)
      throw new Error(`the comment of ${schema}.${name}.${column.name} names a column that does not exist`)
    const filter = onlySynced(joins)
    // With `where`, the test of dbt reads all columns.
    const isOfPerson =
      personal || found.personal || ('where' in filter && columns.some((one) => one.personal))
    return [
      {
        relationships: {
          name: `relationships_${schema}_${name}_${column.name}`,
          arguments: {
            column_name: together(['integration_id', column.name]),
            to: `source('${schema}', '${joins.relation}')`,
            field: together(['integration_id', joins.column]),
          },
          ...tagged(isOfPerson, filter),
        },
      },
    ]
  })
}

/**
 * Returns a condition for references to items. If an integration does not sync a content, references to the
 * content may lead nowhere (R68).
 */
function onlySynced({ relation }: ColumnReference): { readonly where?: string } {
  if (CONTENTS.every((content) => content !== relation)) return {}
  return {
    where: `integration_id in (select integration_id from published.runs where is_latest and '${relation}' = any (contents))`,
  }
}

function together(columns: readonly string[]): string {
  return columns.length === 1 ? columns.join() : `jsonb_build_array(${columns.join(', ')})`
}

function tagged(personal: boolean, config: { readonly where?: string } = {}) {
  const all = { ...config, ...(personal ? { tags: ['personal'] } : {}) }
  return Object.keys(all).length === 0 ? {} : { config: all }
}

/** Returns a table for one integration. Without this table, dbt would not name the integration whose data is too old. */
function toFreshness(integrationId: string, { warnAfter, errorAfter }: DbtOptions): DbtTable {
  return {
    name: `integration_${integrationId}`,
    identifier: 'integrations',
    description: `Row of the integration ${integrationId} in published.integrations. Its age is the time since the end of the last finished run.`,
    config: {
      loaded_at_field: 'last_success_at',
      freshness: {
        warn_after: { count: warnAfter, period: 'hour' },
        error_after: { count: errorAfter, period: 'hour' },
        filter: `integration_id = '${integrationId}'`,
      },
    },
  }
}
