import { expect, test } from 'vitest'
import { giveBackTurn, postponeTurns, takeTurn } from '../../sql/rate-budgets.ts'
import { useDatabase } from '../support/use-database.ts'

const HOUR_MS = 3_600_000
const database = useDatabase('postgres')
const take = (account: string) => takeTurn(database().kysely, account, HOUR_MS)

/** Expects a wait of some hours, from which the time of the test has passed. */
function expectHours(waitMs: number, hours: number): void {
  expect(waitMs).toBeLessThanOrEqual(hours * HOUR_MS)
  expect(waitMs).toBeGreaterThan((hours - 0.5) * HOUR_MS)
}

test('processes that take turns at the same time get different turns, and each account has its own', async () => {
  const waits = await Promise.all([take('shared'), take('shared'), take('shared')])
  const [first = Number.NaN, second = Number.NaN, third = Number.NaN] = waits.toSorted((a, b) => a - b)
  expect(first).toBe(0)
  expectHours(second, 1)
  expectHours(third, 2)
  expect(await take('other')).toBe(0)
})

test('postponed turns begin later, and a turn whose time has passed begins at once', async () => {
  await take('postponed')
  await postponeTurns(database().kysely, 'postponed', 2 * HOUR_MS)
  expectHours(await take('postponed'), 3)
  await postponeTurns(database().kysely, 'postponed', -9 * HOUR_MS)
  expect(await take('postponed')).toBe(0)
  expectHours(await take('postponed'), 1)
})

test('a turn that is given back is free again, except if a later turn is reserved', async () => {
  const giveBack = (hours: number) =>
    giveBackTurn(database().kysely, 'given back', HOUR_MS, hours * HOUR_MS - 1000)
  for (const _ of [0, 1, 2]) await take('given back')
  await giveBack(1)
  expectHours(await take('given back'), 3)
  await giveBack(3)
  await giveBack(2)
  expectHours(await take('given back'), 2)
})
