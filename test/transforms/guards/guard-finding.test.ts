import { expect, test } from 'vitest'
import { linesOfHold, toHold } from '../../../transforms/guards/guard-finding.ts'
import type { GuardName } from '../../../transforms/guards/guards.ts'

const hit = (guard: GuardName) => {
  return { guard, detail: `what ${guard} saw`, todo: `look at ${guard}`, onlyRemovals: false }
}

test('the first guard holds the plan and says what to look at; the findings of other guards are appended', () => {
  const all = (['emptied', 'speakerType', 'blackout', 'removals', 'massUpdate'] as const).map(hit)
  expect(toHold(all)).toEqual({
    guard: 'emptied',
    detail:
      'what emptied saw; also speakerType: what speakerType saw; also blackout: what blackout saw; also removals: what removals saw; also massUpdate: what massUpdate saw\nlook at emptied',
  })
  expect(toHold([hit('removals')])).toEqual({
    guard: 'removals',
    detail: 'what removals saw\nlook at removals',
  })
  expect(toHold([])).toBeNull()
})

test('a hold contains a finding and what to do; a hold of an older version contains only the finding', () => {
  const hold = toHold([hit('removals'), hit('massUpdate')])
  expect(hold && linesOfHold(hold)).toEqual({
    seen: 'what removals saw; also massUpdate: what massUpdate saw',
    todo: 'look at removals',
  })
  expect(linesOfHold({ guard: 'removals', detail: 'all in one' })).toEqual({ seen: 'all in one', todo: null })
})
