import type { Environment } from '../runtime/environment.ts'
import type { Answer } from './http.ts'
import { HttpFault, ReadError } from './read-error.ts'

/**
 * Maximum wait between two attempts. If the source asks for a longer wait, the wait is longer than this
 * maximum.
 */
const MAX_BACKOFF_MS = 30_000
const FIRST_BACKOFF_MS = 500

/** Error of a read that was stopped because another read of the same run failed for good. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}

/** Repeats reads that may succeed later. All reads of a run share one time limit. */
export interface Retries {
  /**
   * Runs a read, with retries.
   *
   * @param what names the read in messages
   * @param read makes one complete attempt. Rows that a failed attempt has written must have no effect. The
   *   attempt calls `begin` after its wait for the rate budget, because this wait is not counted as retry
   *   time.
   */
  run<Result>(what: string, read: (begin: () => void) => Promise<Result>): Promise<Result>
  /** Ends all waits of the retries at once. Any attempt after `stop` fails with a StoppedError. */
  stop(): void
  readonly signal: AbortSignal
}

/**
 * Makes retries by exponential backoff with full jitter: each wait is random between 0 and a maximum that
 * doubles with each attempt.
 *
 * If the source says how long to wait, all reads from this source wait.
 *
 * @param budgetMs maximum time of a run for failed attempts and waits; time that several reads spend at the
 *   same moment is counted once
 * @param report called with each wait, its cause and the status of the answer
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
  /** End of the time that `spentMs` already includes. */
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
          const asked = error instanceof HttpFault ? error.waitMs : null
          const waitMs = Math.max(asked ?? 0, backoffMs(environment, tries))
          const now = environment.monotonic()
          const costMs = Math.max(0, now + waitMs - Math.max(begunMs, countedUntil))
          if (budgetMs === 0 || spentMs + costMs > budgetMs) {
            const budget = `http.retryBudgetSeconds (${budgetMs / 1000})`
            const what = `${error.what}; waiting longer would exceed ${budget}`
            throw new ReadError(what, { hint: error.hint, cause: error })
          }
          spentMs += costMs
          countedUntil = Math.max(countedUntil, now + waitMs)
          if (asked !== null) closedUntil = Math.max(closedUntil, now + waitMs)
          report(what, error.what, waitMs, error instanceof HttpFault ? error.status : null)
          await environment.sleep(waitMs, signal)
        }
      }
    },
  }
}

/** Returns a random wait before the next attempt. The maximum of the wait doubles with each attempt. */
export function backoffMs(environment: Environment, tries: number, firstMs = FIRST_BACKOFF_MS): number {
  return Math.ceil(environment.random() * Math.min(MAX_BACKOFF_MS, firstMs * 2 ** (tries - 1)))
}

/** Returns true if the status of an answer means that the same request may succeed later. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** Status codes of a proxy that received no valid answer from the server. */
const OF_PROXIES: ReadonlySet<number> = new Set([502, 503, 504])

/** Makes the error for an answer with an unexpected status. */
export function statusFault(
  answer: Pick<Answer, 'status' | 'headers' | 'sentOnBy'>,
  nowMs: number,
  hint: string | null = null,
) {
  const { status, sentOnBy } = answer
  const retryable = isTemporary(status)
  const waitMs = retryable ? requestedWaitMs(answer, nowMs) : null
  const isOfProxy = sentOnBy !== undefined && OF_PROXIES.has(status)
  const what = `answered ${status}${isOfProxy ? `, perhaps by the proxy ${sentOnBy}` : ''}`
  return new HttpFault(what, { kind: 'status', status, retryable, waitMs, hint })
}

/** Minimum wait for which a server can ask. */
const LEAST_WAIT_MS = 1_000

/**
 * Returns the wait for which an answer asks, which is at least one second. The wait is in the header
 * `Retry-After` (seconds or a date). For status 429, it then also reads `X-Rate-Limit-Reset` (seconds).
 * Returns null if the answer does not ask for a wait.
 */
export function requestedWaitMs(
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  nowMs: number,
): number | null {
  const reset = status === 429 ? headers.get('x-rate-limit-reset') : null
  let isAsked = false
  for (const value of [headers.get('retry-after'), reset]) {
    if (value === null || value.trim() === '') continue
    const seconds = Number(value)
    const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - nowMs
    if (!Number.isFinite(waitMs)) continue
    isAsked = true
    if (waitMs > 0) return Math.max(LEAST_WAIT_MS, waitMs)
  }
  return isAsked ? LEAST_WAIT_MS : null
}
