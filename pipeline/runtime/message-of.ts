import { pathFaultOf } from './path-fault.ts'

/** SQLSTATE error codes of data exceptions, in which the database rejects a value. */
const DATA_EXCEPTION = /^22\w{3}$/

/** SQLSTATE error code of a write into a read-only database. */
const READ_ONLY = '25006'
export const IS_READ_ONLY =
  'the database takes no writes: it is a standby, or default_transaction_read_only is on for it or its user; name the primary in `database`'

/**
 * Text between the first and the last quotation mark, whatever the language of the database messages is
 * (`lc_messages`).
 */
const IN_QUOTES = /["«»„“”](.*)["«»„“”]/s

/**
 * Returns the message of an error. If the database rejected a value, the value is removed from the message,
 * because it may be personal data. If the operating system refused a path, the message says why, and what to
 * do. If the database takes no writes, the message says what to do.
 *
 * @param query query that the user wrote; values in it may be shown
 */
export function messageOf(error: unknown, query = ''): string {
  // For a host with several addresses, the error of each address is inside an AggregateError that has no
  // message itself.
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0], query)
  if (!(error instanceof Error)) {
    // Some libraries throw objects that are not an Error.
    if (typeof error !== 'object' || error === null) return String(error)
    return 'message' in error ? String(error.message) : JSON.stringify(error)
  }
  const refused = pathFaultOf(error)
  if (refused !== null) return `${error.message}; ${refused.what}; ${refused.todo}`
  if ('code' in error && error.code === READ_ONLY && query === '') return IS_READ_ONLY
  if (!('code' in error && DATA_EXCEPTION.test(String(error.code)))) return error.message
  // The value may itself contain quotation marks, so everything between the first and the last quotation mark
  // is hidden.
  return error.message.replace(IN_QUOTES, (whole, value: string) =>
    query.includes(value.trim()) ? whole : '"…"',
  )
}
