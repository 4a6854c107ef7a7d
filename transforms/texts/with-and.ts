/** Joins texts for use in a sentence: `agenda`, `agenda and speakers`, `agenda, speakers and attendees`. */
export function withAnd(texts: readonly string[]): string {
  const [last = '', ...before] = texts.toReversed()
  return before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`
}
