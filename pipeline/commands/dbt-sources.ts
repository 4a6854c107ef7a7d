import { Option } from 'commander'
import { stringify } from 'yaml'
import { type DescribedColumn, type Dictionary, readDictionary } from '../../sql/dictionary.ts'
import { wholeNumber } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'

const hours = wholeNumber(1, undefined, ' of hours')

const HELP = `
Examples:
  event-sync dbt-sources > models/sources.yml                   every view of published, for a dbt project
  event-sync dbt-sources --error-after 6 > models/sources.yml   dbt fails if the last run is older than 6 hours

For dbt 1.10 or newer; a model then reads {{ source('published', 'agenda') }}. Columns that can hold values of a
person have the meta key personal. The last run of any integration counts for freshness.`

export const addDbtSourcesCommand = defineCommand({
  name: 'dbt-sources',
  summary: 'sources.yml for dbt: every table, view and column for readers, with its meaning',
  help: HELP,
  options: [
    new Option('--warn-after <hours>', 'age of the last run at which dbt warns').argParser(hours).default(24),
    new Option('--error-after <hours>', 'age of the last run at which dbt fails')
      .argParser(hours)
      .default(48),
  ],
  onMoved: 'noted',
  async run({ options, open }: Call<Ages>) {
    const json = await open(async ({ database }) =>
      dbtSources(await readDictionary(database.kysely), options),
    )
    const yaml = stringify(json, { lineWidth: 0, aliasDuplicateObjects: false })
    return { json, text: `# Made by event-sync dbt-sources.\n${yaml}` }
  },
})

/** Schemas that readers may query. For each schema: the view and column that show how old its data is. */
const READ: Readonly<Record<string, { readonly view: string; readonly loadedAt: string }>> = {
  published: { view: 'runs', loadedAt: 'finished_at' },
  staging: { view: 'runs', loadedAt: 'staged_at' },
}

export interface Ages {
  readonly warnAfter: number
  readonly errorAfter: number
}

export type DbtSources = ReturnType<typeof dbtSources>

/**
 * Returns the content of a `sources.yml`: one source for each schema, with all of its tables, views and
 * columns.
 *
 * The format is documented at docs.getdbt.com, "Source properties". From dbt 1.10 on, freshness,
 * `loaded_at_field` and `meta` are under `config`.
 */
export function dbtSources({ schemas }: Dictionary, ages: Ages) {
  return {
    version: 2,
    sources: schemas.flatMap(({ name: schema, meaning, relations }) => {
      const age = READ[schema]
      if (age === undefined) return []
      const tables = relations.map(({ name, meaning: description, columns }) => ({
        name,
        description,
        columns: columns.map(toColumn),
        ...(name === age.view ? { config: freshness(age.loadedAt, ages) } : {}),
      }))
      return [{ name: schema, schema, description: meaning, tables }]
    }),
  }
}

function toColumn({ name, meaning, type, personal }: DescribedColumn) {
  const config = personal ? { config: { meta: { personal } } } : {}
  return { name, description: meaning, data_type: type, ...config }
}

function freshness(loadedAt: string, { warnAfter, errorAfter }: Ages) {
  return {
    loaded_at_field: loadedAt,
    freshness: {
      warn_after: { count: warnAfter, period: 'hour' },
      error_after: { count: errorAfter, period: 'hour' },
    },
  }
}
