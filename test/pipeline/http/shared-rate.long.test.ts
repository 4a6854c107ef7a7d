import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { makeRateBudgets } from '../../../pipeline/http/rate.ts'
import { machine } from '../../../pipeline/runtime/environment.ts'
import { type CreditOrder, takeCredits } from '../../../sql/rate-budgets.ts'
import { engines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'
import { headOf } from '../extract/support.ts'

const COST = 10
const { signal } = new AbortController()
const ORDER: CreditOrder = {
  cost: COST,
  wantsRequest: true,
  limit: null,
  left: null,
  underWay: 0,
  resetMs: null,
  closedMs: null,
}

describe.each(engines)('a budget in the database, on %s', (engine) => {
  const database = useDatabase(engine)
  const take = (host: string, order: Partial<CreditOrder> = {}) =>
    takeCredits(database().kysely, host, { ...ORDER, ...order })
  /** Returns the number of requests that are granted before a request must wait. */
  async function grantsOf(host: string): Promise<number> {
    for (let grants = 0; ; grants += 1) if (!(await take(host)).isGranted) return grants
  }
  /** Lets time pass by moving all stored times into the past. */
  const pass = (ms: number) => {
    const span = sql<Date>`${ms} * interval '1 millisecond'`
    return sql`update sync.rate_budgets
      set resets_at = resets_at - ${span}, closed_until = closed_until - ${span}, changed_at = changed_at - ${span}`.execute(
      database().kysely,
    )
  }
  /**
   * The rate limits in an answer: 100 credits for each window, of which `left` remain until it ends after
   * `resetMs`.
   */
  const told = (left: number, resetMs = 60_000) => ({ limit: 100, left, resetMs })

  test('a rate budget in the database grants requests without a limit until an answer states a limit', async () => {
    for (let request = 0; request < 20; request += 1)
      expect(await take('unknown')).toEqual({ isGranted: true, waitMs: 0 })
    expect((await take('unknown', told(20))).isGranted).toBe(true)
    expect(await grantsOf('unknown')).toBe(1)
  })

  test('a rate budget in the database grants each credit once, then says when the window ends', async () => {
    await take('once', { ...told(100), wantsRequest: false })
    expect(await grantsOf('once')).toBe(10)
    const { isGranted, waitMs } = await take('once')
    expect(isGranted).toBe(false)
    expect(waitMs).toBeGreaterThan(50_000)
    expect(waitMs).toBeLessThanOrEqual(60_000)
  })

  test('a rate budget in the database grants the whole limit again in the next window', async () => {
    await take('again', { ...told(20), wantsRequest: false })
    expect(await grantsOf('again')).toBe(2)
    await pass(61_000)
    expect(await grantsOf('again')).toBe(10)
  })

  test('a rate budget uses the window end that an answer states, even if the previous window suggests an earlier end', async () => {
    await take('next', told(20))
    await pass(80_000)
    expect((await take('next')).isGranted).toBe(true)
    // The host starts its window when the request arrives, which is one second later here.
    await pass(1000)
    const { isGranted, waitMs } = await take('next', told(0))
    expect(isGranted).toBe(false)
    expect(waitMs).toBeGreaterThan(59_500)
    expect(waitMs).toBeLessThanOrEqual(60_000)
  })

  test('a rate budget uses the lowest number of remaining credits if other clients use the same account', async () => {
    await take('less', told(100))
    expect((await take('less', { left: 10, resetMs: 60_000 })).isGranted).toBe(true)
    expect((await take('less', { left: 90, resetMs: 60_000 })).isGranted).toBe(false)
  })

  test('a rate budget subtracts the cost of requests that are under way, because an answer may not include them yet', async () => {
    expect((await take('under way', { ...told(30), underWay: 20 })).isGranted).toBe(true)
    expect((await take('under way')).isGranted).toBe(false)
  })

  test('a rate budget grants no request to any process while the source asks one process to wait', async () => {
    await take('closed', told(100))
    await take('closed', { closedMs: 30_000, wantsRequest: false })
    const { isGranted, waitMs } = await take('closed')
    expect(isGranted).toBe(false)
    expect(waitMs).toBeGreaterThan(0)
    expect(waitMs).toBeLessThanOrEqual(30_000)
    await pass(31_000)
    expect((await take('closed')).isGranted).toBe(true)
  })

  test('a rate budget grants one request in each window if the limit is below the cost of a request', async () => {
    expect((await take('small', { limit: 5, left: 4, resetMs: 60_000 })).isGranted).toBe(false)
    await pass(61_000)
    expect(await grantsOf('small')).toBe(1)
  })
})

describe('processes that share one PostgreSQL', () => {
  const database = useDatabase('postgres')
  const makeProcess = () =>
    makeRateBudgets(machine, (host, order) => takeCredits(database().kysely, host, order))

  /** Makes a host that counts credits in its own windows, and refuses requests beyond the limit. */
  function makeHost(limit: number, windowMs: number) {
    let [left, endsAt, requests, refused] = [limit, 0, 0, 0]
    return {
      counts: () => ({ requests, refused }),
      async ask() {
        await machine.sleep(Math.random() * 20)
        const now = machine.now()
        if (now >= endsAt) [left, endsAt] = [limit, now + windowMs]
        requests += 1
        const isGranted = left >= COST
        if (isGranted) left -= COST
        else refused += 1
        const headers = {
          'x-rate-limit-limit': String(limit),
          'x-rate-limit-remaining': String(left),
          'x-rate-limit-reset': String(Math.ceil((endsAt - now) / 1000)),
        }
        await machine.sleep(Math.random() * 20)
        return headOf(isGranted ? 200 : 429, headers)
      },
    }
  }

  /**
   * Reads pages like a separate process, with its own budgets.
   *
   * @returns milliseconds spent waiting for windows
   */
  async function readPages(host: ReturnType<typeof makeHost>, name: string, pages: number): Promise<number> {
    const budgets = makeProcess()
    let waitedMs = 0
    const budget = budgets.of(name, COST, (_, waitMs) => {
      waitedMs += waitMs
    })
    for (let page = 0; page < pages; page += 1) {
      const spent = await budget.spend('x', signal)
      await spent(await host.ask())
    }
    await budgets.close()
    return waitedMs
  }

  test('processes that share one PostgreSQL share one rate budget: few requests are refused, and no process waits in vain', async () => {
    const host = makeHost(200, 2_000)
    await readPages(host, 'shared', 1)
    const waits = await Promise.all(Array.from({ length: 4 }, () => readPages(host, 'shared', 15)))
    // A request that is sent at the end of a window may arrive in the next window. Other processes may
    // already have used all credits of the next window. The end of the host's window is known only to the
    // second. At each of three window ends, two of the four processes may have a request refused.
    expect(host.counts().requests).toBe(61)
    expect(host.counts().refused).toBeLessThan(7)
    // The host allows 20 requests for each window, so 61 requests make a process wait for three windows. The
    // times in the headers are rounded to seconds.
    for (const waitedMs of waits) expect(waitedMs).toBeLessThan(12_000)
  })

  test('if the source asks one process to wait, all processes that share the PostgreSQL wait', async () => {
    const [one, other] = [makeProcess(), makeProcess()]
    const spent = await one.of('busy', COST, () => undefined).spend('x', signal)
    await spent(headOf(429, { 'retry-after': '2' }))
    const startMs = machine.now()
    const waits: number[] = []
    await other.of('busy', COST, (_, waitMs) => waits.push(waitMs)).spend('y', signal)
    expect(machine.now() - startMs).toBeGreaterThan(1_700)
    expect(waits).toHaveLength(1)
  })
})
