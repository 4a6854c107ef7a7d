/** SQLSTATEs of data exceptions: the database rejects a value. */
const DATA_EXCEPTION = /^22\w{3}$/

/** Text from the first to the last quotation mark, in any language of the database (`lc_messages`). */
const IN_QUOTES = /["«»„“”](.*)["«»„“”]/s

/**
 * Returns the message of an error. If the database rejected a value, the message does not contain the value,
 * because it may be a value of a person.
 *
 * @param query query of the user; values in it may be shown
 */
export function messageOf(error: unknown, query = ''): string {
  // For a host with several addresses the error of each address is inside an AggregateError without a
  // message.
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0], query)
  if (!(error instanceof Error)) {
    // Some libraries throw objects that are not an Error.
    if (typeof error !== 'object' || error === null) return String(error)
    return 'message' in error ? String(error.message) : JSON.stringify(error)
  }
  if (!('code' in error && DATA_EXCEPTION.test(String(error.code)))) return error.message
  // The value may contain quotation marks, so everything between the first and the last is hidden.
  return error.message.replace(IN_QUOTES, (whole, value: string) =>
    query.includes(value.trim()) ? whole : '"…"',
  )
}
