import type { Environment } from '../runtime/environment.ts'
import type { Answer } from './http.ts'
import { ReadError } from './read-error.ts'

/** Ceiling of a wait between two tries, unless the source asks for a longer one. */
const MAX_BACKOFF_MS = 30_000
const FIRST_BACKOFF_MS = 500

export class RetryLaterError extends ReadError {
  readonly waitMs: number | null
  readonly status: number | null

  constructor(message: string, waitMs: number | null, status: number | null = null) {
    super(message, { retryable: true })
    this.waitMs = waitMs
    this.status = status
  }
}

export class RefusedError extends ReadError {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** This read is given up, since another one of the run failed for good. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}

/** Repeats reads that may succeed later, within one time budget for all reads of a run. */
export interface Retries {
  /**
   * @param what names the read, for messages
   * @param read one whole try; what a failed try has written must not count. It calls `begin` after a wait for the rate
   *   budget, which costs nothing
   */
  run<Result>(what: string, read: (begin: () => void) => Promise<Result>): Promise<Result>
  /** Ends all waits; later tries fail with StoppedError. */
  stop(): void
  readonly signal: AbortSignal
}

/**
 * Exponential backoff with full jitter: the wait is random between nothing and a ceiling that doubles.
 *
 * When the source says how long to wait, everything that is read from it waits.
 *
 * @param budgetMs time that a run may spend on failed tries and on waiting; what several reads spend at the same time counts once
 * @param report called with each wait, its cause, and the status that was answered
 */
export function makeRetries(
  environment: Environment,
  budgetMs: number,
  report: (what: string, cause: string, waitMs: number, status: number | null) => void,
): Retries {
  const controller = new AbortController()
  const { signal } = controller
  let spentMs = 0
  let closedUntil = 0
  /** `spentMs` has all that was spent before this moment. */
  let countedUntil = Number.NEGATIVE_INFINITY

  return {
    stop: () => controller.abort(),
    signal,
    async run(what, read) {
      for (let tries = 1; ; tries += 1) {
        for (let now = environment.monotonic(); now < closedUntil; now = environment.monotonic()) {
          if (signal.aborted) break
          await environment.sleep(closedUntil - now, signal)
        }
        if (signal.aborted) throw new StoppedError(`${what}: stopped, since another read failed`)
        let begunMs = environment.monotonic()
        try {
          return await read(() => {
            begunMs = environment.monotonic()
          })
        } catch (error) {
          if (!(error instanceof ReadError) || !error.retryable) throw error
          const asked = error instanceof RetryLaterError ? error.waitMs : null
          const ceiling = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1))
          const waitMs = asked ?? Math.ceil(environment.random() * ceiling)
          const now = environment.monotonic()
          const costMs = Math.max(0, now + waitMs - Math.max(begunMs, countedUntil))
          if (budgetMs === 0 || spentMs + costMs > budgetMs) {
            const budget = `http.retryBudgetSeconds (${budgetMs / 1000})`
            throw new ReadError(`${error.message}; waiting longer would exceed ${budget}`, { cause: error })
          }
          spentMs += costMs
          countedUntil = Math.max(countedUntil, now + waitMs)
          if (asked !== null) closedUntil = Math.max(closedUntil, now + asked)
          report(what, error.message, waitMs, error instanceof RetryLaterError ? error.status : null)
          await environment.sleep(waitMs, signal)
        }
      }
    },
  }
}

/** Whether an answer says that the same request may succeed later. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/**
 * Accepts a good answer; anything else is a failed read that says what to check.
 *
 * @throws ReadError; RetryLaterError for 408, 429 and 5xx
 */
export function requireOk(answer: Answer, nowMs: number): Answer {
  if (answer.status === 200) return answer
  answer.discard()
  const status = `answered ${answer.status}`
  if (isTemporary(answer.status)) {
    throw new RetryLaterError(status, requestedWaitMs(answer, nowMs), answer.status)
  }
  const isRedirect = answer.status >= 300 && answer.status < 400
  const hint = isRedirect ? REDIRECT_HINT : HINTS[answer.status]
  throw new RefusedError(hint === undefined ? status : `${status}: ${hint}`, answer.status)
}

const HINTS: Readonly<Record<number, string>> = {
  401: 'check the credentials in the configuration',
  403: 'check that the account (Source A: the Anonymous role) may read this',
  404: 'check source.url, source.version and source.eventId',
  422: 'check source.eventId and source.fields',
}

const REDIRECT_HINT =
  'a redirect is followed three times at most, and only below source.url; check source.url'

/** The wait that an answer asks for: `Retry-After` (seconds or a date), else, of a 429 only, `X-Rate-Limit-Reset` (seconds). */
export function requestedWaitMs(
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  nowMs: number,
): number | null {
  const reset = status === 429 ? headers.get('x-rate-limit-reset') : null
  for (const value of [headers.get('retry-after'), reset]) {
    if (value === null || value.trim() === '') continue
    const seconds = Number(value)
    const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - nowMs
    // With zero or a past date our own backoff decides.
    if (Number.isFinite(waitMs) && waitMs > 0) return waitMs
  }
  return null
}
