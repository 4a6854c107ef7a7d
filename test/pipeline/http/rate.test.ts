import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RateBudget } from '../../../pipeline/http/budget.ts'
import { creditsInMemory, makeRateBudgets } from '../../../pipeline/http/rate.ts'
import { StoppedError } from '../../../pipeline/http/retry.ts'
import { openCreditWindow } from '../../harness/sample-source/b.ts'
import { failureOf, headOf, type TestEnvironment, testEnvironment } from '../extract/support.ts'

const COST = 10
const { signal } = new AbortController()
const minutes = (count: number) => count * 60_000

/** An answer without rate limit headers. */
const silent = headOf(200)

/**
 * Makes an answer with these rate limit headers. Without `limit`, the header that states the limit is
 * missing.
 */
function told(remaining: number | string, reset: number | string, limit?: number | string) {
  return headOf(200, {
    'x-rate-limit-remaining': String(remaining),
    'x-rate-limit-reset': String(reset),
    ...(limit === undefined ? {} : { 'x-rate-limit-limit': String(limit) }),
  })
}

const budgetsOf = (environment: TestEnvironment) => makeRateBudgets(environment, creditsInMemory(environment))

function setUp(cost = COST) {
  const environment = testEnvironment()
  const waits: [string, number][] = []
  const budget = budgetsOf(environment).of('host', cost, (...wait) => waits.push(wait))
  const startMs = environment.now()
  return { environment, budget, waits, elapsedMs: () => environment.now() - startMs }
}

/** Sends one request, to which the test gives this answer. */
async function ask(budget: RateBudget, answer: ReturnType<typeof told> | null, what = 'x'): Promise<void> {
  const spent = await budget.spend(what, signal)
  await spent(answer)
}

/** Returns true if `spending` is still pending after all work that needs no time is done. */
async function isWaiting(spending: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
  return (await Promise.race([spending, Promise.resolve(pending)])) === pending
}

describe('how long a request waits after one answer', () => {
  test.each<[string, ReturnType<typeof told> | null, number]>([
    ['not at all if enough credits are left', told(10, 600, 2000), 0],
    ['for the new window if fewer credits are left than it costs', told(9, 600, 2000), minutes(10)],
    ['for the new window if no credits are left', told(0, 37, 2000), 37_000],
    ['not for a window that has ended', told(0, 0, 2000), 0],
    ['for the new window if there are blanks around the numbers', told(' 0 ', ' 37 '), 37_000],
    ['a quarter of an hour at most', told(0, 7200, 2000), minutes(15)],
    ['not at all if there was no answer', null, 0],
    ['not at all if the headers are missing', silent, 0],
    ['not at all if only the end of the window is stated', told('', 600), 0],
    ['not at all if only the credits left are stated', told(0, ''), 0],
    ['not at all if the credits left are not a number', told('none', 600), 0],
    ['not at all if the credits left are below zero', told(-5, 600), 0],
    ['not at all if the end of the window is not a number', told(0, 'soon'), 0],
    ['not at all if the end of the window is in seconds since 1970', told(0, 1_935_662_400), 0],
  ])('%s', async (_, headers, waitMs) => {
    const { budget, waits, elapsedMs } = setUp()
    await ask(budget, headers)
    await ask(budget, null)
    expect(elapsedMs()).toBe(waitMs)
    expect(waits).toEqual(waitMs === 0 ? [] : [['x', waitMs]])
  })

  test('each wait is reported with the name of the request that waits', async () => {
    const { budget, waits } = setUp()
    await ask(budget, told(0, 600, 2000), 'registrants, page 1')
    await ask(budget, told(0, 600, 2000), 'registrants, page 2')
    await ask(budget, told(0, 600, 2000), 'sessions, page 7')
    expect(waits).toEqual([
      ['registrants, page 2', minutes(10)],
      ['sessions, page 7', minutes(10)],
    ])
  })
})

describe('the credits that are left', () => {
  test('all requests that are under way share the remaining credits', async () => {
    const { budget, waits } = setUp()
    await ask(budget, told(30, 600, 2000))
    for (let request = 0; request < 3; request += 1) await budget.spend('x', signal)
    expect(await isWaiting(budget.spend('x', signal))).toBe(true)
    // The source may already have counted the request that is under way. The answer to a request under way
    // decides if other requests must wait, not the clock.
    expect(waits).toEqual([])
  })

  test.each([
    ['an answer whose number of credits already includes it', told(10, 600, 2000)],
    ['a failure, which returns its credits', null],
    ['an answer without rate limit headers', silent],
  ])('a request that waits for the answers to other requests continues after %s', async (_, headers) => {
    const { budget, elapsedMs } = setUp()
    await ask(budget, told(10, 600, 2000))
    const spent = await budget.spend('x', signal)
    const waiting = budget.spend('y', signal)
    expect(await isWaiting(waiting)).toBe(true)
    spent(headers)
    expect(await isWaiting(waiting)).toBe(false)
    expect(elapsedMs()).toBe(0)
  })

  test('if answers arrive out of order, the lowest number of remaining credits is used', async () => {
    const { budget, elapsedMs } = setUp()
    const [first, second] = [await budget.spend('x', signal), await budget.spend('x', signal)]
    second(told(0, 600, 2000))
    first(told(10, 600, 2000))
    await ask(budget, null)
    expect(elapsedMs()).toBe(minutes(10))
  })

  test('the credits are renewed at the end of the window, which a slow answer does not postpone', async () => {
    const { budget, environment, elapsedMs } = setUp()
    const [first, second] = [await budget.spend('x', signal), await budget.spend('x', signal)]
    first(told(10, 600, 2000))
    await environment.sleep(5000)
    second(told(0, 600, 2000))
    await ask(budget, null)
    expect(elapsedMs()).toBe(minutes(10))
  })

  test('the remaining credits decrease if other clients use the same account', async () => {
    const { budget, elapsedMs } = setUp()
    await ask(budget, told(1990, 600, 2000))
    await ask(budget, told(5, 598, 2000))
    await ask(budget, null)
    expect(elapsedMs()).toBe(598_000)
  })

  test('a new window has as many credits as its limit, and no more requests are sent at once', async () => {
    const { budget, elapsedMs } = setUp()
    await ask(budget, told(0, 600, 20))
    const going = [await budget.spend('x', signal), await budget.spend('x', signal)]
    expect(elapsedMs()).toBe(minutes(10))
    const third = budget.spend('x', signal)
    expect(await isWaiting(third)).toBe(true)
    for (const [index, spent] of going.entries()) spent(told(10 - index * 10, 300, 20))
    await third
    expect(elapsedMs()).toBe(minutes(15))
  })

  test('if the limit is below the cost of a request, one request is sent in each window', async () => {
    const { budget, elapsedMs } = setUp()
    for (let request = 0; request < 4; request += 1) await ask(budget, told(4, 60, 5))
    expect(elapsedMs()).toBe(minutes(3))
  })

  test('a read that is stopped stops waiting and sends no request', async () => {
    const { budget } = setUp()
    await ask(budget, told(0, 600, 2000))
    const controller = new AbortController()
    const waiting = budget.spend('users, page 3', controller.signal)
    controller.abort()
    const error = await failureOf(waiting)
    expect(error).toBeInstanceOf(StoppedError)
    expect(error.message).toBe('users, page 3: stopped, since another read failed')
  })
})

/**
 * Reads all resources at the same time from a source that counts rate credits. An answer takes up to four
 * seconds.
 */
async function readAll(environment: TestEnvironment, resources: readonly number[], limit: number) {
  const budget = budgetsOf(environment).of('host', COST, () => undefined)
  const credits = openCreditWindow(limit, environment.now)
  let [requests, refused] = [0, 0]
  const readPages = async (pages: number) => {
    for (let page = 0; page < pages; page += 1) {
      const spent = await budget.spend('x', signal)
      await environment.sleep(Math.floor(environment.random() * 2000))
      requests += 1
      const { granted, headers } = credits.spend(COST)
      if (!granted) refused += 1
      await environment.sleep(Math.floor(environment.random() * 2000))
      await spent({ status: 200, headers: { get: (name) => new Headers(headers).get(name) } })
    }
  }
  await Promise.all(resources.map(readPages))
  return { requests, refused }
}

test('if any number of resources is read at once, no request is refused and no read waits for a window in vain', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 20 }),
      fc.infiniteStream(fc.double({ min: 0, max: 0.99, noNaN: true })),
      async (resources, more, randoms) => {
        // The first request of each resource is sent before a limit is known. The limit must therefore be
        // high enough for the first requests of all resources.
        const perWindow = resources.length + more
        const environment = testEnvironment(() => randoms.next().value ?? 0)
        const startMs = environment.now()
        const pages = resources.reduce((sum, count) => sum + count, 0)
        expect(await readAll(environment, resources, perWindow * COST)).toEqual({
          requests: pages,
          refused: 0,
        })
        const windows = Math.ceil(pages / perWindow)
        // The limit includes time for the answers, and for headers that are rounded up to whole seconds.
        const slackMs = 4000 * Math.max(...resources) + 6000 * windows
        expect(environment.now() - startMs).toBeLessThan((windows - 1) * minutes(10) + slackMs)
      },
    ),
    { numRuns: 150 },
  )
})
