import { describe, expect, test } from 'vitest'
import { HttpFault, ReadError } from '../../../pipeline/http/read-error.ts'
import { makeRetries, type Retries, requestedWaitMs } from '../../../pipeline/http/retry.ts'
import { failureOf, headOf, testEnvironment } from '../extract/support.ts'

const NOW = Date.parse('2031-05-04T12:00:00Z')
const later = (status: number, waitMs: number) =>
  new HttpFault(`answered ${status}`, { kind: 'status', status, retryable: true, waitMs })
const passing = () => new ReadError('the connection broke off', { retryable: true })

/** Makes a read that fails once with each of the errors, then returns `done`. */
function failing(...errors: readonly Error[]): () => Promise<string> {
  const left = [...errors]
  return async () => {
    const error = left.shift()
    if (error !== undefined) throw error
    return 'done'
  }
}

function setUp({ budgetMs = 300_000, random = 0.5 } = {}) {
  const environment = testEnvironment(() => random)
  const waits: [string, string, number][] = []
  const retries = makeRetries(environment, budgetMs, (what, cause, waitMs) =>
    waits.push([what, cause, waitMs]),
  )
  return { environment, waits, retries }
}

describe('backoff', () => {
  test('each wait is random, and its upper limit doubles up to 30 s [R49]', async () => {
    const { retries, environment } = setUp({ random: 0.999999 })
    await retries.run('x', failing(...Array.from({ length: 7 }, passing)))
    expect(environment.sleeps).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000])
  })

  test('each wait before a retry is reported with its cause', async () => {
    const { retries, waits } = setUp()
    expect(await retries.run('users, page 2', failing(passing(), later(503, 7000)))).toBe('done')
    expect(waits).toEqual([
      ['users, page 2', 'the connection broke off', 250],
      ['users, page 2', 'answered 503', 7000],
    ])
  })

  test.each([
    ['an error that a retry cannot fix', new ReadError('answered 404', { retryable: false })],
    ['any other error', new TypeError('a bug')],
  ])('%s fails the read at once, without a retry', async (_, error) => {
    const { retries, environment } = setUp()
    expect(await failureOf(retries.run('x', failing(error)))).toBe(error)
    expect(environment.sleeps).toEqual([])
  })
})

describe('the retry budget', () => {
  test('all reads of a run share the retry budget [R49]', async () => {
    const { retries } = setUp({ budgetMs: 1000 })
    await retries.run('x', failing(passing(), passing()))
    const error = await failureOf(retries.run('y', failing(passing(), passing())))
    expect(error.message).toBe(
      'the connection broke off; waiting longer would exceed http.retryBudgetSeconds (1)',
    )
    expect(error).toMatchObject({ retryable: false, cause: { message: 'the connection broke off' } })
  })

  test('the time of a failed try counts towards the retry budget, but the time of a successful try does not', async () => {
    const { retries, environment } = setUp({ budgetMs: 61_000 })
    const after = async (ms: number, read: () => Promise<string>) => {
      await environment.sleep(ms)
      return read()
    }
    await retries.run('x', () => after(100_000, failing()))
    const read = failing(passing(), passing(), passing())
    const startMs = environment.monotonic()
    const error = await failureOf(retries.run('x', () => after(30_000, read)))
    expect(error.message).toMatch(/retryBudgetSeconds \(61\)$/)
    // Two tries of 30 s and waits of 0.25 s and 0.5 s fit into the budget of 61 s. Two tries and their waits
    // use up the budget, so the third try is the last.
    expect(environment.monotonic() - startMs).toBe(90_750)
  })

  test('the time that a try waits for the rate budget does not count towards the retry budget', async () => {
    const { retries, environment } = setUp({ budgetMs: 1000 })
    const read = failing(passing(), passing())
    await retries.run('x', async (begin) => {
      await environment.sleep(600_000)
      begin()
      return read()
    })
  })

  test('a wait that the source asks for counts towards the retry budget, and a wait beyond the budget fails at once', async () => {
    const { retries, environment } = setUp({ budgetMs: 10_000 })
    await retries.run('x', failing(later(429, 10_000)))
    await failureOf(retries.run('x', failing(later(429, 1))))
    expect(environment.sleeps).toEqual([10_000])
  })

  test('if several reads wait at the same time, their wait counts only once towards the retry budget', async () => {
    const { retries, environment } = setUp({ budgetMs: 100_000 })
    const reads = ['sessions', 'rooms', 'users'].map((what) => retries.run(what, failing(later(429, 60_000))))
    await expect(Promise.all(reads)).resolves.toEqual(['done', 'done', 'done'])
    expect(Math.max(...environment.sleeps)).toBe(60_000)
    await retries.run('rooms', failing(later(429, 40_000)))
    await failureOf(retries.run('rooms', failing(later(429, 1))))
  })

  test('if waits overlap, only the time beyond the waits of other reads counts towards the retry budget', async () => {
    const { retries } = setUp({ budgetMs: 90_000 })
    const reads = [60_000, 90_000, 30_000].map((waitMs) => retries.run('x', failing(later(429, waitMs))))
    await expect(Promise.all(reads)).resolves.toEqual(['done', 'done', 'done'])
    await failureOf(retries.run('x', failing(later(429, 1))))
  })
})

describe('when the source says how long to wait', () => {
  /**
   * Starts another read as soon as the read `waiting` begins to wait. Returns the time at which the other
   * read sends its request, in milliseconds.
   */
  async function askedMsBeside(waiting: string, run: (retries: Retries) => Promise<unknown>) {
    const environment = testEnvironment()
    const startMs = environment.now()
    const others: Promise<unknown>[] = []
    let askedMs = -1
    const retries: Retries = makeRetries(environment, 100_000, (what) => {
      if (what !== waiting) return
      others.push(
        retries.run('other', async () => {
          askedMs = environment.now() - startMs
        }),
      )
    })
    await run(retries)
    await Promise.all(others)
    return askedMs
  }

  test('if the source says how long to wait, all reads from the source wait', async () => {
    const wait = failing(later(429, 5000))
    expect(await askedMsBeside('first', (retries) => retries.run('first', wait))).toBe(5000)
  })

  test('a read that is already waiting waits longer if another read is told to wait longer', async () => {
    const askedMs = await askedMsBeside('short', (retries) =>
      Promise.all([
        retries.run('short', failing(later(429, 1000))),
        retries.run('long', failing(later(429, 9000))),
      ]),
    )
    expect(askedMs).toBe(9000)
  })

  test('other reads do not wait if the fault concerns only one read', async () => {
    expect(await askedMsBeside('first', (retries) => retries.run('first', failing(passing())))).toBe(0)
  })

  test('the source gets no request before the time that it asked for, even if a sleep ends early', async () => {
    let nowMs = 0
    const environment = {
      ...testEnvironment(),
      monotonic: () => nowMs,
      async sleep(ms: number) {
        nowMs += Math.ceil(ms / 2)
      },
    }
    const retries = makeRetries(environment, 100_000, () => undefined)
    const asked: number[] = []
    await retries.run('x', async () => {
      asked.push(nowMs)
      if (asked.length === 1) throw later(429, 8000)
    })
    expect(asked).toEqual([0, 8000])
  })
})

describe('how long an answer asks to wait', () => {
  test.each<[string, number, Record<string, string>, number | null]>([
    ['seconds [R49]', 503, { 'retry-after': '120' }, 120_000],
    ['a date [R49]', 429, { 'retry-after': 'Sun, 04 May 2031 12:00:30 GMT' }, 30_000],
    ['zero seconds, which become one second', 503, { 'retry-after': '0' }, 1000],
    ['a moment [R49]', 429, { 'retry-after': '0.001' }, 1000],
    ['a moment until the window ends [R49]', 429, { 'x-rate-limit-reset': '0.001' }, 1000],
    ['a date that is past', 503, { 'retry-after': 'Sun, 04 May 2031 11:59:59 GMT' }, 1000],
    ['a text that is not a date', 503, { 'retry-after': 'soon' }, null],
    ['an infinite time', 503, { 'retry-after': 'Infinity' }, null],
    ['blank', 503, { 'retry-after': ' ' }, null],
    ['the end of the rate window [R49]', 429, { 'x-rate-limit-reset': '42' }, 42_000],
    [
      'Retry-After instead of the end of the rate window',
      429,
      { 'retry-after': '3', 'x-rate-limit-reset': '42' },
      3000,
    ],
    [
      'the end of the rate window if Retry-After is zero',
      429,
      { 'retry-after': '0', 'x-rate-limit-reset': '42' },
      42_000,
    ],
    ['a window that has ended', 429, { 'x-rate-limit-reset': '0' }, 1000],
    [
      'no wait for the rate window on a status other than 429, although every answer names the window',
      503,
      { 'x-rate-limit-reset': '598' },
      null,
    ],
    ['no wait for the rate window on a time-out', 408, { 'x-rate-limit-reset': '598' }, null],
  ])('%s', (_, status, headers, waitMs) => {
    expect(requestedWaitMs(headOf(status, headers), NOW)).toBe(waitMs)
  })
})
