import { randomBytes, randomInt } from 'node:crypto'
import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** Describes what the pipeline takes from the machine, so that tests can give their own. */
export interface Environment {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds by a clock that nobody sets, for how long something takes. */
  monotonic(): number
  /** Resolves early where the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** From 0 up to, not including, 1. */
  random(): number
  randomBytes(count: number): Uint8Array
  /** From 0 up to, not including, the limit; fit for secrets. */
  randomInt(limit: number): number
  /** User who runs the command, for the ledger. */
  readonly user: string
}

/** The machine itself. */
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
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a user id that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
