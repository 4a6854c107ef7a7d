import { expect, test } from 'vitest'
import { isHandover } from '../../../transforms/rules/handover.ts'
import { EDITS, HANDOVERS, type Pair, pairsOf } from './handover-pairs.ts'

const identity = ([firstName, lastName, emailAddress]: Pair['before']) => ({
  firstName,
  lastName,
  emailAddress,
})
const changedHands = ({ before, after }: Pair) => isHandover(identity(before), identity(after))
const [edits, handovers] = [pairsOf(EDITS), pairsOf(HANDOVERS)]

test('no ordinary edit of a registration counts as a handover to another person [R76]', () => {
  expect(edits.filter(changedHands).map(({ text }) => text)).toEqual([])
})

test('at least 198 of 200 changes of registrations are classified correctly [R76]', () => {
  expect(edits.length + handovers.length).toBe(200)
  const missed = handovers.filter((pair) => !changedHands(pair)).map(({ text }) => text)
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(2)
})

test.each([...edits, ...handovers])(
  'a change is no handover to another person if the address or the name stays the same: $text',
  ({ before, after }) => {
    const [first, last, address] = before
    expect(isHandover(identity(before), identity([after[0], after[1], address]))).toBe(false)
    expect(isHandover(identity(before), identity([first, last, after[2]]))).toBe(false)
  },
)
