import { expect, test } from 'vitest'
import { creditsInMemory, makeRateBudgets } from '../../../pipeline/http/rate.ts'
import { HttpFault } from '../../../pipeline/http/read-error.ts'
import { makeRetries } from '../../../pipeline/http/retry.ts'
import { headOf, testEnvironment } from './support.ts'

const HOUR_MS = 3_600_000
const { signal } = new AbortController()

/**
 * Makes an environment with a wall clock that a test can set. Setting the wall clock does not change the
 * monotonic clock.
 */
function setUp() {
  const environment = testEnvironment()
  const startMs = environment.monotonic()
  let setByMs = 0
  return {
    environment: { ...environment, now: () => environment.now() + setByMs },
    setClock: (ms: number) => {
      setByMs = ms
    },
    elapsedMs: () => environment.monotonic() - startMs,
  }
}

test.each([-HOUR_MS, HOUR_MS])(
  'a retry waits for the same time even if the wall clock is set by %d ms meanwhile',
  async (byMs) => {
    const { environment, setClock, elapsedMs } = setUp()
    const retries = makeRetries(environment, 10_000, () => setClock(byMs))
    let tries = 0
    await retries.run('x', async () => {
      tries += 1
      if (tries === 1)
        throw new HttpFault('answered 503', { kind: 'status', status: 503, retryable: true, waitMs: 1000 })
    })
    expect(elapsedMs()).toBe(1000)
  },
)

test.each([-HOUR_MS, HOUR_MS])(
  'the wait for a new rate window takes the same time even if the wall clock is set by %d ms meanwhile',
  async (byMs) => {
    const { environment, setClock, elapsedMs } = setUp()
    const budget = makeRateBudgets(environment, creditsInMemory(environment)).of('host', 1, () => undefined)
    const spent = await budget.spend('x', signal)
    await spent(headOf(200, { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '60' }))
    setClock(byMs)
    await budget.spend('x', signal)
    expect(elapsedMs()).toBe(60_000)
  },
)
