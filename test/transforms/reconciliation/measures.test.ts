import { expect, test } from 'vitest'
import { CONTENT_MEASURES, RESOURCE_MEASURES, sumOf } from '../../../transforms/reconciliation/reconcile.ts'

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
