import { declareCursor } from '../database/read-only.ts'
import { messageOf } from '../text/message-of.ts'

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
      `${word} is a command of psql, not SQL; sql/README.md has the dictionary, and the query that shows it`,
    )
  }
  throw new QueryError(
    `sql only reads: a query begins with select, with, values, table or explain, not with "${word}"; nothing was changed`,
  )
}

/** What the database said of a query, with its hint and the place in the query; other errors as they are. */
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
  const hint = HINTS[String(error.code)] ?? said.hint
  if (hint !== undefined) lines.push(`hint: ${hint}`)
  return new QueryError(lines.join('\n'), { cause: error })
}

function wordsFor(message: string): string {
  if (message.includes('cannot insert multiple commands')) return 'one statement at a time'
  if (/^DECLARE CURSOR must not contain/.test(message)) return 'sql only reads; nothing was changed'
  return message
}

/** For mistakes that are made often here, by SQLSTATE. */
const HINTS: Readonly<Record<string, string>> = {
  '42P01':
    'for readers there are published.agenda, published.speakers, published.attendees and more; sql/README.md lists them all, by schema and name',
  '42883': "ids are text, so they are in quotes: unique_id = '5757'",
  '22P02': "is it a list? then '70325' = any (speaker_ids) looks into it",
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
