import { Argument, Option } from 'commander'
import pg from 'pg'
import { toCsv } from '../../loaders/packs/csv-files/csv.ts'
import type { QueryPage } from '../../sql/database.ts'
import { declareCursor } from '../database/read-only.ts'
import { messageOf } from '../runtime/message-of.ts'
import { describeCode } from '../runtime/not-writable.ts'
import { EXIT } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import { readText, wholeNumber } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import { type CommandIo, openTable } from './io.ts'

interface Options {
  readonly file?: string
  readonly format: string
  readonly raw?: boolean
  readonly timeout?: number
}

/** An embedded database that answers a query is in use for all others. */
const EMBEDDED_SECONDS = 60

const HELP = `
In CSV lines end in CRLF, null is an empty cell and an empty text is "". In JSON numbers, booleans, lists of text and
documents are values of their kind; whatever a double cannot hold is text.

Examples:
  event-sync sql "table published.runs"
  event-sync sql -f sql/queries/left-out.sql --format csv > left-out.csv
  event-sync sql --json < question.sql`

export const addSqlCommand = defineCommand({
  name: 'sql',
  summary: 'read-only query of the staged data; shows every value, those of people too',
  help: HELP,
  args: [new Argument('[query]', 'the query; left out: -f, or standard input')],
  options: [
    new Option('-f, --file <file>', 'file that holds the query'),
    new Option('--format <format>', 'table, csv or json').default('table'),
    new Option(
      '--timeout <seconds>',
      'longest wait for the next rows; 0: for ever; left out: 60 on the embedded database, else that of the server',
    ).argParser(wholeNumber(0, 86_400)),
    new Option('--raw', "CSV: no ' in front of texts that a spreadsheet could run as a formula"),
  ],
  async run({ options, io, global, open }: Call<Options>, query: string | undefined) {
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
    // A CSV file has the values unchanged.
    const { stdout } = io
    const target = format === 'csv' && stdout.isTTY !== true ? (stdout.bare ?? stdout) : stdout
    let rows = 0
    return open(async ({ database }) => {
      try {
        const seconds = options.timeout ?? (database.engine === 'pglite' ? EMBEDDED_SECONDS : 0)
        for await (const page of database.readOnly(text, seconds === 0 ? undefined : seconds * 1000)) {
          target.write(output.page(page))
          rows += page.rows.length
          if (!io.stdout.writable) return EXIT.ok
        }
      } catch (error) {
        throw explainError(error, text)
      }
      target.write(output.end)
      if (rows === 0 && format === 'table') io.stderr.write('(0 rows)\n')
      return EXIT.ok
    })
  },
})

async function readInput({ stdin }: CommandIo): Promise<string> {
  try {
    let text = ''
    for await (const chunk of stdin.setEncoding('utf8')) text += String(chunk)
    return text
  } catch (cause) {
    throw new UserError('file', `standard input cannot be read${describeCode(cause)}`, '', { cause })
  }
}

const READING = new Set(['select', 'with', 'values', 'table', 'explain', '('])

/** A query that is none, or that the database refused; the message helps to fix it. */
class QueryError extends Error {
  override readonly name = 'QueryError'
}

/** Refuses what is plainly no query, in better words than the database has for it in a cursor. @throws QueryError */
export function requireQuery(query: string): void {
  const text = query.replace(/^(\s|--[^\n]*(\n|$)|\/\*[\s\S]*?\*\/)*/, '')
  const [word = ''] = /^(\\?\w+|\(|\S)/.exec(text) ?? []
  if (READING.has(word.toLowerCase())) return
  if (word.startsWith('\\')) {
    throw new QueryError(
      `${word} is a psql command, not SQL; sql/DICTIONARY.md lists tables and columns, with a query that shows them`,
    )
  }
  throw new QueryError(
    `sql only reads: a query begins with select, with, values, table or explain, not with "${word}"; nothing was changed`,
  )
}

/** Returns what the database said of a query, with its hint and the place in the query; other errors unchanged. */
export function explainError(error: unknown, query: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || !/^[0-9A-Z]{5}$/.test(String(error.code)))
    return error
  const { message, detail, ...said } = error as Error &
    Partial<Record<'detail' | 'hint' | 'position', string>>
  const shown = messageOf(error, query)
  const lines = [wordsFor(shown)]
  const place = placeOf(query, Number(said.position))
  if (place !== null) lines.push(place)
  if (detail !== undefined && shown === message) lines.push(`detail: ${detail}`)
  const hint = HINTS[String(error.code)]?.(shown) ?? said.hint
  if (hint !== undefined) lines.push(`hint: ${hint}`)
  return new QueryError(lines.join('\n'), { cause: error })
}

function wordsFor(message: string): string {
  if (message.includes('cannot insert multiple commands')) return 'only one statement at a time is allowed'
  if (/^DECLARE CURSOR must not contain/.test(message)) return 'sql only reads; nothing was changed'
  return message
}

/** Hints for mistakes that are made often here, by SQLSTATE; null if the message shows another mistake. */
const HINTS: Readonly<Record<string, (message: string) => string | null>> = {
  '42P01': () =>
    'query published.agenda, published.speakers, published.attendees and others; sql/DICTIONARY.md lists them all, by schema and name',
  '53400': () => 'a step of the query puts more than 1 GB of rows on the disk; ask for less',
  '42883': () => "ids are text, so quote them: unique_id = '5757'",
  '22P02': (message) =>
    message.startsWith('malformed array literal')
      ? "to search a list, write '70325' = any (speaker_ids)"
      : null,
}

/** The line of the query and a mark below it; null where the database did not name a place in it. */
function placeOf(query: string, position: number): string | null {
  const prefix = query.trimStart().toLowerCase().startsWith('explain') ? 0 : declareCursor('').length
  const at = position - prefix - 1
  if (!(at >= 0 && at <= query.length)) return null
  const before = query.slice(0, at).split('\n')
  const line = query.split('\n')[before.length - 1] ?? ''
  return `line ${before.length}: ${line}\n${' '.repeat(`line ${before.length}: `.length + (before.at(-1)?.length ?? 0))}^`
}

export const OUTPUT_FORMATS = ['table', 'csv', 'json'] as const

/** Prints a result page by page, so that a large one does not fill the memory. */
interface QueryOutput {
  page(page: QueryPage): string
  readonly end: string
}

/** @param raw leaves texts in CSV that a spreadsheet could run as a formula without the `'` in front */
export function openOutput(format: (typeof OUTPUT_FORMATS)[number], raw: boolean): QueryOutput {
  switch (format) {
    case 'table': {
      let table: ReturnType<typeof openTable> | undefined
      const page = ({ columns, rows }: QueryPage) => {
        table ??= openTable(columns)
        return table(rows)
      }
      return { page, end: '' }
    }
    case 'csv':
      return csvOutput(raw)
    case 'json':
      return jsonOutput()
  }
}

function csvOutput(raw: boolean): QueryOutput {
  let isFirst = true
  return {
    page({ columns, types, rows }) {
      const heading = isFirst ? toCsv([columns], () => !raw) : ''
      isFirst = false
      // A number is not a text that could be a formula, no matter what it begins with.
      const isGuarded = (column: number) => !raw && !NUMBERS.has(types[column] ?? 0)
      return heading + (rows.length > 0 ? toCsv(rows, isGuarded) : '')
    },
    end: '',
  }
}

const { BOOL, FLOAT4, FLOAT8, INT2, INT4, INT8, JSON: JSON_TYPE, JSONB, NUMERIC } = pg.types.builtins
const NUMBERS: ReadonlySet<number> = new Set([INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC])
const DOCUMENTS: ReadonlySet<number> = new Set([JSON_TYPE, JSONB])
/** `text[]`; the types of the package name no lists. */
const TEXT_LIST = 1009
const listParser = pg.types.getTypeParser(TEXT_LIST as Parameters<typeof pg.types.getTypeParser>[0])
/** Beside it `name[]`, `varchar[]`, `uuid[]`. */
const LISTS: ReadonlySet<number> = new Set([TEXT_LIST, 1003, 1015, 2951])

/** One object with all rows; numbers that JSON readers would round stay text. */
function jsonOutput(): QueryOutput {
  let isFirst = true
  let count = 0
  return {
    page({ columns, types, rows }) {
      const start = isFirst ? '{"rows":[' : ''
      isFirst = false
      const objects = rows.map((row) => {
        const members = columns.map(
          (name, at) => `${JSON.stringify(name)}:${toJson(row[at] ?? null, types[at] ?? 0)}`,
        )
        count += 1
        return `${count === 1 ? '' : ','}\n{${members.join(',')}}`
      })
      return start + objects.join('')
    },
    end: '\n]}\n',
  }
}

function toJson(text: string | null, type: number): string {
  if (text === null) return 'null'
  if (type === BOOL) return text === 't' ? 'true' : 'false'
  // As it is in the database: to parse it here would round its numbers.
  if (DOCUMENTS.has(type)) return text
  if (NUMBERS.has(type) && type !== NUMERIC && isExact(text)) return text
  if (LISTS.has(type)) return JSON.stringify(listParser(text))
  return JSON.stringify(text)
}

/** Neither NaN nor Infinity, nor an integer that a double cannot hold. */
function isExact(text: string): boolean {
  const value = Number(text)
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}
