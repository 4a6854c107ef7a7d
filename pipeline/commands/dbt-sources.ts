import type { Command } from 'commander'
import { stringify } from 'yaml'
import { type DescribedColumn, type Dictionary, readDictionary } from '../../sql/dictionary.ts'
import { wholeNumber } from './arguments.ts'
import type { CommandIo } from './io.ts'
import { type GlobalOptions, withContext } from './session.ts'

const hours = wholeNumber(1, undefined, ' of hours')

const HELP = `
Examples:
  event-sync dbt-sources > models/sources.yml

For dbt 1.10 or newer; a model then reads {{ source('published', 'agenda') }}. Columns that can hold values of a
person have the meta key personal. The last run of any integration counts for freshness.`

export function addDbtSourcesCommand(program: Command, io: CommandIo): void {
  program
    .command('dbt-sources')
    .description('sources.yml for dbt: every table, view and column for readers, with its meaning')
    .option('--warn-after <hours>', 'age of the last run at which dbt warns', hours, 24)
    .option('--error-after <hours>', 'age of the last run at which dbt fails', hours, 48)
    .addHelpText('after', HELP)
    .action(async (ages: Ages) => {
      const global = program.opts<GlobalOptions>()
      const sources = await withContext(global, io, async ({ database }) =>
        dbtSources(await readDictionary(database.kysely), ages),
      )
      io.stdout.write(
        global.json
          ? `${JSON.stringify(sources)}\n`
          : `# Made by event-sync dbt-sources.\n${stringify(sources, { lineWidth: 0, aliasDuplicateObjects: false })}`,
      )
    })
}

/** Schemas that readers may build on, and the view and column that say how old their data is. */
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
 * The content of a `sources.yml`: a source for each schema, with all of its tables, views and columns.
 *
 * Source: docs.getdbt.com, "Source properties": from dbt 1.10 on, freshness, its column and meta are under `config`.
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
