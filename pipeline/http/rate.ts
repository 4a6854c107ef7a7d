import type { Environment } from '../runtime/environment.ts'
import type { Answer } from './http.ts'
import { StoppedError } from './retry.ts'

/** Paces the requests of a run to one host by what the source says it still takes, and until when. */
export interface RateBudget {
  /**
   * Waits until the source takes one more request.
   *
   * @returns a function to call with the answer, or with null where none came
   * @throws StoppedError where the signal is aborted before that
   */
  spend(what: string, signal: AbortSignal): Promise<(answer: BudgetAnswer | null) => void | Promise<void>>
}

/** The part of an answer that says what is left of the budget. */
export type BudgetAnswer = Pick<Answer, 'status' | 'headers'>

/** A longer wait than this is not believed; the next request asks the source again. */
export const LONGEST_WAIT_MS = 900_000

/**
 * Paces requests by `X-Rate-Limit-Remaining` and `-Reset`, so that none is refused: waiting for a new window costs nothing of
 * the budget for retries. Until the first answer nothing is known, and no request waits.
 *
 * @param cost credits that a request takes
 * @param report called with each wait
 */
export function makeRateBudget(
  environment: Environment,
  cost: number,
  report: (what: string, waitMs: number) => void,
): RateBudget {
  /** Credits of a whole window, and those left in this one, requests under way not counted; null: unknown. */
  let limit: number | null = null
  let left: number | null = null
  let resetAtMs = Number.POSITIVE_INFINITY
  let underWay = 0
  let answered = Promise.withResolvers<void>()

  function startWindow(): void {
    if (environment.monotonic() < resetAtMs) return
    resetAtMs = Number.POSITIVE_INFINITY
    // A limit below the cost of a request counts something else: one request goes, and its answer says more.
    left = limit === null ? null : Math.max(limit, cost)
  }

  function learn(headers: Answer['headers']): void {
    const remaining = countOf(headers.get('x-rate-limit-remaining'))
    const resetSeconds = countOf(headers.get('x-rate-limit-reset'))
    if (remaining === null || resetSeconds === null) return
    limit = countOf(headers.get('x-rate-limit-limit')) ?? limit
    startWindow()
    // Answers overtake one another: within a window, the lowest figure is the newest.
    left = Math.min(left ?? remaining, remaining)
    resetAtMs = Math.min(resetAtMs, environment.monotonic() + Math.min(LONGEST_WAIT_MS, resetSeconds * 1000))
  }

  return {
    async spend(what, signal) {
      for (;;) {
        if (signal.aborted) throw new StoppedError(`${what}: stopped, since another read failed`)
        startWindow()
        // The source may not have counted the requests under way yet.
        if (left === null || left - underWay * cost >= cost) break
        if (left >= cost) {
          await answered.promise
          continue
        }
        const waitMs = resetAtMs - environment.monotonic()
        report(what, waitMs)
        await environment.sleep(waitMs, signal)
      }
      underWay += 1
      return (answer) => {
        underWay -= 1
        if (answer !== null) learn(answer.headers)
        answered.resolve()
        answered = Promise.withResolvers()
      }
    },
  }
}

/** @returns null for a header that is no whole number */
export function countOf(value: string | null): number | null {
  return value !== null && /^\d{1,9}$/.test(value.trim()) ? Number(value) : null
}
