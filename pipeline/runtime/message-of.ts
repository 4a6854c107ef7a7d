/** SQLSTATEs of data exceptions: a value that the database cannot take. */
const DATA_EXCEPTION = /^22\w{3}$/

/** From the first to the last quotation mark, in any language that the database may speak (`lc_messages`). */
const IN_QUOTES = /["«»„“”](.*)["«»„“”]/s

/**
 * Returns what an error says; where the database rejects a value, without that value, which may be a person's.
 *
 * @param query a text whose values are not a secret
 */
export function messageOf(error: unknown, query = ''): string {
  // A host with several addresses gives an error for each, and no error itself.
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0], query)
  if (!(error instanceof Error)) {
    // Some libraries throw objects.
    if (typeof error !== 'object' || error === null) return String(error)
    return 'message' in error ? String(error.message) : JSON.stringify(error)
  }
  if (!('code' in error && DATA_EXCEPTION.test(String(error.code)))) return error.message
  // The value may contain quotation marks, so everything between the first and the last is hidden.
  return error.message.replace(IN_QUOTES, (whole, value: string) =>
    query.includes(value.trim()) ? whole : '"…"',
  )
}
