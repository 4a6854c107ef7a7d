import { expect, test } from 'vitest'
import { findManyHandovers } from '../../../transforms/guards/handovers.ts'

test.each([
  [4, 10, false],
  [5, 50, true],
  [5, 51, false],
  [12, 100, true],
  [0, 0, false],
])(
  '%d handovers (changes of the person) of %d live attendees are held: %s [R76]',
  (handover, items, isHeld) => {
    const changes = { attendees: { create: 0, update: 0, handover, remove: 0, unchanged: 0 } }
    const found = findManyHandovers(changes, new Map([['attendees', items]]))
    expect(found?.guard).toBe(isHeld ? 'massUpdate' : undefined)
    if (isHeld)
      expect(found?.detail).toBe(
        `${handover} of ${items} live items of attendees would be handed over to other people`,
      )
  },
)
