import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { ConfigError } from '../config.ts'
import { explainError, requireQuery } from './query-errors.ts'
import { OUTPUT_FORMATS, openOutput } from './query-output.ts'
import { type GlobalOptions, withContext } from './session.ts'

interface Options {
  readonly file?: string
  readonly format: string
  readonly raw?: boolean
}

/** `event-sync sql [QUERY | -f FILE]`: one query that can change nothing. */
export function addSqlCommand(program: Command): void {
  program
    .command('sql')
    .description('read-only query of the staged data; shows every value, those of people too')
    .argument('[query]', 'the query; left out: -f, or standard input')
    .option('-f, --file <file>', 'file that holds the query')
    .option('--format <format>', 'table, csv or json', 'table')
    .option('--raw', "CSV: no ' in front of texts that a spreadsheet could run as a formula")
    .addHelpText(
      'after',
      `
In CSV lines end in CRLF, null is an empty cell and an empty text is "". In JSON numbers, booleans, lists of text and
documents are values of their kind; whatever a double cannot hold is text.

Examples:
  event-sync sql "table published.runs"
  event-sync sql -f sql/queries/left-out.sql --format csv > left-out.csv
  event-sync sql --json < question.sql`,
    )
    .action(async (query: string | undefined, options: Options) => {
      const global = program.opts<GlobalOptions>()
      if (query !== undefined && options.file !== undefined)
        throw new ConfigError('there are two queries, an argument and -f; give one')
      const text = (query ?? readQuery(options.file)).trim().replace(/;$/, '')
      const format = OUTPUT_FORMATS.find((name) => name === (global.json ? 'json' : options.format))
      if (format === undefined)
        throw new ConfigError(`--format ${options.format} is none of table, csv and json`)
      if (text === '') throw new ConfigError('there is no query; give one, -f FILE, or standard input')
      requireQuery(text)
      const output = openOutput(format, options.raw ?? false)
      let rows = 0
      await withContext(global, async ({ database }) => {
        try {
          for await (const page of database.readOnly(text)) {
            process.stdout.write(output.page(page))
            rows += page.rows.length
            if (!process.stdout.writable) return
          }
        } catch (error) {
          throw explainError(error, text)
        }
        process.stdout.write(output.end())
        if (rows === 0 && format === 'table') process.stderr.write('(0 rows)\n')
      })
    })
}

function readQuery(file: string | undefined): string {
  try {
    return readFileSync(file ?? 0, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw new ConfigError(`${file ?? 'standard input'} cannot be read${code}`, { cause })
  }
}
