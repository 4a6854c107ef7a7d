import type { CreditGrant, CreditOrder } from '../../sql/rate-budgets.ts'
import type { Environment } from '../runtime/environment.ts'
import type { Answer } from './http.ts'
import { requestedWaitMs, StoppedError } from './retry.ts'

/** Paces requests by `X-Rate-Limit-Remaining` and `-Reset`, so that none is refused. */
export interface RateBudget {
  /**
   * Waits until the source takes one more request. Until the first answer nothing is known, and no request waits.
   *
   * @returns a function to call with the answer, or with null where none came
   * @throws StoppedError where the signal is aborted before that
   */
  spend(what: string, signal: AbortSignal): Promise<(answer: BudgetAnswer | null) => Promise<void>>
}

/** The part of an answer that says what is left of the budget. */
export type BudgetAnswer = Pick<Answer, 'status' | 'headers'>

/** The budgets of accounts: each is an account on a host, or a host that is read without credentials. */
export interface RateBudgets {
  /**
   * @param cost credits that a request takes
   * @param report called with each wait
   */
  of(account: string, cost: number, report: (what: string, waitMs: number) => void): RateBudget
  /** Records what the last answers said; never rejects, since the next answer says it again. */
  close(): Promise<void>
}

/** Takes the credits of a request from where an account's budget is kept: in memory, or in a database that processes share. */
export type TakeCredits = (account: string, order: CreditOrder) => Promise<CreditGrant>

/** A longer wait than this is not believed; the next request asks the source again. */
const LONGEST_WAIT_MS = 900_000
/** Asks again before the window ends: another process may have learned that it ends sooner. */
const LOOK_MS = 15_000

/** Keeps each account's budget. Every request takes its own credits, so a process that dies has taken no others. */
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
 * Keeps in memory what is left. One process sees every answer, so nobody waits for a new window while an answer is due that may say
 * more. It ignores `closedMs`: if an account asks to be left alone, the retries of the run wait.
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
      // A limit below the cost of a request counts something else: one request goes, and its answer says more.
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

/** Describes what is left of the budget of an account in this window, and when it ends. */
interface Window {
  limit: number | null
  left: number | null
  resetAtMs: number
}

const UNKNOWN = Number.POSITIVE_INFINITY

type Account = ReturnType<typeof makeAccount>

/** Knows which requests of this process are under way, and what answers have said since the budget was last asked. */
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

  /** One at a time: each knows how many requests are under way. */
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
    /** Resolves with the next answer; at once if none is due. */
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
        // Only the limit of a window that has ended still counts.
        const latest = news !== null && nowMs < news.resetAtMs ? news : null
        news = {
          limit: countOf(answer.headers.get('x-rate-limit-limit')) ?? news?.limit ?? null,
          // Answers overtake one another: within a window, the lowest figure is the newest.
          left: Math.min(latest?.left ?? left, left),
          resetAtMs: Math.min(latest?.resetAtMs ?? resetAtMs, resetAtMs),
        }
      }
      const waitMs =
        answer.status === 429 || answer.status === 503 ? requestedWaitMs(answer, environment.now()) : null
      if (waitMs === null) return
      closedMs = Math.ceil(Math.min(LONGEST_WAIT_MS, Math.max(closedMs ?? 0, waitMs)))
      // Other processes must know at once.
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

/** @returns null for a header that is not a whole number */
function countOf(value: string | null): number | null {
  return value !== null && /^\d{1,9}$/.test(value.trim()) ? Number(value) : null
}
