import { expect, test } from 'vitest'
import {
  CONTENT_MEASURES,
  leavesNothing,
  RESOURCE_MEASURES,
  sumOf,
} from '../../../transforms/reconciliation/reconcile.ts'

test('a sum of a measure includes all its reasons, but not measures whose names only begin with the same letters', () => {
  const counts = [
    ['excluded:cancelled', 1n],
    ['excluded:bad_time', 2n],
    ['synced', 4n],
    ['synced:all', 8n],
    ['unseen', 16n],
  ] as const
  expect(sumOf(['synced', 'excluded', 'quarantined'], counts)).toBe(7n)
})

test.each([
  ['resource', RESOURCE_MEASURES, RESOURCE_MEASURES],
  ['content', CONTENT_MEASURES, RESOURCE_MEASURES],
])('every summand of a %s is itself a measure', (_, measures, ofRecords) => {
  for (const { sum = [], from = [] } of Object.values(measures)) {
    expect(Object.keys(measures)).toEqual(expect.arrayContaining([...sum]))
    expect(Object.keys(ofRecords)).toEqual(expect.arrayContaining([...from]))
  }
})

test.each([
  [true, 'kept', 0n, null],
  [true, 'created', 3n, null],
  [true, 'live', 3n, 3n],
  [false, 'live', 2n, 3n],
  [false, 'failed', 1n, null],
  [false, 'removals_failed', 1n, null],
  [false, 'removals_withheld', 1n, null],
  [false, 'kept', 1n, null],
])(
  'the platform has the desired items and no others (%s) if the figure %s is %d',
  (isSettled, measure, count, expected) => {
    const live = {
      content: 'agenda',
      resource: 'sessions',
      measure: 'live',
      count: 3n,
      expected: 3n,
    } as const
    expect(leavesNothing([live, { ...live, measure, count, expected }])).toBe(isSettled)
  },
)
