import { expect, test } from 'vitest'
import { nextState, type Told } from '../../../pipeline/observe/next-state.ts'
import type { NoticeState, NotifiedEnd } from '../../../sql/tables.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2031, 4, 4, 12)
const DEFAULT: readonly NotifiedEnd[] = ['held', 'failed']

function told(end: NotifiedEnd, state: NoticeState = 'begun', hoursAgo: number | null = 1): Told {
  return { end, state, sentAt: hoursAgo === null ? null : new Date(NOW - hoursAgo * HOUR) }
}
const over = told('finished', 'over')

test.each<[string, NotifiedEnd, readonly NotifiedEnd[], Told | undefined, NoticeState | null]>([
  ['a first success', 'finished', DEFAULT, undefined, null],
  ['a first success with finished', 'finished', ['finished'], undefined, 'ended'],
  ['a first failure', 'failed', DEFAULT, undefined, 'begun'],
  ['a failure after a trouble that is over', 'failed', DEFAULT, over, 'begun'],
  ['a state that is not in `on`', 'incomplete', DEFAULT, undefined, null],
  ['held, then failed', 'failed', DEFAULT, told('held'), 'changed'],
  ['failed, then held', 'held', DEFAULT, told('failed', 'lasting'), 'changed'],
  ['held again within a day', 'held', DEFAULT, told('held'), null],
  ['held again just within a day', 'held', DEFAULT, told('held', 'begun', 23.99), null],
  ['held again after a day', 'held', DEFAULT, told('held', 'begun', 24), 'lasting'],
  ['held again, a day after the last message', 'held', DEFAULT, told('held', 'lasting', 30), 'lasting'],
  ['held again while the first message waits', 'held', DEFAULT, told('held', 'begun', null), null],
  ['held again, the clock set back an hour', 'held', DEFAULT, told('held', 'begun', -1), null],
  ['held again, the clock set back a day', 'held', DEFAULT, told('held', 'begun', -24), 'lasting'],
  ['held, then up to date', 'finished', DEFAULT, told('held'), 'over'],
  ['held, then up to date, with finished', 'finished', ['held', 'finished'], told('held'), 'over'],
  ['up to date again', 'finished', DEFAULT, over, null],
  ['up to date again, with finished', 'finished', ['held', 'finished'], over, 'ended'],
  ['held, then incomplete, which is not in `on`', 'incomplete', DEFAULT, told('held'), 'over'],
  ['failed, then held, which is not in `on`', 'held', ['failed'], told('failed'), 'over'],
  ['held, then failed, which is not in `on`', 'failed', ['held'], told('held'), null],
])('%s', (_what, end, on, known, state) => {
  expect(nextState(end, on, known, NOW)).toBe(state)
})
