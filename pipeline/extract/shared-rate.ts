import type { Lease, LeaseOrder } from '../../sql/rate-budgets.ts'
import type { Environment } from '../environment.ts'
import { countOf, LONGEST_WAIT_MS, type RateBudget, type Told } from './rate.ts'
import { requestedWaitMs, StoppedError } from './retry.ts'

/** Takes credits of a host from what all processes share. */
export type TakeLease = (host: string, order: LeaseOrder) => Promise<Lease>

/** Budgets of hosts that all processes on one database share. */
export interface RateBudgets {
  /** The budget for one run's requests to a host. */
  of(host: string, cost: number, report: (what: string, waitMs: number) => void): RateBudget
  /** Gives back what was taken and not used. What the database does not take is lost until the window ends, and no fault. */
  close(): Promise<void>
}

/** A lease is looked at again after this long: somebody else may have been told to keep away. */
const LEASE_MS = 2_000
/** Requests of one lease at most: what the death of a process loses until the window ends. */
const MOST_REQUESTS = 32
/** Nothing left may mean that others have not used what they took, so it is asked for again before the window ends. */
const FIRST_LOOK_MS = 1_000
const LAST_LOOK_MS = 15_000

/**
 * Shares budgets with other processes through leases: a few requests at a time, twice as many each time they were used
 * up early, so that one who reads much asks the database seldom and one who reads little takes little.
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
      // Never rejects: what became of the work is told, not what became of a few requests that nobody made.
      await Promise.allSettled([...hosts.values()].map((lease) => lease.giveBack()))
      hosts.clear()
    },
  }
}

/** What this process holds of a host's budget. */
interface HostLease {
  /** Uses up one request of the lease, where there is one. */
  use(): boolean
  /** @returns how long nothing is granted */
  renew(): Promise<number>
  learn(told: Told | null): Promise<void>
  giveBack(): Promise<void>
}

function makeHostLease(
  environment: Environment,
  cost: number,
  take: (order: LeaseOrder) => Promise<Lease>,
): HostLease {
  /** Null: as many as one likes. */
  let credits: number | null = 0
  let untilMs = 0
  let window = '0'
  let requests = 1
  let underWay = 0
  let told: { limit: number | null; left: number; resetAtMs: number } | null = null
  let closedMs: number | null = null
  let renewing: Promise<number> | null = null

  async function order(wanted: number): Promise<number> {
    const nowMs = environment.now()
    const news = told
    const returned = credits ?? 0
    const closed = closedMs
    told = null
    closedMs = null
    credits = 0
    const lease = await take({
      cost,
      wanted,
      returned,
      window,
      limit: news?.limit ?? null,
      // What is under way may not have been counted yet when the source said what is left.
      left: news === null ? null : Math.max(0, news.left - underWay * cost),
      resetMs: news === null ? null : Math.round(news.resetAtMs - nowMs),
      closedMs: closed,
    })
    credits = lease.granted
    window = lease.window
    untilMs = environment.now() + LEASE_MS
    return lease.waitMs
  }

  /** One at a time: who comes meanwhile gets what that one brings. */
  function renew(): Promise<number> {
    if (renewing !== null) return renewing
    const isUsedUp = credits !== null && credits < cost
    if (isUsedUp && environment.now() < untilMs) requests = Math.min(MOST_REQUESTS, requests * 2)
    else if (!isUsedUp) requests = Math.ceil(requests / 2)
    renewing = order(requests * cost).finally(() => {
      renewing = null
    })
    return renewing
  }

  return {
    use() {
      if (environment.now() >= untilMs || (credits !== null && credits < cost)) return false
      if (credits !== null) credits -= cost
      underWay += 1
      return true
    },
    renew,
    async learn(answer) {
      underWay -= 1
      if (answer === null) return
      const nowMs = environment.now()
      const left = countOf(answer.headers.get('x-rate-limit-remaining'))
      const resetSeconds = countOf(answer.headers.get('x-rate-limit-reset'))
      if (left !== null && resetSeconds !== null) {
        const resetAtMs = nowMs + Math.min(LONGEST_WAIT_MS, resetSeconds * 1000)
        told = {
          limit: countOf(answer.headers.get('x-rate-limit-limit')) ?? told?.limit ?? null,
          // Answers overtake one another: the one that says the least is the newest.
          left: Math.min(told?.left ?? left, left),
          resetAtMs: Math.min(told?.resetAtMs ?? resetAtMs, resetAtMs),
        }
        // There is a limit after all, or its end is near: whoever comes next asks.
        if (credits === null || left < MOST_REQUESTS * cost) untilMs = Math.min(untilMs, nowMs)
      }
      const waitMs = answer.status === 429 || answer.status === 503 ? requestedWaitMs(answer, nowMs) : null
      if (waitMs === null) return
      closedMs = Math.ceil(Math.min(LONGEST_WAIT_MS, Math.max(closedMs ?? 0, waitMs)))
      // Others must know at once, and what is left of the lease is not for now.
      untilMs = 0
      await renewing
      await renew()
    },
    async giveBack() {
      await renewing
      if (told !== null || (credits ?? 0) > 0) await order(0)
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
      for (let look = FIRST_LOOK_MS, isTold = false; !lease.use(); ) {
        if (signal.aborted) throw new StoppedError(`${what}: stopped, since another read failed`)
        const waitMs = await lease.renew()
        if (waitMs === 0) continue
        if (!isTold) report(what, waitMs)
        isTold = true
        await environment.sleep(Math.min(waitMs, look * (0.75 + environment.random() / 4)), signal)
        look = Math.min(LAST_LOOK_MS, look * 2)
      }
      return (answer) => lease.learn(answer)
    },
  }
}
