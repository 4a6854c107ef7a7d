import type { Command } from 'commander'
import { describeCode } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'
import { readText } from './arguments.ts'
import type { CommandIo } from './io.ts'
import { explainError, requireQuery } from './query-errors.ts'
import { OUTPUT_FORMATS, openOutput } from './query-output.ts'
import { type GlobalOptions, withContext } from './session.ts'

interface Options {
  readonly file?: string
  readonly format: string
  readonly raw?: boolean
}

const HELP = `
In CSV lines end in CRLF, null is an empty cell and an empty text is "". In JSON numbers, booleans, lists of text and
documents are values of their kind; whatever a double cannot hold is text.

Examples:
  event-sync sql "table published.runs"
  event-sync sql -f sql/queries/left-out.sql --format csv > left-out.csv
  event-sync sql --json < question.sql`

export function addSqlCommand(program: Command, io: CommandIo): void {
  program
    .command('sql')
    .description('read-only query of the staged data; shows every value, those of people too')
    .argument('[query]', 'the query; left out: -f, or standard input')
    .option('-f, --file <file>', 'file that holds the query')
    .option('--format <format>', 'table, csv or json', 'table')
    .option('--raw', "CSV: no ' in front of texts that a spreadsheet could run as a formula")
    .addHelpText('after', HELP)
    .action(async (query: string | undefined, options: Options) => {
      const global = program.opts<GlobalOptions>()
      if (query !== undefined && options.file !== undefined)
        throw new UserError('usage', 'there are two queries, an argument and -f', 'give one')
      const fromFile = options.file === undefined ? undefined : readText(io.cwd, options.file)
      const text = (query ?? fromFile ?? (await readInput(io))).trim().replace(/;$/, '')
      const format = OUTPUT_FORMATS.find((name) => name === (global.json ? 'json' : options.format))
      if (!format)
        throw new UserError('usage', `--format: expected table, csv or json, got "${options.format}"`)
      if (text === '')
        throw new UserError(
          'usage',
          'there is no query',
          'give it as an argument, with -f FILE or on standard input',
        )
      requireQuery(text)
      const output = openOutput(format, options.raw ?? false)
      // A file of CSV has the values as they are.
      const { stdout } = io
      const target = format === 'csv' && stdout.isTTY !== true ? (stdout.bare ?? stdout) : stdout
      let rows = 0
      await withContext(global, io, async ({ database }) => {
        try {
          for await (const page of database.readOnly(text)) {
            target.write(output.page(page))
            rows += page.rows.length
            if (!io.stdout.writable) return
          }
        } catch (error) {
          throw explainError(error, text)
        }
        target.write(output.end)
        if (rows === 0 && format === 'table') io.stderr.write('(0 rows)\n')
      })
    })
}

async function readInput({ stdin }: CommandIo): Promise<string> {
  try {
    let text = ''
    for await (const chunk of stdin.setEncoding('utf8')) text += String(chunk)
    return text
  } catch (cause) {
    throw new UserError('file', `standard input cannot be read${describeCode(cause)}`, '', { cause })
  }
}
