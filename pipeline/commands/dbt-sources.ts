import type { Command } from 'commander'
import { stringify } from 'yaml'
import { readDictionary } from '../../sql/dictionary.ts'
import { wholeNumber } from './arguments.ts'
import { type Ages, dbtSources } from './dbt-sources-text.ts'
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
