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
  /** How many requests are granted before one must wait. */
  async function grantsOf(host: string): Promise<number> {
    for (let grants = 0; ; grants += 1) if (!(await take(host)).isGranted) return grants
  }
  /** Lets time pass: every moment that is known moves into the past. */
  const pass = (ms: number) => {
    const span = sql<Date>`${ms} * interval '1 millisecond'`
    return sql`update sync.rate_budgets
      set resets_at = resets_at - ${span}, closed_until = closed_until - ${span}, changed_at = changed_at - ${span}`.execute(
      database().kysely,
    )
  }
  /** 100 credits a window, of which so many are left for so long. */
  const told = (left: number, resetMs = 60_000) => ({ limit: 100, left, resetMs })

  test('grants without limit until an answer states one', async () => {
    for (let request = 0; request < 20; request += 1)
      expect(await take('unknown')).toEqual({ isGranted: true, waitMs: 0 })
    expect((await take('unknown', told(20))).isGranted).toBe(true)
    expect(await grantsOf('unknown')).toBe(1)
  })

  test('grants each credit once, then says when the window ends', async () => {
    await take('once', { ...told(100), wantsRequest: false })
    expect(await grantsOf('once')).toBe(10)
    const { isGranted, waitMs } = await take('once')
    expect(isGranted).toBe(false)
    expect(waitMs).toBeGreaterThan(50_000)
    expect(waitMs).toBeLessThanOrEqual(60_000)
  })

  test('has its whole limit again in the next window', async () => {
    await take('again', { ...told(20), wantsRequest: false })
    expect(await grantsOf('again')).toBe(2)
    await pass(61_000)
    expect(await grantsOf('again')).toBe(10)
  })

  test('keeps to the end of a new window that answers state, which is later than that of the one before would be', async () => {
    await take('next', told(20))
    await pass(80_000)
    expect((await take('next')).isGranted).toBe(true)
    // The host began its window when the request arrived, and that took a while.
    await pass(1000)
    const { isGranted, waitMs } = await take('next', told(0))
    expect(isGranted).toBe(false)
    expect(waitMs).toBeGreaterThan(59_500)
    expect(waitMs).toBeLessThanOrEqual(60_000)
  })

  test('believes the answer that says less, if others use the same account', async () => {
    await take('less', told(100))
    expect((await take('less', { left: 10, resetMs: 60_000 })).isGranted).toBe(true)
    expect((await take('less', { left: 90, resetMs: 60_000 })).isGranted).toBe(false)
  })

  test('counts requests under way, which the answer may not know of', async () => {
    expect((await take('under way', { ...told(30), underWay: 20 })).isGranted).toBe(true)
    expect((await take('under way')).isGranted).toBe(false)
  })

  test('is closed to all as long as one was asked to keep away', async () => {
    await take('closed', told(100))
    await take('closed', { closedMs: 30_000, wantsRequest: false })
    const { isGranted, waitMs } = await take('closed')
    expect(isGranted).toBe(false)
    expect(waitMs).toBeGreaterThan(0)
    expect(waitMs).toBeLessThanOrEqual(30_000)
    await pass(31_000)
    expect((await take('closed')).isGranted).toBe(true)
  })

  test('lets one request go in each window if the limit is below its cost', async () => {
    expect((await take('small', { limit: 5, left: 4, resetMs: 60_000 })).isGranted).toBe(false)
    await pass(61_000)
    expect(await grantsOf('small')).toBe(1)
  })
})

describe('processes on one PostgreSQL', () => {
  const database = useDatabase('postgres')
  const makeProcess = () =>
    makeRateBudgets(machine, (host, order) => takeCredits(database().kysely, host, order))

  /** A host that counts credits in windows of its own, and refuses what goes beyond them. */
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

  /** @returns milliseconds that were waited for windows */
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

  test('share one budget: hardly one is refused, and nobody waits for a window in vain', async () => {
    const host = makeHost(200, 2_000)
    await readPages(host, 'shared', 1)
    const waits = await Promise.all(Array.from({ length: 4 }, () => readPages(host, 'shared', 15)))
    // Those that were sent as a window ended may come as the next one's, which others have counted already: of four
    // processes two at each of three ends; the one of the host's own seconds is known to the second only.
    expect(host.counts().requests).toBe(61)
    expect(host.counts().refused).toBeLessThan(7)
    // 61 requests at 20 a window: three windows are waited for, give or take the seconds to which headers are rounded.
    for (const waitedMs of waits) expect(waitedMs).toBeLessThan(12_000)
  })

  test('follow what one of them was reported', async () => {
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
