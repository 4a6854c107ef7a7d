import { randomBytes, randomInt } from 'node:crypto'
import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Functions of the machine that the pipeline uses, such as its clock. Tests can replace the functions of the
 * machine.
 */
export interface Environment {
  /** Returns milliseconds since 1970. */
  now(): number
  /** Returns milliseconds of a monotonic clock, for measuring durations. */
  monotonic(): number
  /** Waits. The wait ends early if the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Returns a random number that is at least 0 and less than 1. */
  random(): number
  randomBytes(count: number): Uint8Array
  /**
   * Returns a random whole number that is at least 0 and less than the limit. The number is random enough to
   * be used for secrets.
   */
  randomInt(limit: number): number
  /** Name of the user who runs the command, which the database stores with each run. */
  readonly user: string
  /**
   * Time zone of the machine, as an IANA name. The time zone is undefined if the machine has no known time
   * zone.
   */
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
    // In a container, the user id may have no user name.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
