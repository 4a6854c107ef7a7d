import { expect, test } from 'vitest'
import {
  approvalOf,
  decisionOn,
  planAgain,
  type WaitingPlan,
} from '../../../transforms/texts/waiting-plan.ts'

const plan: WaitingPlan = {
  integration: 'summit',
  run: 'r2',
  planHash: 'f00d',
  rollbackTo: null,
  pinned: null,
}
const pinned = { since: '2031-05-01T06:00:00Z', until: null, reason: null }

test.each([
  ['a plan', {}, 'event-sync apply summit f00d', 'event-sync plan summit'],
  [
    'a plan during a pause',
    { pinned },
    'event-sync resume summit && event-sync apply summit f00d',
    'event-sync plan summit',
  ],
  ['a rollback', { rollbackTo: 'r1' }, 'event-sync apply summit f00d', 'event-sync rollback summit r1'],
  [
    'a rollback during a pause',
    { rollbackTo: 'r1', pinned },
    'event-sync apply summit f00d',
    'event-sync rollback summit r1',
  ],
])('the commands approve and replace %s', (_, of, approval, again) => {
  expect(approvalOf({ ...plan, ...of })).toBe(approval)
  expect(planAgain({ ...plan, ...of })).toBe(again)
})

test('the text about a decision says what to do if the plan is wrong', () => {
  expect(decisionOn(plan)).toBe(
    'look at the plan with `event-sync show r2`; if it is right, approve it with `event-sync apply summit f00d`; if it is wrong, correct the source, then `event-sync run summit`',
  )
  expect(decisionOn({ ...plan, rollbackTo: 'r1' })).toMatch(
    /if it is wrong, do nothing, because nothing is sent without approval$/,
  )
})
