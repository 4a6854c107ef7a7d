import { expect, test } from 'vitest'
import { GUARDS, toHold } from '../../../transforms/guards/guard-finding.ts'

const trip = (guard: (typeof GUARDS)[number]) => ({ guard, detail: `what ${guard} saw`, onlyRemovals: false })

test('the guard nearest to the cause holds the plan, and tells what the others saw', () => {
  expect(GUARDS).toEqual(['emptied', 'speakerType', 'blackout', 'removals', 'massUpdate'])
  const all = GUARDS.map(trip).toReversed()
  expect(toHold(all)).toEqual({
    guard: 'emptied',
    detail:
      'what emptied saw; also speakerType: what speakerType saw; also blackout: what blackout saw; also removals: what removals saw; also massUpdate: what massUpdate saw',
  })
  expect(toHold([trip('removals')])).toEqual({ guard: 'removals', detail: 'what removals saw' })
  expect(toHold([])).toBeNull()
})
