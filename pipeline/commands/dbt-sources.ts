import { type Command, InvalidArgumentError } from 'commander'
import { stringify } from 'yaml'
import { readDictionary } from '../../sql/dictionary.ts'
import { dbtSources } from '../dbt-sources.ts'
import { type GlobalOptions, withContext } from './session.ts'

interface Options {
  readonly warnAfter: number
  readonly errorAfter: number
}

/** `event-sync dbt-sources`. */
export function addDbtSourcesCommand(program: Command): void {
  program
    .command('dbt-sources')
    .description('sources.yml for dbt: every table, view and column for readers, with its meaning')
    .option('--warn-after <hours>', 'age of the last run at which dbt warns', toHours, 24)
    .option('--error-after <hours>', 'age of the last run at which dbt fails', toHours, 48)
    .addHelpText(
      'after',
      `
Examples:
  event-sync dbt-sources > models/sources.yml

For dbt 1.10 or newer; a model then reads {{ source('published', 'agenda') }}. Columns that can hold values of a
person have the meta key personal. The last run of any integration counts for freshness.`,
    )
    .action(async ({ warnAfter, errorAfter }: Options) => {
      const global = program.opts<GlobalOptions>()
      const sources = await withContext(global, async ({ database }) =>
        dbtSources(await readDictionary(database.kysely), { warnAfter, errorAfter }),
      )
      process.stdout.write(
        global.json
          ? `${JSON.stringify(sources)}\n`
          : `# Made by event-sync dbt-sources.\n${stringify(sources, { lineWidth: 0, aliasDuplicateObjects: false })}`,
      )
    })
}

function toHours(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of hours from 1.')
}
