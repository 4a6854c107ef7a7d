import type { CreditGrant, CreditOrder } from '../../sql/rate-budgets.ts'
import type { Environment } from '../runtime/environment.ts'
import type { Answer } from './http.ts'
import { requestedWaitMs, StoppedError } from './retry.ts'

/** Paces requests by `X-Rate-Limit-Remaining` and `-Reset`, so that the source does not refuse a request. */
export interface RateBudget {
  /**
   * Waits until the source accepts one more request. Before the first answer the budget is unknown, and no
   * request waits.
   *
   * @returns a function to call with the answer, or with null if no answer came
   * @throws StoppedError if the signal is aborted during the wait
   */
  spend(what: string, signal: AbortSignal): Promise<(answer: BudgetAnswer | null) => Promise<void>>
}

/** The part of an answer that says how much of the budget is left. */
export type BudgetAnswer = Pick<Answer, 'status' | 'headers'>

/**
 * Budgets of requests, one for each account. An account is an account on a host, or a host that is read without credentials.
 */
export interface RateBudgets {
  /**
   * @param cost credits that a request takes
   * @param report called with each wait
   */
  of(account: string, cost: number, report: (what: string, waitMs: number) => void): RateBudget
  /**
   * Records the budget that the last answers reported. It never rejects, because the next answer reports the
   * budget again.
   */
  close(): Promise<void>
}

/**
 * Takes the credits of a request from the budget of an account, which is in memory or in a database that
 * processes share.
 */
export type TakeCredits = (account: string, order: CreditOrder) => Promise<CreditGrant>

/** Longest wait that an answer may cause. After it the next request asks the source again. */
const LONGEST_WAIT_MS = 900_000
/**
 * A waiting request asks the budget this often: another process may have learned that the window ends sooner.
 */
const LOOK_MS = 15_000

/**
 * Makes a budget of requests for each account. Each request takes only its own credits, so a process that dies wastes no
 * others.
 */
export function makeRateBudgets(environment: Environment, take: TakeCredits): RateBudgets {
  const accounts = new Map<string, Account>()
  return {
    of(name, cost, report) {
      const account = accounts.get(name) ?? makeAccount(environment, cost, (order) => take(name, order))
      accounts.set(name, account)
      return budgetOf(environment, account, report)
    },
    async close() {
      await Promise.allSettled([...accounts.values()].map((account) => account.reportNews()))
      accounts.clear()
    },
  }
}

/**
 * Keeps the budgets in memory. One process sees every answer. So a request waits for a pending answer, which
 * may report more credits, before it waits for a new window. `closedMs` is ignored: if an account asks for a
 * pause, the retries of the run wait.
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
      // A limit below the cost of a request counts something else. One request is sent, and its answer says
      // more.
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

/** The credits that an account has left in the current window, and the end of the window. */
interface Window {
  limit: number | null
  left: number | null
  resetAtMs: number
}

const UNKNOWN = Number.POSITIVE_INFINITY

type Account = ReturnType<typeof makeAccount>

/**
 * Counts the unanswered requests of this process, and collects what answers reported since the budget was
 * last asked.
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

  /** Runs one order at a time, so that each order knows how many requests are unanswered. */
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
      resetMs: told === null ? null : Math.round(told.resetAtMs - environment.monotonic()),
      closedMs: closed,
    })
    if (grant.isGranted && wantsRequest) underWay += 1
    return grant
  }

  return {
    take: () => inTurn(() => order(true)),
    /** Resolves with the next answer; at once if all requests are answered. */
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
        // If the window has ended, only its limit is still valid.
        const latest = news !== null && nowMs < news.resetAtMs ? news : null
        news = {
          limit: countOf(answer.headers.get('x-rate-limit-limit')) ?? news?.limit ?? null,
          // Answers can arrive in another order than requests. Within a window the lowest number is the
          // newest.
          left: Math.min(latest?.left ?? left, left),
          resetAtMs: Math.min(latest?.resetAtMs ?? resetAtMs, resetAtMs),
        }
      }
      const waitMs =
        answer.status === 429 || answer.status === 503 ? requestedWaitMs(answer, environment.now()) : null
      if (waitMs === null) return
      closedMs = Math.ceil(Math.min(LONGEST_WAIT_MS, Math.max(closedMs ?? 0, waitMs)))
      // Other processes must learn of the pause at once.
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

/** Parses a header. @returns null if the header is not a whole number */
function countOf(value: string | null): number | null {
  return value !== null && /^\d{1,9}$/.test(value.trim()) ? Number(value) : null
}
