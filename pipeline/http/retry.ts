import type { Environment } from '../runtime/environment.ts'
import type { Answer } from './http.ts'
import { HttpFault, ReadError } from './read-error.ts'

/** Longest wait between two tries, unless the source asks for a longer wait. */
const MAX_BACKOFF_MS = 30_000
const FIRST_BACKOFF_MS = 500

/** Thrown if a read is given up because another read of the run failed for good. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}

/** Repeats reads that may succeed later, within one time budget for all reads of a run. */
export interface Retries {
  /**
   * @param what names the read, for messages
   * @param read makes one whole try; anything that a failed try has written must not count. It calls `begin`
   * after a wait for the rate budget, so that this wait does not count as retry time
   */
  run<Result>(what: string, read: (begin: () => void) => Promise<Result>): Promise<Result>
  /** Ends all waits. Later tries fail with StoppedError. */
  stop(): void
  readonly signal: AbortSignal
}

/**
 * Makes retries by exponential backoff with full jitter: the wait is random between 0 and a ceiling that
 * doubles with each try.
 *
 * If the source says how long to wait, all reads from this source wait.
 *
 * @param budgetMs time that a run may spend on failed tries and on waiting; time that several reads spend at
 * the same moment counts once
 * @param report called with each wait, its cause, and the status of the answer
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
  /** `spentMs` includes all time that was spent up to this moment. */
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

/** Returns a random wait after a number of tries, below a ceiling that doubles with each try. */
export function backoffMs(environment: Environment, tries: number, firstMs = FIRST_BACKOFF_MS): number {
  return Math.ceil(environment.random() * Math.min(MAX_BACKOFF_MS, firstMs * 2 ** (tries - 1)))
}

/** Returns true if an answer with this status says that the same request may succeed later. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** Statuses that a proxy answers if it received no valid answer itself. */
const OF_PROXIES: ReadonlySet<number> = new Set([502, 503, 504])

/** Makes the fault for an answer with an unexpected status. */
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

/** Shortest wait that a server can ask for. */
const LEAST_WAIT_MS = 1_000

/**
 * Returns the wait that an answer asks for, at least one second. It reads `Retry-After` (seconds or a date),
 * then, only for a 429, `X-Rate-Limit-Reset` (seconds). It returns null if the answer asks for no wait.
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
