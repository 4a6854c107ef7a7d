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

test('no ordinary edit is taken for a handover [R76]', () => {
  expect(edits.filter(changedHands).map(({ text }) => text)).toEqual([])
})

test('of 200 changes at least 198 are judged right [R76]', () => {
  expect(edits.length + handovers.length).toBe(200)
  const missed = handovers.filter((pair) => !changedHands(pair)).map(({ text }) => text)
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(2)
})

test.each([...edits, ...handovers])(
  'an address that stays, or a name that stays, is no handover: $text',
  ({ before, after }) => {
    const [first, last, address] = before
    expect(isHandover(identity(before), identity([after[0], after[1], address]))).toBe(false)
    expect(isHandover(identity(before), identity([first, last, after[2]]))).toBe(false)
  },
)
