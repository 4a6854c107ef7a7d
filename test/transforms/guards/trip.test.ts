import { expect, test } from 'vitest'
import { counted, GUARDS, toHold } from '../../../transforms/guards/trip.ts'

const trip = (guard: (typeof GUARDS)[number]) => ({ guard, detail: `what ${guard} saw`, onlyRemovals: false })

test('the most telling guard holds the plan, and tells what the others saw', () => {
  expect(GUARDS).toEqual(['speakerType', 'emptied', 'blackout', 'massUpdate', 'removals'])
  const all = GUARDS.map(trip).toReversed()
  expect(toHold(all)).toEqual({
    guard: 'speakerType',
    detail:
      'what speakerType saw; also emptied: what emptied saw; also blackout: what blackout saw; also massUpdate: what massUpdate saw; also removals: what removals saw',
  })
  expect(toHold([trip('removals')])).toEqual({ guard: 'removals', detail: 'what removals saw' })
  expect(toHold([])).toBeNull()
})

test.each([
  [0, '0 items'],
  [1, '1 item'],
  [2, '2 items'],
])('%d is counted as %s', (count, text) => {
  expect(counted(count, 'item')).toBe(text)
})
