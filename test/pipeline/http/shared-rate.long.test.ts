import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { makeRateBudgets } from '../../../pipeline/http/rate.ts'
import { machine } from '../../../pipeline/runtime/environment.ts'
import { type LeaseOrder, leaseCredits } from '../../../sql/rate-budgets.ts'
import { engines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'
import { headOf } from '../extract/support.ts'

const COST = 10
const { signal } = new AbortController()
const ORDER: LeaseOrder = {
  cost: COST,
  wanted: 20,
  returned: 0,
  window: '0',
  limit: null,
  left: null,
  underWay: 0,
  resetMs: null,
  closedMs: null,
}

describe.each(engines)('a budget in the database, on %s', (engine) => {
  const database = useDatabase(engine)
  const lease = (host: string, order: Partial<LeaseOrder>) =>
    leaseCredits(database().kysely, host, { ...ORDER, ...order })
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

  test('grants without limit until an answer tells of one', async () => {
    expect(await lease('unknown', {})).toEqual({ granted: null, waitMs: 0, window: '0' })
    expect((await lease('unknown', told(90))).granted).toBe(20)
  })

  test('grants what it has once, in whole requests, and of what is left no more than half', async () => {
    expect((await lease('once', { ...told(100), wanted: 20 })).granted).toBe(20)
    expect((await lease('once', { wanted: 1000 })).granted).toBe(40)
    expect((await lease('once', { wanted: 30 })).granted).toBe(20)
    expect((await lease('once', { wanted: 30 })).granted).toBe(10)
    expect((await lease('once', { wanted: 30 })).granted).toBe(10)
    const { granted, waitMs } = await lease('once', { wanted: 10 })
    expect(granted).toBe(0)
    expect(waitMs).toBeGreaterThan(50_000)
    expect(waitMs).toBeLessThanOrEqual(60_000)
  })

  test('takes back what was not used, in its window and no later', async () => {
    await lease('back', { ...told(40), wanted: 40 })
    await lease('back', { wanted: 10 })
    expect((await lease('back', { wanted: 10 })).granted).toBe(10)
    expect((await lease('back', { wanted: 10 })).granted).toBe(0)
    const { granted, window } = await lease('back', { returned: 20, window: '0', wanted: 10 })
    expect([granted, window]).toEqual([10, '0'])
    await pass(61_000)
    // A whole limit in the new window; what is left of a lease of the old one is not among it.
    expect(await lease('back', { returned: 20, window: '0', wanted: 100 })).toMatchObject({
      granted: 50,
      window: '1',
    })
    expect((await lease('back', { wanted: 100 })).granted).toBe(20)
  })

  test('of one who died has its whole limit again in the next window', async () => {
    expect((await lease('died', { ...told(20), wanted: 20 })).granted).toBe(10)
    expect((await lease('died', {})).granted).toBe(10)
    expect((await lease('died', {})).granted).toBe(0)
    await pass(61_000)
    expect((await lease('died', { wanted: 1000 })).granted).toBe(50)
  })

  test('keeps to the end of a new window that answers tell, which is later than that of the one before would be', async () => {
    await lease('next', told(20))
    await pass(80_000)
    expect((await lease('next', {})).window).toBe('1')
    // The host began its window when the request arrived, and that took a while.
    await pass(1000)
    const { granted, waitMs } = await lease('next', told(0))
    expect(granted).toBe(0)
    expect(waitMs).toBeGreaterThan(59_500)
    expect(waitMs).toBeLessThanOrEqual(60_000)
  })

  test('believes the answer that says less, where others use the same account', async () => {
    await lease('less', told(100))
    expect((await lease('less', { left: 10, resetMs: 60_000 })).granted).toBe(10)
    expect((await lease('less', { left: 90, resetMs: 60_000 })).granted).toBe(0)
  })

  test('is closed to all as long as one was told to keep away', async () => {
    await lease('closed', told(100))
    await lease('closed', { closedMs: 30_000 })
    const { granted, waitMs } = await lease('closed', {})
    expect(granted).toBe(0)
    expect(waitMs).toBeGreaterThan(0)
    expect(waitMs).toBeLessThanOrEqual(30_000)
    await pass(31_000)
    expect((await lease('closed', {})).granted).toBeGreaterThan(0)
  })

  test('lets one request go in each window where the limit is below its cost', async () => {
    expect((await lease('small', { limit: 5, left: 4, resetMs: 60_000 })).granted).toBe(0)
    await pass(61_000)
    expect((await lease('small', {})).granted).toBe(10)
    expect((await lease('small', {})).granted).toBe(0)
  })
})

describe('processes on one PostgreSQL', () => {
  const database = useDatabase('postgres')
  let orders = 0
  const makeProcess = () =>
    makeRateBudgets(machine, {
      isShared: true,
      take(host, order) {
        orders += 1
        return leaseCredits(database().kysely, host, order)
      },
    })

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

  test('ask the database seldom where the host tells of no limit', async () => {
    orders = 0
    const budgets = makeProcess()
    const budget = budgets.of('without limit', COST, () => undefined)
    for (let page = 0; page < 200; page += 1) {
      const spent = await budget.spend('x', signal)
      await spent(headOf(200))
    }
    expect(orders).toBe(1)
  })

  test('follow what one of them was told', async () => {
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
