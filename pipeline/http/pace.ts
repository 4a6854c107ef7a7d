import type { Environment } from '../runtime/environment.ts'
import type { BudgetAnswer, RateBudget } from './budget.ts'
import { requestedWaitMs, StoppedError } from './retry.ts'

/**
 * The turns of accounts, in memory or in a database that several processes share. Each request to an account
 * takes a turn.
 */
export interface Turns {
  /**
   * Reserves the next turn of an account. The turn after it begins `intervalMs` later.
   *
   * @returns milliseconds until the reserved turn
   */
  take(account: string, intervalMs: number): Promise<number>
  /** Lets all turns that nobody has reserved yet begin later. */
  postpone(account: string, byMs: number): Promise<void>
  /**
   * Gives back the turn that begins in `leftMs`, if no later turn is reserved. The time may differ by half an
   * interval, because it is read from two clocks. Reserved turns keep their times, so that no minute gets more
   * requests.
   */
  giveBack(account: string, intervalMs: number, leftMs: number): Promise<void>
}

/**
 * Time by which a request may arrive later than it was sent. The requests of a minute are spread over this
 * time more than a minute, so a late request does not arrive together with too many others.
 */
const LATE_MS = 1_000
/** Shorter waits are part of the pace, and are not reported. */
const LEAST_REPORTED_MS = 1_000
/** Maximum wait that an answer can cause. */
export const LONGEST_WAIT_MS = 900_000

/**
 * Delays the requests of an account, so that the platform never gets more than `requestsPerMinute` in any
 * period of one minute. A request does not wait for the answer to the request before. If an answer takes
 * longer than `LATE_MS`, its request may have arrived late, so the turns after it are postponed.
 */
export function pacedBudget(
  environment: Environment,
  turns: Turns,
  account: string,
  requestsPerMinute: number,
  report: (what: string, waitMs: number) => void,
): RateBudget {
  const intervalMs = Math.ceil((60_000 + LATE_MS) / requestsPerMinute)
  const waiting = new Set<{ readonly turnMs: number; readonly signal: AbortSignal }>()

  /**
   * Gives back the turns of all requests that were stopped while they waited, the last turn first: a turn can be
   * given back only after all later turns. Otherwise the next run would wait for turns that nobody uses.
   *
   * @returns the error if they cannot be given back: only the error that stopped the requests is thrown
   */
  async function giveBackStopped(): Promise<unknown> {
    const stopped = [...waiting].filter(({ signal }) => signal.aborted)
    for (const turn of stopped) waiting.delete(turn)
    try {
      for (const { turnMs } of stopped.toSorted((one, other) => other.turnMs - one.turnMs)) {
        const leftMs = turnMs - environment.monotonic()
        if (leftMs > 0) await turns.giveBack(account, intervalMs, leftMs)
      }
    } catch (error) {
      return error
    }
    return undefined
  }

  return {
    async spend(what, signal) {
      const askedMs = environment.monotonic()
      const waitMs = signal.aborted ? 0 : await turns.take(account, intervalMs)
      if (waitMs >= LEAST_REPORTED_MS) report(what, waitMs)
      let cause: unknown
      if (waitMs > 0) {
        const turn = { turnMs: environment.monotonic() + waitMs, signal }
        waiting.add(turn)
        await environment.sleep(waitMs, signal)
        if (signal.aborted) cause = await giveBackStopped()
        waiting.delete(turn)
      }
      if (signal.aborted) throw new StoppedError(`${what}: stopped, since another read failed`, { cause })
      return async (answer) => {
        const tookMs = environment.monotonic() - (askedMs + waitMs)
        const pauseMs = pauseOf(answer, environment)
        const byMs = Math.ceil(Math.max(tookMs - LATE_MS, pauseMs === 0 ? 0 : tookMs + pauseMs))
        if (byMs > 0) await turns.postpone(account, byMs)
      }
    },
  }
}

/** Returns the pause for which an answer asks, in milliseconds; 0 if it asks for none. */
function pauseOf(answer: BudgetAnswer | null, environment: Environment): number {
  if (answer?.status !== 429 && answer?.status !== 503) return 0
  return Math.min(LONGEST_WAIT_MS, requestedWaitMs(answer, environment.now()) ?? 0)
}

/** Keeps the turns of accounts in the memory of this process. */
export function turnsInMemory({ monotonic }: Environment): Turns {
  const nextMs = new Map<string, number>()
  return {
    async take(account, intervalMs) {
      const nowMs = monotonic()
      const turnMs = Math.max(nowMs, nextMs.get(account) ?? nowMs)
      nextMs.set(account, turnMs + intervalMs)
      return Math.ceil(turnMs - nowMs)
    },
    async postpone(account, byMs) {
      nextMs.set(account, (nextMs.get(account) ?? monotonic()) + byMs)
    },
    async giveBack(account, intervalMs, leftMs) {
      const next = nextMs.get(account)
      const isLast = next !== undefined && next < monotonic() + leftMs + 1.5 * intervalMs
      if (isLast) nextMs.set(account, next - intervalMs)
    },
  }
}
