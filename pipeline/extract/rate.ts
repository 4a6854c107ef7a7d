import type { Environment } from '../environment.ts'
import type { Answer } from './http.ts'
import { StoppedError } from './retry.ts'

/** What the requests of a run to one host share: the source says how many it still takes, and until when. */
export interface RateBudget {
  /**
   * Waits until one more request is within what the source takes.
   *
   * @returns to be called with the answer, or with null where none came
   * @throws StoppedError where the signal is aborted before that
   */
  spend(what: string, signal: AbortSignal): Promise<(answer: Told | null) => void | Promise<void>>
}

/** What of an answer tells of the budget. */
export type Told = Pick<Answer, 'status' | 'headers'>

/** A source that would have us wait longer than this is not believed; the next request asks it again. */
export const LONGEST_WAIT_MS = 900_000

/**
 * Paces requests by `X-Rate-Limit-Remaining` and `-Reset`, so that none is refused: waiting for a new window is no
 * failure and costs nothing of the budget for retries. Until the first answer nothing is known, and none waits.
 *
 * @param cost credits that a request takes
 * @param report told about each wait
 * Source: spec-gaps, "2000 credits per 10 minutes".
 */
export function makeRateBudget(
  environment: Environment,
  cost: number,
  report: (what: string, waitMs: number) => void,
): RateBudget {
  /** Credits of a whole window, and those left in this one before what is under way; null: unknown. */
  let limit: number | null = null
  let left: number | null = null
  /** Infinite until an answer tells of the window. */
  let resetAtMs = Number.POSITIVE_INFINITY
  let underWay = 0
  let answered = Promise.withResolvers<void>()

  function startWindow(): void {
    if (environment.now() < resetAtMs) return
    resetAtMs = Number.POSITIVE_INFINITY
    // A limit below the cost of a request counts something else: one goes, and its answer says more.
    left = limit === null ? null : Math.max(limit, cost)
  }

  function learn(headers: Answer['headers']): void {
    const remaining = countOf(headers.get('x-rate-limit-remaining'))
    const resetSeconds = countOf(headers.get('x-rate-limit-reset'))
    if (remaining === null || resetSeconds === null) return
    limit = countOf(headers.get('x-rate-limit-limit')) ?? limit
    startWindow()
    // Answers overtake one another: of one window, the one that says the least is the newest.
    left = Math.min(left ?? remaining, remaining)
    resetAtMs = Math.min(resetAtMs, environment.now() + Math.min(LONGEST_WAIT_MS, resetSeconds * 1000))
  }

  return {
    async spend(what, signal) {
      for (;;) {
        if (signal.aborted) throw new StoppedError(`${what}: stopped, since another read failed`)
        startWindow()
        // What is under way may not have been counted yet when the source said what is left.
        if (left === null || left - underWay * cost >= cost) break
        if (left >= cost) {
          await answered.promise
          continue
        }
        const waitMs = resetAtMs - environment.now()
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

/** A header that is a whole number; null where it is none. */
export function countOf(value: string | null): number | null {
  return value !== null && /^\d{1,9}$/.test(value.trim()) ? Number(value) : null
}
