import { expect, test } from 'vitest'
import { planPage } from '../../../../loaders/packs/plan-page/page.ts'
import type { PlannedList, PlanToShow } from '../../../../loaders/packs/plan-page/planned-items.ts'
import { FACTS, planWith } from './sample.ts'

const textOf = (page: string) => page.replace(/<style>.*<\/style>/s, '').replace(/<[^>]*>/g, ' ')

/** Returns a plan that removes one attendee with this name. */
function removalOf(label: string | null, reason = 'removed_at_source'): PlanToShow {
  const item = { content: 'attendees', action: 'remove', uniqueId: 'u1', label, reason, fields: [] } as const
  const list: PlannedList = { content: 'attendees', action: 'remove', total: 1, items: [item] }
  return { counts: [{ content: 'attendees', action: 'remove', reason, count: 1 }], lists: [list] }
}

test.each([false, true])(
  'a name that is hidden and a name that is missing differ; to forward: %s',
  (isToForward) => {
    const textFor = (label: string | null) => textOf(planPage(FACTS, removalOf(label), isToForward))
    expect(textFor(null)).toContain('name hidden')
    expect(textFor(null)).not.toContain('no name ')
    expect(textFor('')).toContain('no name ')
    expect(textFor('')).not.toContain('name hidden')
    expect(textFor('Ada')).not.toMatch(/no name |name hidden/)
  },
)

test('times are shown in the time zone of the event, and a text that is not a time is shown unchanged', () => {
  const text = textOf(planPage(FACTS, planWith('soon'), false))
  expect(text).toContain('2031-05-04 11:00:00')
  expect(text).not.toContain('2031-05-04T09:00:00Z')
  expect(text).toMatch(/startTime\s+2031-05-04 11:00:00\s+soon/)
})

test('the page to forward has field names in plain words, and says which names and values are hidden', () => {
  const fields = [
    { name: 'sessionIds', before: '101', after: '102' },
    { name: 'firstName', before: 'masked', after: 'masked' },
  ]
  const item = {
    content: 'speakers',
    action: 'update',
    reason: '',
    uniqueId: 'u1',
    label: null,
    fields,
  } as const
  const list: PlannedList = { content: 'speakers', action: 'update', total: 1, items: [item] }
  const plan = {
    counts: [{ content: 'speakers', action: 'update', reason: '', count: 1 }],
    lists: [list],
  } as const
  const text = textOf(planPage(FACTS, plan, true))
  expect(text).toMatch(/u1\s+name hidden\s+sessions\s+101\s+102\s+first name\s+hidden\s+hidden/)
  expect(textOf(planPage(FACTS, plan, false))).toMatch(/u1\s+sessionIds\s+101\s+102\s+firstName\s+masked/)
})

test('reasons with the same words are counted together', () => {
  const counts = (['firstName', 'lastName'] as const).map((field) => ({
    content: 'attendees' as const,
    action: 'remove' as const,
    reason: `missing_required:${field}`,
    count: 2,
  }))
  const other = {
    ...counts[0],
    content: 'attendees',
    action: 'remove',
    reason: 'cancelled',
    count: 1,
  } as const
  const page = planPage(FACTS, { counts: [...counts, other], lists: [] }, false)
  expect(textOf(page)).toContain(
    '4 because their records lacked what is required; 1 because the registration was cancelled.',
  )
})

test('the page of a rollback says that the plan restores an earlier state, not that the source asks for it', () => {
  const rollback = { ...FACTS, rollbackTo: '01a1fda0-0000-7000-8000-000000000001' }
  const page = textOf(planPage(rollback, removalOf('Ada', 'rolled_back'), false))
  expect(page).toContain(`what they were after run  ${rollback.rollbackTo} `)
  expect(page).not.toContain('at the source, then')
  const toForward = textOf(planPage(rollback, removalOf(null, 'rolled_back'), true))
  expect(toForward).toContain('if it were taken back to what it showed at an earlier time')
  expect(toForward).not.toContain('registration system as we read it')
})
