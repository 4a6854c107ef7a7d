import { Argument, Option } from 'commander'
import pg from 'pg'
import { toCsv } from '../../loaders/packs/csv-files/csv.ts'
import type { QueryPage } from '../../sql/database.ts'
import type { Context } from '../context/run-context.ts'
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
  readonly wait?: string | true
}

/**
 * Default timeout of a query on the embedded database, in seconds. During a query, all other processes must
 * wait for the embedded database.
 */
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
    new Option(
      '--wait [seconds]',
      'wait for another process that has the embedded database; without seconds: until it ends',
    ),
    new Option('--raw', "CSV: no ' in front of texts that a spreadsheet could run as a formula"),
  ],
  onMoved: 'noted',
  async run({ options, io, global, open }: Call<Options>, argument: string | undefined) {
    const { lockWaitMs, query } = waitOf(options.wait, argument)
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
    // A CSV file contains the values without escaping for a terminal.
    const { stdout } = io
    const target = format === 'csv' && stdout.isTTY !== true ? (stdout.bare ?? stdout) : stdout
    let rows = 0
    const work = async ({ database }: Context) => {
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
    }
    return open(work, { lockWaitMs })
  },
})

/**
 * Returns how long to wait for the embedded database, and the query. The parser of the command line takes the
 * word after `--wait` as its seconds, even if the word is the query.
 */
function waitOf(wait: string | true | undefined, argument: string | undefined) {
  if (wait === undefined) return { lockWaitMs: 0, query: argument }
  if (wait === true) return { lockWaitMs: Number.POSITIVE_INFINITY, query: argument }
  if (argument === undefined && /\D/.test(wait)) return { lockWaitMs: Number.POSITIVE_INFINITY, query: wait }
  if (/^(?:0|[1-9]\d{0,4})$/.test(wait)) return { lockWaitMs: Number(wait) * 1000, query: argument }
  throw new UserError('usage', `--wait: expected a whole number of seconds, got "${wait}"`)
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

const READING = new Set(['select', 'with', 'values', 'table', 'explain', '('])

/**
 * The text is not a query, or the database rejected the query. The error message says how to correct the
 * query.
 */
class QueryError extends Error {
  override readonly name = 'QueryError'
}

/**
 * Throws an error for a text that is clearly not an SQL query. The error message is clearer than the message
 * with which PostgreSQL would reject the text in a cursor.
 *
 * @throws QueryError if the text does not begin with a word that begins a query
 */
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

/**
 * If an error comes from the database, returns an error with its message, its hint and the position in the
 * query. An error that does not come from the database is returned unchanged.
 */
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

/**
 * Hints for frequent mistakes, by SQLSTATE error code. A hint is null if the database message shows another
 * mistake.
 */
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

/**
 * Returns the faulty line of the query, with a marker below the position. Returns null if the database gave
 * no position.
 */
function placeOf(query: string, position: number): string | null {
  const prefix = query.trimStart().toLowerCase().startsWith('explain') ? 0 : declareCursor('').length
  const at = position - prefix - 1
  if (!(at >= 0 && at <= query.length)) return null
  const before = query.slice(0, at).split('\n')
  const line = query.split('\n')[before.length - 1] ?? ''
  return `line ${before.length}: ${line}\n${' '.repeat(`line ${before.length}: `.length + (before.at(-1)?.length ?? 0))}^`
}

export const OUTPUT_FORMATS = ['table', 'csv', 'json'] as const

/** Formats a query result page by page, so that a large result does not fill the memory. */
interface QueryOutput {
  page(page: QueryPage): string
  readonly end: string
}

/**
 * Makes the formatter of a query result.
 *
 * @param raw true: CSV texts that a spreadsheet could run as a formula are written without a `'` in front
 */
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
      // A number is never a formula, even if it begins with `-`.
      const isGuarded = (column: number) => !raw && !NUMBERS.has(types[column] ?? 0)
      return heading + (rows.length > 0 ? toCsv(rows, isGuarded) : '')
    },
    end: '',
  }
}

const { BOOL, FLOAT4, FLOAT8, INT2, INT4, INT8, JSON: JSON_TYPE, JSONB, NUMERIC } = pg.types.builtins
const NUMBERS: ReadonlySet<number> = new Set([INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC])
const DOCUMENTS: ReadonlySet<number> = new Set([JSON_TYPE, JSONB])
/** Type OID of `text[]` in PostgreSQL. The package `pg` has no names for array types. */
const TEXT_LIST = 1009
const listParser = pg.types.getTypeParser(TEXT_LIST as Parameters<typeof pg.types.getTypeParser>[0])
/** Type OIDs of `text[]`, `name[]`, `varchar[]` and `uuid[]` in PostgreSQL. */
const LISTS: ReadonlySet<number> = new Set([TEXT_LIST, 1003, 1015, 2951])

/**
 * Formats one JSON object that contains all rows of the result. A number that JSON readers would round is
 * written as text.
 */
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
  // JSON documents are printed as PostgreSQL returned them, because parsing them would round their numbers.
  if (DOCUMENTS.has(type)) return text
  if (NUMBERS.has(type) && type !== NUMERIC && isExact(text)) return text
  if (LISTS.has(type)) return JSON.stringify(listParser(text))
  return JSON.stringify(text)
}

/**
 * Returns true for a finite number. Returns false for an integer that a double-precision number cannot
 * represent exactly.
 */
function isExact(text: string): boolean {
  const value = Number(text)
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}
