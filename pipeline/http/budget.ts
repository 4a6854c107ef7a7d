import type { Answer } from './http.ts'

/**
 * Delays requests, so that the source or platform does not reject a request: according to the headers
 * `X-Rate-Limit-Remaining` and `X-Rate-Limit-Reset`, or in regular intervals.
 */
export interface RateBudget {
  /**
   * Waits until the source would accept one more request. As long as the budget is unknown, no request waits.
   *
   * @returns a function that the caller must call with the answer, or with null if no answer came
   * @throws StoppedError if the signal is aborted during the wait
   */
  spend(what: string, signal: AbortSignal): Promise<(answer: BudgetAnswer | null) => Promise<void>>
}

/** The part of an answer that says how many requests are left. */
export type BudgetAnswer = Pick<Answer, 'status' | 'headers'>
