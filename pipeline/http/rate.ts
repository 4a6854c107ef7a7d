import type { Lease, LeaseOrder } from '../../sql/rate-budgets.ts'
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
  /** Gives unused credits back; never rejects, since at worst they are lost until the window ends. */
  close(): Promise<void>
}

/** Where it is kept how many credits are left. */
export interface CreditStore {
  /** Other processes take credits from it, and may give back what they took. */
  readonly isShared: boolean
  take(account: string, order: LeaseOrder): Promise<Lease>
}

/** A longer wait than this is not believed; the next request asks the source again. */
const LONGEST_WAIT_MS = 900_000
/** A lease of a shared store ends after this long: another process may have been told to wait. */
const LEASE_MS = 2_000
/** Most requests of one lease: if a process dies, they are lost until the window ends. */
const MOST_REQUESTS = 32
/** In a shared store there may be credits before the window ends, so it is asked again before that. */
const FIRST_LOOK_MS = 1_000
const LAST_LOOK_MS = 15_000

/**
 * Takes leases of a few requests, twice as many each time they were used up early: a process that reads much asks the
 * database seldom, and one that reads little takes little.
 */
export function makeRateBudgets(environment: Environment, store: CreditStore): RateBudgets {
  const leases = new Map<string, AccountLease>()
  return {
    of(account, cost, report) {
      const lease = leases.get(account) ?? makeLease(environment, cost, account, store)
      leases.set(account, lease)
      return budgetOf(environment, lease, store, report)
    },
    async close() {
      await Promise.allSettled([...leases.values()].map((lease) => lease.giveBack()))
      leases.clear()
    },
  }
}

/**
 * Keeps in memory what is left. One process sees every answer, so it grants request by request: nobody waits for a new window while
 * an answer is due that may say more. An account that asks to be left alone is no matter of it: the retries of the run wait.
 */
export function creditsInMemory({ monotonic }: Environment): CreditStore {
  const accounts = new Map<string, Window>()
  const take: CreditStore['take'] = async (account, { cost, limit, left, resetMs, underWay }) => {
    const nowMs = monotonic()
    const window = accounts.get(account) ?? { limit: null, left: null, resetAtMs: UNKNOWN }
    accounts.set(account, window)
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
    const lease: Lease = { granted: 0, waitMs: 0, window: '0' }
    if (window.left === null) return { ...lease, granted: null }
    if (window.left - underWay >= cost) return { ...lease, granted: cost }
    return { ...lease, waitMs: window.left >= cost ? null : window.resetAtMs - nowMs }
  }
  return { isShared: false, take }
}

/** What is left of the budget of an account in this window, and when it ends. */
interface Window {
  limit: number | null
  left: number | null
  resetAtMs: number
}

const UNKNOWN = Number.POSITIVE_INFINITY

type AccountLease = ReturnType<typeof makeLease>

/** What this process holds of a budget. */
function makeLease(environment: Environment, cost: number, account: string, store: CreditStore) {
  /** Null: no limit. */
  let credits: number | null = 0
  let untilMs = 0
  let window = '0'
  let requests = 1
  let underWay = 0
  /** What answers said since the last order. */
  let news: { limit: number | null; left: number; resetAtMs: number } | null = null
  let closedMs: number | null = null
  let renewing: Promise<number | null> | null = null
  let answered = Promise.withResolvers<void>()

  async function order(wanted: number): Promise<number | null> {
    const nowMs = environment.monotonic()
    const latest = news
    const returned = credits ?? 0
    const closed = closedMs
    news = null
    closedMs = null
    credits = 0
    const lease = await store.take(account, {
      cost,
      wanted,
      returned,
      window,
      limit: latest?.limit ?? null,
      left: latest?.left ?? null,
      underWay: underWay * cost,
      resetMs: latest === null ? null : Math.round(latest.resetAtMs - nowMs),
      closedMs: closed,
    })
    credits = lease.granted
    window = lease.window
    untilMs = store.isShared ? environment.monotonic() + LEASE_MS : Number.POSITIVE_INFINITY
    return lease.waitMs
  }

  /**
   * Concurrent callers share the pending request.
   *
   * @returns how long nothing is granted; null: until the next answer
   */
  function renew(): Promise<number | null> {
    if (renewing !== null) return renewing
    const isUsedUp = credits !== null && credits < cost
    if (isUsedUp && environment.monotonic() < untilMs) requests = Math.min(MOST_REQUESTS, requests * 2)
    else if (!isUsedUp) requests = Math.ceil(requests / 2)
    renewing = order(requests * cost).finally(() => {
      renewing = null
    })
    return renewing
  }

  return {
    /** Uses up one request of the lease, where there is one. */
    use(): boolean {
      if (environment.monotonic() >= untilMs || (credits !== null && credits < cost)) return false
      if (credits !== null) credits -= cost
      underWay += 1
      return true
    },
    renew,
    /** Resolves with the next answer; at once where none is due. */
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
        // Of a window that has ended, only its limit still counts.
        const latest = news !== null && nowMs < news.resetAtMs ? news : null
        news = {
          limit: countOf(answer.headers.get('x-rate-limit-limit')) ?? news?.limit ?? null,
          // Answers overtake one another: within a window, the lowest figure is the newest.
          left: Math.min(latest?.left ?? left, left),
          resetAtMs: Math.min(latest?.resetAtMs ?? resetAtMs, resetAtMs),
        }
        // There is a limit after all, or little is left of it: the next caller asks.
        if (credits === null || left < MOST_REQUESTS * cost) untilMs = Math.min(untilMs, nowMs)
        // At once, since after the window's end this would be taken for the next one's.
        if (!store.isShared) await order(cost)
      }
      const waitMs =
        answer.status === 429 || answer.status === 503 ? requestedWaitMs(answer, environment.now()) : null
      if (waitMs === null) return
      closedMs = Math.ceil(Math.min(LONGEST_WAIT_MS, Math.max(closedMs ?? 0, waitMs)))
      // Others must know at once, and the rest of the lease must not be used now.
      untilMs = 0
      await renewing
      await renew()
    },
    async giveBack() {
      await renewing
      if (news !== null || (credits ?? 0) > 0) await order(0)
    },
  }
}

function budgetOf(
  environment: Environment,
  lease: AccountLease,
  { isShared }: CreditStore,
  report: (what: string, waitMs: number) => void,
): RateBudget {
  return {
    async spend(what, signal) {
      for (let look = FIRST_LOOK_MS, isReported = false; !lease.use(); ) {
        if (signal.aborted) throw new StoppedError(`${what}: stopped, since another read failed`)
        const waitMs = await lease.renew()
        if (waitMs === null) await lease.nextAnswer()
        if (waitMs === null || waitMs === 0) continue
        if (!isReported) report(what, waitMs)
        isReported = true
        const lookMs = isShared ? look * (0.75 + environment.random() / 4) : waitMs
        await environment.sleep(Math.min(waitMs, lookMs), signal)
        look = Math.min(LAST_LOOK_MS, look * 2)
      }
      return (answer) => lease.learn(answer)
    },
  }
}

/** @returns null for a header that is no whole number */
function countOf(value: string | null): number | null {
  return value !== null && /^\d{1,9}$/.test(value.trim()) ? Number(value) : null
}
