import type { Environment } from '../environment.ts'
import type { Answer } from './http.ts'
import { ReadError } from './read-error.ts'

/** Ceiling of a wait between two tries, unless the source asks for a longer one. */
const MAX_BACKOFF_MS = 30_000
const FIRST_BACKOFF_MS = 500
/** Tries at one request before giving up, however short the waits. */
const MAX_TRIES = 8

/** An answer that says to ask again later. */
export class RetryLaterError extends ReadError {
  /** How long the source asks to wait; null where it does not say. */
  readonly waitMs: number | null
  /** Status of the answer. */
  readonly status: number | null

  constructor(message: string, waitMs: number | null, status: number | null = null) {
    super(message, { retryable: true })
    this.waitMs = waitMs
    this.status = status
  }
}

/** Another read of the run failed for good, so this one is given up. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}

/** Repeats reads that may succeed later, within one time budget for all reads of a run. */
export interface Retries {
  /**
   * @param what names the read, for messages
   * @param read one whole try; what a failed try has written must not count
   */
  run<Result>(what: string, read: () => Promise<Result>): Promise<Result>
  /** Ends all waits; what is tried from now on fails with StoppedError. */
  stop(): void
  /** Aborted by `stop`. */
  readonly signal: AbortSignal
}

/**
 * Exponential backoff with full jitter: the wait is random between nothing and a ceiling that doubles.
 *
 * When the source says how long to wait, everything that is read from it waits.
 *
 * @param budgetMs time that a run may spend waiting, in all
 * @param report told about each wait, its cause, and the status that was answered
 */
export function makeRetries(
  environment: Environment,
  budgetMs: number,
  report: (what: string, cause: string, waitMs: number, status: number | null) => void,
): Retries {
  const { signal, abort } = stopSignal()
  let spentMs = 0
  let closedUntil = 0

  return {
    stop: abort,
    signal,
    async run(what, read) {
      for (let tries = 1; ; tries += 1) {
        for (let now = environment.now(); now < closedUntil; now = environment.now()) {
          if (signal.aborted) break
          await environment.sleep(closedUntil - now, signal)
        }
        if (signal.aborted) throw new StoppedError(`${what}: stopped, since another read failed`)
        try {
          return await read()
        } catch (error) {
          if (!(error instanceof ReadError) || !error.retryable) throw error
          const asked = error instanceof RetryLaterError ? error.waitMs : null
          const ceiling = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1))
          const waitMs = asked ?? Math.ceil(environment.random() * ceiling)
          if (tries >= MAX_TRIES) {
            throw new ReadError(`${error.message}; gave up after ${tries} tries`, {
              retryable: false,
              cause: error,
            })
          }
          const now = environment.now()
          // What others wait for already costs nothing more.
          const costMs = asked === null ? waitMs : now + waitMs - Math.max(now, closedUntil)
          if (costMs > 0 && spentMs + costMs > budgetMs) {
            const budget = `http.retryBudgetSeconds (${budgetMs / 1000})`
            throw new ReadError(`${error.message}; waiting longer would exceed ${budget}`, {
              retryable: false,
              cause: error,
            })
          }
          spentMs += Math.max(0, costMs)
          if (asked !== null) closedUntil = Math.max(closedUntil, now + asked)
          report(what, error.message, waitMs, error instanceof RetryLaterError ? error.status : null)
          await environment.sleep(waitMs, signal)
        }
      }
    },
  }
}

function stopSignal(): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
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
  if (answer.status === 408 || answer.status === 429 || answer.status >= 500) {
    throw new RetryLaterError(status, requestedWaitMs(answer, nowMs), answer.status)
  }
  const hint = HINTS[answer.status] ?? (isRedirect(answer.status) ? REDIRECT_HINT : undefined)
  throw new ReadError(hint === undefined ? status : `${status}: ${hint}`, { retryable: false })
}

const HINTS: Readonly<Record<number, string>> = {
  401: 'check the credentials in the configuration',
  403: 'check that the account (Source A: the Anonymous role) may read this',
  404: 'check source.url, source.version and source.eventId',
  422: 'check source.eventId and source.fields',
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}

const REDIRECT_HINT =
  'a redirect is followed three times at most, and only below source.url; check source.url'

/**
 * How long an answer asks to wait: `Retry-After` (seconds or a date), else, where it is a refusal for too many
 * requests, `X-Rate-Limit-Reset` (seconds); on any other answer that header says nothing about a wait.
 */
export function requestedWaitMs(
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  nowMs: number,
): number | null {
  const reset = status === 429 ? headers.get('x-rate-limit-reset') : null
  for (const value of [headers.get('retry-after'), reset]) {
    if (value === null || value.trim() === '') continue
    const seconds = Number(value)
    const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - nowMs
    // Zero or a past date would mean hammering: then our own backoff decides.
    if (Number.isFinite(waitMs) && waitMs > 0) return waitMs
  }
  return null
}
