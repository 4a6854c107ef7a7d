import { expect, test } from 'vitest'
import { leastRequestsOfA, leastRequestsOfB, leastSeconds, leastSecondsInTurn } from './least.ts'

test.each([
  [0, 1],
  [1, 2],
  [1000, 2],
  [1001, 3],
  [1999, 3],
  [2000, 4],
])(
  'Source A: %i elements take %i answers, each beginning with the last one of the page before',
  (count, least) => {
    expect(leastRequestsOfA(count)).toBe(least)
  },
)

test.each([
  [0, 1],
  [1, 1],
  [200, 1],
  [201, 2],
  [1_000_000, 5000],
])('Source B: %i elements take %i answers, since a total that is met is the end', (count, least) => {
  expect(leastRequestsOfB(count)).toBe(least)
})

test('time that a budget takes: full windows are waited for, the last one is not', () => {
  const lists = { requests: [1, 1, 8], latencyMs: 100, window: { requests: 4, windowMs: 10_000 }, before: 1 }
  // Ten requests are 4, 4 and 2: two windows, the token, and one answer.
  expect(leastSeconds(lists)).toBe(20.2)
  // Token 0.1; three lists side by side, then one alone: 0.3; from 10.1 four more: 10.5; from 20.1 two: 20.3.
  expect(leastSecondsInTurn(lists)).toBeCloseTo(20.3)
})

test('without a window, only answers that follow one another take time', () => {
  const window = { requests: Number.POSITIVE_INFINITY, windowMs: 0 }
  const lists = { requests: [1, 12], latencyMs: 200, window, before: 0 }
  expect(leastSeconds(lists)).toBe(0.2)
  expect(leastSecondsInTurn(lists)).toBeCloseTo(2.4)
})
