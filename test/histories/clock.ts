import type { Environment } from '../../pipeline/environment.ts'
import { testEnvironment } from '../pipeline/extract/support.ts'

/** A clock that moves while somebody sleeps, by a millisecond whenever it is looked at, and when a test says so. */
export interface Clock {
  readonly environment: Environment
  pass(ms: number): void
}

export function makeClock(): Clock {
  const environment = testEnvironment()
  let passedMs = 0
  return {
    environment: {
      ...environment,
      now() {
        // Two moments are never one: what came after an approval must be told from what came with it.
        passedMs += 1
        return environment.now() + passedMs
      },
    },
    pass(ms) {
      passedMs += ms
    },
  }
}
