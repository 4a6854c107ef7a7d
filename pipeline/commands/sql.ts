import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { toCsv } from '../../loaders/audit/csv.ts'
import { ConfigError } from '../config.ts'
import { type GlobalOptions, withContext } from './session.ts'
import { toTable } from './table.ts'

interface Options {
  readonly file?: string
  readonly format?: 'table' | 'csv' | 'json'
}

/** `event-sync sql [QUERY | -f FILE]`: one query that can change nothing. */
export function addSqlCommand(program: Command): void {
  program
    .command('sql')
    .description('read-only query of the staged data')
    .argument('[query]', 'the query; left out: -f, or standard input')
    .option('-f, --file <file>', 'file that holds the query')
    .option('--format <format>', 'table, csv or json', 'table')
    .action(async (query: string | undefined, options: Options) => {
      const global = program.opts<GlobalOptions>()
      const text = query ?? readQuery(options.file)
      const format = global.json ? 'json' : options.format
      if (format !== 'table' && format !== 'csv' && format !== 'json') {
        throw new ConfigError(`--format ${format} is none of table, csv and json`)
      }
      if (text.trim() === '') throw new ConfigError('there is no query; give one, -f FILE, or standard input')
      await withContext(global, async ({ database }) => {
        let isFirst = true
        for await (const { columns, rows } of database.readOnly(text.trim().replace(/;$/, ''))) {
          process.stdout.write(FORMATS[format](columns, rows, isFirst))
          isFirst = false
          if (!process.stdout.writable) return
        }
        if (format === 'json') process.stdout.write('\n]}\n')
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

type Format = (
  columns: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  isFirst: boolean,
) => string

/** A table is laid out page by page, so that a large result does not fill the memory. */
const FORMATS: Readonly<Record<'table' | 'csv' | 'json', Format>> = {
  table: (columns, rows, isFirst) => (isFirst || rows.length > 0 ? toTable(columns, rows) : ''),
  csv: (columns, rows, isFirst) =>
    (isFirst ? `${columns.join(',')}\r\n` : '') + (rows.length > 0 ? toCsv(rows) : ''),
  json(columns, rows, isFirst) {
    const start = isFirst ? '{"rows":[' : ''
    const objects = rows.map((row) =>
      JSON.stringify(Object.fromEntries(columns.map((name, at) => [name, row[at]]))),
    )
    return start + objects.map((text, at) => `${isFirst && at === 0 ? '' : ','}\n${text}`).join('')
  },
}
