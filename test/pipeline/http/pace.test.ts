import { describe, expect, test } from 'vitest'
import { pacedBudget } from '../../../pipeline/http/pace.ts'
import { creditsInMemory, makeRateBudgets } from '../../../pipeline/http/rate.ts'
import { headOf, testEnvironment } from '../extract/support.ts'

const { signal } = new AbortController()
const never = new Promise<void>(() => undefined)
const aborted = (by: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (by.aborted) resolve()
    by.addEventListener('abort', () => resolve(), { once: true })
  })
const ok = headOf(200)

/** Opens the pace of one account. Two integrations share the account, and `ask` takes one after the other. */
function open(requestsPerMinute: number) {
  const environment = testEnvironment()
  const budgets = makeRateBudgets(environment, creditsInMemory(environment))
  const waits: number[] = []
  const integrations = [1, 2].map(() =>
    budgets.paced('one', requestsPerMinute, (_, waitMs) => waits.push(waitMs)),
  )
  const startMs = environment.monotonic()
  const times: number[] = []
  return {
    waits,
    times,
    /** Sends a request that begins as early as it may. */
    async ask(answer = ok, tookMs = 0) {
      const budget = integrations[times.length % 2]
      const answered = await budget?.spend('people', signal)
      times.push(environment.monotonic() - startMs)
      if (tookMs > 0) await environment.sleep(tookMs)
      await answered?.(answer)
    },
  }
}

describe('requests to a platform that takes a known number of requests a minute', () => {
  test.each([1, 7, 60, 61, 100, 600, 6000])(
    'the number of %i requests a minute is reached, and no minute has more',
    async (most) => {
      const { ask, times } = open(most)
      for (let request = 0; request <= 2 * most; request += 1) await ask()
      for (const [index, begin] of times.entries()) {
        const end = times[index + most]
        if (end !== undefined) expect(end - begin).toBeGreaterThanOrEqual(60_000)
      }
      // Each interval is rounded up to a whole millisecond.
      expect(times.at(-1)).toBeLessThanOrEqual(2 * (61_000 + most))
    },
  )

  test('a request does not wait for the answer to the request before', async () => {
    const { ask, times } = open(600)
    await Promise.all([1, 2, 3, 4].map(() => ask(ok, 900)))
    expect(times).toEqual([0, 102, 204, 306])
  })

  test('if an answer takes longer than a second, its request may have arrived late, so later requests are postponed', async () => {
    const { ask, times } = open(60)
    await Promise.all([ask(ok, 5_000), ask(ok, 10)])
    await ask()
    expect(times).toEqual([0, 1_017, 2_034 + 4_000])
  })

  test.each([
    [600, 30_000],
    [6, 10_167 + 29_000],
    [1, 61_000 + 29_000],
  ])(
    'with %i requests a minute and answers after 30 seconds, the second request begins after %i ms',
    async (most, second) => {
      const { ask, times } = open(most)
      await ask(ok, 30_000)
      await ask()
      expect(times).toEqual([0, second])
    },
  )

  test.each([429, 503])('if the platform asks for a pause by %i, all requests wait', async (status) => {
    const { ask, times } = open(600)
    await ask(headOf(status, { 'retry-after': '20' }), 500)
    await ask()
    await ask()
    expect(times).toEqual([0, 20_602, 20_704])
  })

  test('requests that are stopped while they wait give their turns back, except turns before that of another run', async () => {
    const environment = testEnvironment()
    const startMs = environment.monotonic()
    const sleep = (ms: number, signal?: AbortSignal) =>
      Promise.race([environment.sleep(ms), signal === undefined ? never : aborted(signal)])
    const budgets = makeRateBudgets({ ...environment, sleep }, creditsInMemory(environment))
    const [first, second] = [new AbortController(), new AbortController()]
    let waiting = 0
    const budget = budgets.paced('one', 60, () => {
      waiting += 1
      if (waiting !== 4) return
      first.abort()
      second.abort()
    })
    const ask = async (by: AbortSignal) => {
      await budget.spend('people', by)
      return environment.monotonic() - startMs
    }
    expect(await ask(signal)).toBe(0)
    const early = ask(first.signal)
    const other = ask(signal)
    const late = [1, 2].map(() => ask(second.signal))
    await expect(early).rejects.toThrow('stopped')
    for (const one of late) await expect(one).rejects.toThrow('stopped')
    expect(await Promise.all([other, ask(signal)])).toEqual([2_034, 3_051])
  })

  test('if a turn cannot be given back, the error that stopped the requests stays the error of the run', async () => {
    const environment = { ...testEnvironment(), sleep: async () => undefined }
    const stop = new AbortController()
    const broken = new Error('no connection')
    const turns = {
      take: async () => 1000,
      postpone: async () => undefined,
      giveBack: () => Promise.reject(broken),
    }
    const asked = pacedBudget(environment, turns, 'one', 60, () => stop.abort()).spend('people', stop.signal)
    await expect(asked).rejects.toMatchObject({ name: 'StoppedError', cause: broken })
  })

  test('only waits of a second or more are reported', async () => {
    const [quick, slow] = [open(600), open(6)]
    for (let request = 0; request < 3; request += 1) {
      await quick.ask()
      await slow.ask()
    }
    expect([quick.waits, slow.waits]).toEqual([[], [10_167, 10_167]])
  })
})
