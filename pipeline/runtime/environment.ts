import { randomBytes, randomInt } from 'node:crypto'
import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** The functions of the machine that the pipeline uses. Tests can replace them. */
export interface Environment {
  /** Returns milliseconds since 1970. */
  now(): number
  /** Returns milliseconds of a monotonic clock, for measuring durations. */
  monotonic(): number
  /** Waits. It resolves early if the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Returns a number from 0 up to, but not including, 1. */
  random(): number
  randomBytes(count: number): Uint8Array
  /** Returns a whole number from 0 up to, but not including, the limit. It is safe for secrets. */
  randomInt(limit: number): number
  /** Name of the user who runs the command, for the ledger. */
  readonly user: string
  /** Time zone of the machine (IANA name); undefined if it has none that is known. */
  readonly timeZone: string | undefined
}

/** The environment of the real machine. */
export const machine: Environment = {
  now: Date.now,
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      if (signal?.aborted !== true) throw error
    })
  },
  random: Math.random,
  randomBytes,
  randomInt: (limit) => randomInt(limit),
  user: userName(),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a user id without a name.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
