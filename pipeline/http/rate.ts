import type { Lease, LeaseOrder } from '../../sql/rate-budgets.ts'
import type { Environment } from '../runtime/environment.ts'
import type { Answer } from './http.ts'
import { requestedWaitMs, StoppedError } from './retry.ts'

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
const LONGEST_WAIT_MS = 900_000

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
function countOf(value: string | null): number | null {
  return value !== null && /^\d{1,9}$/.test(value.trim()) ? Number(value) : null
}

export type TakeLease = (host: string, order: LeaseOrder) => Promise<Lease>

/** Budgets of hosts that all processes on one database share. */
export interface RateBudgets {
  of(host: string, cost: number, report: (what: string, waitMs: number) => void): RateBudget
  /** Gives unused credits back; never rejects, since at worst they are lost until the window ends. */
  close(): Promise<void>
}

/** A lease ends after this long: another process may have been told to wait. */
const LEASE_MS = 2_000
/** Most requests of one lease: if a process dies, they are lost until the window ends. */
const MOST_REQUESTS = 32
/** Others may give back what they took, so credits are asked for again before the window ends. */
const FIRST_LOOK_MS = 1_000
const LAST_LOOK_MS = 15_000

/**
 * Shares budgets with other processes through leases of a few requests, twice as many each time they were used up early: a
 * process that reads much asks the database seldom, and one that reads little takes little.
 */
export function makeSharedBudgets(environment: Environment, take: TakeLease): RateBudgets {
  const hosts = new Map<string, HostLease>()
  return {
    of(host, cost, report) {
      const lease = hosts.get(host) ?? makeHostLease(environment, cost, (order) => take(host, order))
      hosts.set(host, lease)
      return budgetOf(environment, lease, report)
    },
    async close() {
      await Promise.allSettled([...hosts.values()].map((lease) => lease.giveBack()))
      hosts.clear()
    },
  }
}

type HostLease = ReturnType<typeof makeHostLease>

/** What this process holds of a host's budget. */
function makeHostLease(environment: Environment, cost: number, take: (order: LeaseOrder) => Promise<Lease>) {
  /** Null: no limit. */
  let credits: number | null = 0
  let untilMs = 0
  let window = '0'
  let requests = 1
  let underWay = 0
  /** What answers said since the last order. */
  let news: { limit: number | null; left: number; resetAtMs: number } | null = null
  let closedMs: number | null = null
  let renewing: Promise<number> | null = null

  async function order(wanted: number): Promise<number> {
    const nowMs = environment.monotonic()
    const latest = news
    const returned = credits ?? 0
    const closed = closedMs
    news = null
    closedMs = null
    credits = 0
    const lease = await take({
      cost,
      wanted,
      returned,
      window,
      limit: latest?.limit ?? null,
      // The source may not have counted the requests under way yet.
      left: latest === null ? null : Math.max(0, latest.left - underWay * cost),
      resetMs: latest === null ? null : Math.round(latest.resetAtMs - nowMs),
      closedMs: closed,
    })
    credits = lease.granted
    window = lease.window
    untilMs = environment.monotonic() + LEASE_MS
    return lease.waitMs
  }

  /**
   * Concurrent callers share the pending request.
   *
   * @returns how long nothing is granted
   */
  function renew(): Promise<number> {
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
    async learn(answer: BudgetAnswer | null) {
      underWay -= 1
      if (answer === null) return
      const nowMs = environment.monotonic()
      const left = countOf(answer.headers.get('x-rate-limit-remaining'))
      const resetSeconds = countOf(answer.headers.get('x-rate-limit-reset'))
      if (left !== null && resetSeconds !== null) {
        const resetAtMs = nowMs + Math.min(LONGEST_WAIT_MS, resetSeconds * 1000)
        news = {
          limit: countOf(answer.headers.get('x-rate-limit-limit')) ?? news?.limit ?? null,
          // Answers overtake one another: the lowest figure is the newest.
          left: Math.min(news?.left ?? left, left),
          resetAtMs: Math.min(news?.resetAtMs ?? resetAtMs, resetAtMs),
        }
        // There is a limit after all, or little is left of it: the next caller asks.
        if (credits === null || left < MOST_REQUESTS * cost) untilMs = Math.min(untilMs, nowMs)
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
  lease: HostLease,
  report: (what: string, waitMs: number) => void,
): RateBudget {
  return {
    async spend(what, signal) {
      for (let look = FIRST_LOOK_MS, isReported = false; !lease.use(); ) {
        if (signal.aborted) throw new StoppedError(`${what}: stopped, since another read failed`)
        const waitMs = await lease.renew()
        if (waitMs === 0) continue
        if (!isReported) report(what, waitMs)
        isReported = true
        await environment.sleep(Math.min(waitMs, look * (0.75 + environment.random() / 4)), signal)
        look = Math.min(LAST_LOOK_MS, look * 2)
      }
      return (answer) => lease.learn(answer)
    },
  }
}
