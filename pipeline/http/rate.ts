import type { CreditGrant, CreditOrder } from '../../sql/rate-budgets.ts'
import type { Environment } from '../runtime/environment.ts'
import type { BudgetAnswer, RateBudget } from './budget.ts'
import { LONGEST_WAIT_MS, pacedBudget, type Turns, turnsInMemory } from './pace.ts'
import { requestedWaitMs, StoppedError } from './retry.ts'

/**
 * Request budgets, one for each account. An account is a user of a source's host. A host that is read without
 * credentials is one account.
 */
export interface RateBudgets {
  /**
   * Returns the budget of an account.
   *
   * @param cost credits that one request takes
   * @param report called with each wait
   */
  of(account: string, cost: number, report: (what: string, waitMs: number) => void): RateBudget
  /**
   * Returns the budget of an account at a platform that takes a known number of requests a minute.
   *
   * @param report called with each wait of at least a second
   */
  paced(
    account: string,
    requestsPerMinute: number,
    report: (what: string, waitMs: number) => void,
  ): RateBudget
  /**
   * Records the budget that the last answers stated. The promise never rejects, because the next answer
   * states the budget again.
   */
  close(): Promise<void>
}

/**
 * Takes the credits for one request from the budget of an account. The budget is in memory, or in a database
 * that several processes share.
 */
export type TakeCredits = (account: string, order: CreditOrder) => Promise<CreditGrant>

/**
 * Interval at which a waiting request asks the budget again. Another process may have learned that the time
 * window ends earlier.
 */
const LOOK_MS = 15_000

/**
 * Makes the request budgets, one for each account. Each request takes only its own credits, so a process that
 * dies wastes no other credits.
 */
export function makeRateBudgets(
  environment: Environment,
  take: TakeCredits,
  turns: Turns = turnsInMemory(environment),
): RateBudgets {
  const accounts = new Map<string, Account>()
  return {
    of(name, cost, report) {
      const account = accounts.get(name) ?? makeAccount(environment, cost, (order) => take(name, order))
      accounts.set(name, account)
      return budgetOf(environment, account, report)
    },
    paced: (account, requestsPerMinute, report) =>
      pacedBudget(environment, turns, account, requestsPerMinute, report),
    async close() {
      await Promise.allSettled([...accounts.values()].map((account) => account.reportNews()))
      accounts.clear()
    },
  }
}

/**
 * Keeps the request budgets in memory. With a budget in memory, one process sees every answer. A request that
 * finds no credits therefore first waits for answers that are still due, because they may state more credits.
 * Only then does it wait for the next time window. `closedMs` is ignored here: if the source asks an account
 * to pause, the retries of the run wait.
 */
export function creditsInMemory({ monotonic }: Environment): TakeCredits {
  const windows = new Map<string, Window>()
  return async (account, { cost, limit, left, resetMs, underWay }) => {
    const nowMs = monotonic()
    const window = windows.get(account) ?? { limit: null, left: null, resetAtMs: UNKNOWN }
    windows.set(account, window)
    const renew = () => {
      if (nowMs < window.resetAtMs) return
      window.resetAtMs = UNKNOWN
      // A limit that is lower than the cost of one request counts something else than credits. If the limit
      // is too low, one request is sent anyway, and its answer states the budget.
      window.left = window.limit === null ? null : Math.max(window.limit, cost)
    }
    renew()
    window.limit = limit ?? window.limit
    if (left !== null) window.left = Math.min(window.left ?? left, left)
    if (resetMs !== null) window.resetAtMs = Math.min(window.resetAtMs, nowMs + resetMs)
    renew()
    if (window.left === null || window.left - underWay >= cost) return { isGranted: true, waitMs: 0 }
    return { isGranted: false, waitMs: window.left >= cost ? null : window.resetAtMs - nowMs }
  }
}

/** The credits that an account still has in the current time window, and the end of the window. */
interface Window {
  limit: number | null
  left: number | null
  resetAtMs: number
}

const UNKNOWN = Number.POSITIVE_INFINITY

type Account = ReturnType<typeof makeAccount>

/**
 * Counts the requests of this process whose answers are still due. Collects the limits that the answers have
 * stated after the last request to the budget.
 */
function makeAccount(
  environment: Environment,
  cost: number,
  take: (order: CreditOrder) => Promise<CreditGrant>,
) {
  let underWay = 0
  let news: { limit: number | null; left: number; resetAtMs: number } | null = null
  let closedMs: number | null = null
  let answered = Promise.withResolvers<void>()
  let last: Promise<unknown> = Promise.resolve()

  /** Runs one order at a time, so that each order knows how many answers are still due. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.then(work, work)
    last = turn
    return turn
  }

  async function order(wantsRequest: boolean): Promise<CreditGrant> {
    const told = news
    const closed = closedMs
    news = null
    closedMs = null
    const grant = await take({
      cost,
      wantsRequest,
      limit: told?.limit ?? null,
      left: told?.left ?? null,
      underWay: underWay * cost,
      resetMs: told === null ? null : Math.ceil(told.resetAtMs - environment.monotonic()),
      closedMs: closed,
    })
    if (grant.isGranted && wantsRequest) underWay += 1
    return grant
  }

  return {
    take: () => inTurn(() => order(true)),
    /** Resolves when the next answer comes. The promise resolves at once if no answer is due. */
    async nextAnswer() {
      if (underWay > 0) await answered.promise
    },
    async learn(answer: BudgetAnswer | null) {
      underWay -= 1
      answered.resolve()
      answered = Promise.withResolvers()
      if (answer === null) return
      const nowMs = environment.monotonic()
      const left = countOf(answer.headers.get('x-rate-limit-remaining'))
      const resetSeconds = countOf(answer.headers.get('x-rate-limit-reset'))
      if (left !== null && resetSeconds !== null) {
        const resetAtMs = nowMs + Math.min(LONGEST_WAIT_MS, resetSeconds * 1000)
        // If the time window has ended, only its limit is still valid.
        const latest = news !== null && nowMs < news.resetAtMs ? news : null
        news = {
          limit: countOf(answer.headers.get('x-rate-limit-limit')) ?? news?.limit ?? null,
          // Answers can arrive in another order than their requests. Within a time window the lowest number
          // of credits is the newest.
          left: Math.min(latest?.left ?? left, left),
          resetAtMs: Math.min(latest?.resetAtMs ?? resetAtMs, resetAtMs),
        }
      }
      const waitMs =
        answer.status === 429 || answer.status === 503 ? requestedWaitMs(answer, environment.now()) : null
      if (waitMs === null) return
      closedMs = Math.ceil(Math.min(LONGEST_WAIT_MS, Math.max(closedMs ?? 0, waitMs)))
      // Other processes must learn immediately that the source asks for a pause.
      await inTurn(() => order(false))
    },
    async reportNews() {
      if (news !== null) await inTurn(() => order(false))
    },
  }
}

function budgetOf(
  environment: Environment,
  account: Account,
  report: (what: string, waitMs: number) => void,
): RateBudget {
  return {
    async spend(what, signal) {
      for (let isReported = false; ; ) {
        if (signal.aborted) throw new StoppedError(`${what}: stopped, since another read failed`)
        const { isGranted, waitMs } = await account.take()
        if (isGranted) return (answer) => account.learn(answer)
        if (waitMs === null) {
          await account.nextAnswer()
          continue
        }
        if (!isReported) report(what, waitMs)
        isReported = true
        await environment.sleep(Math.min(waitMs, LOOK_MS), signal)
      }
    },
  }
}

/** Parses a header as a whole number. @returns null if the header is not a whole number */
function countOf(value: string | null): number | null {
  return value !== null && /^\d{1,9}$/.test(value.trim()) ? Number(value) : null
}
