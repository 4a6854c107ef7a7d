import type { Answer } from '../../http/http.ts'
import { isTemporary, statusFault } from '../../http/retry.ts'

/**
 * Returns the answer of a source if its status is 200.
 *
 * @throws HttpFault for any other status, with a hint about what to check; it is retryable for 408, 429 and
 *   5xx
 */
export function requireOk(answer: Answer, nowMs: number): Answer {
  if (answer.status === 200) return answer
  answer.discard()
  throw statusFault(answer, nowMs, hintFor(answer.status))
}

const HINTS: Readonly<Record<number, string>> = {
  400: 'check source.eventId and source.fields',
  401: 'check the credentials in the configuration',
  403: 'check that the account (Source A: the Anonymous role) may read this',
  404: 'check source.url and the keys of source that name the event, such as source.eventId',
  422: 'check source.eventId and source.fields',
}

const REDIRECT_HINT =
  'a redirect is followed three times at most, and only below source.url; check source.url'

export const LATER_HINT = 'try again later; if it persists, ask the people who run the source'

export function hintFor(status: number): string | null {
  if (isTemporary(status)) return LATER_HINT
  return status >= 300 && status < 400 ? REDIRECT_HINT : (HINTS[status] ?? null)
}
