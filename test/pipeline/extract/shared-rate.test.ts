import { describe, expect, test } from 'vitest'
import { machine } from '../../../pipeline/commands/session.ts'
import { makeSharedBudgets } from '../../../pipeline/extract/shared-rate.ts'
import { type LeaseOrder, leaseCredits } from '../../../sql/rate-budgets.ts'
import { engines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'

const COST = 10
const { signal } = new AbortController()
const ORDER: LeaseOrder = {
  cost: COST,
  wanted: 20,
  returned: 0,
  window: '0',
  limit: null,
  left: null,
  resetMs: null,
  closedMs: null,
}

describe.each(engines)('a budget in the database, on %s', (engine) => {
  const database = useDatabase(engine)
  const lease = (host: string, order: Partial<LeaseOrder>) =>
    leaseCredits(database().kysely, host, { ...ORDER, ...order })
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
    await lease('back', { ...told(40, 300), wanted: 40 })
    await lease('back', { wanted: 10 })
    expect((await lease('back', { wanted: 10 })).granted).toBe(10)
    expect((await lease('back', { wanted: 10 })).granted).toBe(0)
    const { granted, window } = await lease('back', { returned: 20, window: '0', wanted: 10 })
    expect([granted, window]).toEqual([10, '0'])
    await machine.sleep(400)
    // A whole limit in the new window; what is left of a lease of the old one is not among it.
    expect(await lease('back', { returned: 20, window: '0', wanted: 100 })).toMatchObject({
      granted: 50,
      window: '1',
    })
    expect((await lease('back', { wanted: 100 })).granted).toBe(20)
  })

  test('of one who died has its whole limit again in the next window', async () => {
    expect((await lease('died', { ...told(20, 300), wanted: 20 })).granted).toBe(10)
    expect((await lease('died', {})).granted).toBe(10)
    expect((await lease('died', {})).granted).toBe(0)
    await machine.sleep(400)
    expect((await lease('died', { wanted: 1000 })).granted).toBe(50)
  })

  test('keeps to the end of a new window that answers tell, which is later than that of the one before would be', async () => {
    await lease('next', told(20, 300))
    await machine.sleep(400)
    expect((await lease('next', {})).window).toBe('1')
    // The host began its window when the request arrived, and that took a while.
    await machine.sleep(200)
    const { granted, waitMs } = await lease('next', told(0, 300))
    expect(granted).toBe(0)
    expect(waitMs).toBeGreaterThan(200)
    expect(waitMs).toBeLessThanOrEqual(300)
  })

  test('believes the answer that says less, where others use the same account', async () => {
    await lease('less', told(100))
    expect((await lease('less', { left: 10, resetMs: 60_000 })).granted).toBe(10)
    expect((await lease('less', { left: 90, resetMs: 60_000 })).granted).toBe(0)
  })

  test('is closed to all as long as one was told to keep away', async () => {
    await lease('closed', told(100))
    await lease('closed', { closedMs: 300 })
    const { granted, waitMs } = await lease('closed', {})
    expect(granted).toBe(0)
    expect(waitMs).toBeGreaterThan(0)
    expect(waitMs).toBeLessThanOrEqual(300)
    await machine.sleep(350)
    expect((await lease('closed', {})).granted).toBeGreaterThan(0)
  })

  test('lets one request go in each window where the limit is below its cost', async () => {
    expect((await lease('small', { limit: 5, left: 4, resetMs: 200 })).granted).toBe(0)
    await machine.sleep(250)
    expect((await lease('small', {})).granted).toBe(10)
    expect((await lease('small', {})).granted).toBe(0)
  })
})

describe('processes on one PostgreSQL', () => {
  const database = useDatabase('postgres')
  let orders = 0
  const makeProcess = () =>
    makeSharedBudgets(machine, (host, order) => {
      orders += 1
      return leaseCredits(database().kysely, host, order)
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
        const values: Readonly<Record<string, string>> = {
          'x-rate-limit-limit': String(limit),
          'x-rate-limit-remaining': String(left),
          'x-rate-limit-reset': String(Math.ceil((endsAt - now) / 1000)),
        }
        await machine.sleep(Math.random() * 20)
        return { status: isGranted ? 200 : 429, headers: { get: (name: string) => values[name] ?? null } }
      },
    }
  }

  async function readPages(host: ReturnType<typeof makeHost>, name: string, pages: number): Promise<void> {
    const budgets = makeProcess()
    const budget = budgets.of(name, COST, () => undefined)
    for (let page = 0; page < pages; page += 1) {
      const spent = await budget.spend('x', signal)
      await spent(await host.ask())
    }
    await budgets.close()
  }

  test('share one budget: hardly one is refused, and nobody waits for a window in vain', async () => {
    const host = makeHost(200, 2_000)
    await readPages(host, 'shared', 1)
    const startMs = machine.now()
    await Promise.all(Array.from({ length: 4 }, () => readPages(host, 'shared', 15)))
    // Those that were sent as a window ended may come as the next one's, which others have counted already: of four
    // processes two at each of three ends; the one of the host's own seconds is known to the second only.
    expect(host.counts().requests).toBe(61)
    expect(host.counts().refused).toBeLessThan(7)
    // 61 requests at 20 a window: three windows are waited for, give or take the seconds to which headers are rounded.
    expect(machine.now() - startMs).toBeLessThan(13_000)
  })

  test('ask the database seldom where the host tells of no limit', async () => {
    orders = 0
    const budgets = makeProcess()
    const budget = budgets.of('without limit', COST, () => undefined)
    for (let page = 0; page < 200; page += 1) {
      const spent = await budget.spend('x', signal)
      await spent({ status: 200, headers: { get: () => null } })
    }
    expect(orders).toBe(1)
  })

  test('ask the database seldom where much is left', async () => {
    orders = 0
    await readPages(makeHost(100_000, 60_000), 'much', 200)
    expect(orders).toBeLessThan(20)
  })

  test('heed what one of them was told', async () => {
    const [one, other] = [makeProcess(), makeProcess()]
    const values: Readonly<Record<string, string>> = { 'retry-after': '2' }
    const refusal = { status: 429, headers: { get: (name: string) => values[name] ?? null } }
    const spent = await one.of('busy', COST, () => undefined).spend('x', signal)
    await spent(refusal)
    const startMs = machine.now()
    const waits: number[] = []
    await other.of('busy', COST, (_, waitMs) => waits.push(waitMs)).spend('y', signal)
    expect(machine.now() - startMs).toBeGreaterThan(1_700)
    expect(waits).toHaveLength(1)
  })
})
