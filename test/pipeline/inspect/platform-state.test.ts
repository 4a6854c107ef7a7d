import { expect, test } from 'vitest'
import type { ItemChange, LastRead } from '../../../loaders/explanation/item.ts'
import { describeExplanation } from '../../../pipeline/commands/explain.ts'
import { type ItemState, platformStateOf } from '../../../pipeline/inspect/platform-state.ts'
import { runId } from '../../support/staged.ts'

const at = (number: number) => new Date(Date.UTC(2031, 4, number))
const named = (number: number) => `run ${runId(number)} of 2031-05-0${number}T00:00:00.000Z`

function change(number: number, of: Partial<ItemChange> = {}): ItemChange {
  return {
    run_id: runId(number),
    started_at: at(number),
    status: 'finished',
    held: null,
    plan_hash: 'f00d',
    rollback_to: null,
    action: 'update',
    reason: '',
    state: 'applied',
    code: null,
    retryable: null,
    ...of,
  }
}

const remove = { action: 'remove', reason: 'cancelled' } as const
const desired = { isDesired: true, isKnown: true, isSame: false }
const isNew = { isDesired: true, isKnown: false, isSame: false }
const undesired = { isDesired: false, isKnown: true, isSame: false }
const gone = { isDesired: false, isKnown: false, isSame: false }

const has = `it has the item with other values, sent by ${named(1)}: `
const still = `it still has the item, sent by ${named(1)}: `

/**
 * Each case has a title, the state of an item, its changes with the newest first, and the expected text. In
 * all cases the last run is run 3.
 */
const CASES: readonly (readonly [string, Partial<ItemState>, readonly ItemChange[], string])[] = [
  [
    'as desired',
    { ...desired, isSame: true },
    [change(1)],
    `it has the item as desired, sent by ${named(1)}`,
  ],
  ['read back', { ...desired, isSame: true }, [], `it has the item as desired, read back by ${named(1)}`],
  ['never there', gone, [], 'it does not have the item'],
  [
    'rejected',
    desired,
    [change(3, { state: 'failed', code: 'name_too_long', retryable: false }), change(1)],
    `${has}the platform rejected the change of ${named(3)} (name_too_long); the next run tries again`,
  ],
  [
    'rejected temporarily',
    isNew,
    [change(3, { state: 'failed', code: 'busy', retryable: true })],
    `it does not have the item yet: the platform rejected the change of ${named(3)} (busy), and says that it may succeed later; the next run tries again`,
  ],
  [
    'planned again after it was rejected',
    desired,
    [
      change(3, { state: 'pending', status: 'planned' }),
      change(2, { state: 'failed', code: 'no' }),
      change(1),
    ],
    `${has}${named(3)} planned to update it, but nothing was sent; look at the plan with \`event-sync show 01a1fda0-0000-7000-8000-000000000003\`; if it is right, approve it with \`event-sync apply summit f00d\`; if it is wrong, correct the source, then \`event-sync run summit\`; earlier, the platform rejected the change of ${named(2)} (no)`,
  ],
  [
    'being sent',
    desired,
    [change(3, { state: 'pending', status: 'applying' }), change(1)],
    `${has}${named(3)} is sending the change to update it; if it was interrupted, event-sync run summit finishes it`,
  ],
  [
    'without an answer',
    desired,
    [change(3, { state: 'sent', status: 'applying' }), change(1)],
    `${has}${named(3)} sent it, but the answer is not known; event-sync run summit finds out`,
  ],
  [
    'changed by others',
    desired,
    [change(3), change(1)],
    `${has}${named(3)} sent it, but the platform has changed since`,
  ],
  ['not planned', isNew, [], 'it does not have the item yet: no run has planned it yet'],
  [
    'held',
    undesired,
    [
      change(3, { ...remove, state: 'pending', status: 'held', held: { guard: 'emptied', detail: '' } }),
      change(1),
    ],
    `${still}${named(3)} planned to remove it, because the registration was cancelled (cancelled), but is held by emptied; look at the plan with \`event-sync show 01a1fda0-0000-7000-8000-000000000003\`; if it is right, approve it with \`event-sync apply summit f00d\`; if it is wrong, correct the source, then \`event-sync run summit\``,
  ],
  [
    'withheld after other changes were rejected',
    undesired,
    [change(3, { ...remove, state: 'withheld' }), change(1)],
    `${still}${named(3)} withheld the removal, because the platform rejected too many other changes; event-sync show 01a1fda0-0000-7000-8000-000000000003 says what releases it`,
  ],
  [
    'withheld by a guard',
    undesired,
    [change(3, { ...remove, state: 'withheld', held: { guard: 'removals', detail: '' } }), change(1)],
    `${still}${named(3)} left the removal out, held by removals; to approve it: event-sync plan summit, then apply the plan that it prints`,
  ],
  ['kept', { ...undesired, removals: 'keep' }, [change(1)], `${still}removals.action: keep removes nothing`],
  [
    'not proved to be gone',
    undesired,
    [change(1)],
    `${still}nothing is removed where a read was not proved complete, or a record could not be read`,
  ],
  [
    'of a forgotten person',
    { ...undesired, isForgotten: true },
    [change(1)],
    `${still}the next run removes it, because the person was forgotten`,
  ],
  [
    'removed',
    gone,
    [change(2, { ...remove, reason: 'missing_required:name' }), change(1)],
    `it no longer has the item: removed by ${named(2)}, because its record lacked what is required (missing_required:name)`,
  ],
]

test.each(CASES)(
  'explain describes the state of an item on the platform: %s',
  (_, standing, changes, text) => {
    const isKnown = standing.isKnown ?? false
    const stood = platformStateOf({
      integrationId: 'summit',
      isForgotten: false,
      ...desired,
      sentBy: isKnown ? { run: runId(1), at: at(1).toISOString() } : null,
      lastRead: { run_id: runId(3) } as LastRead,
      removals: 'remove',
      pinned: null,
      ...standing,
      changes,
    })
    expect(stood.text).toBe(text)
    expect(stood.has).toBe(isKnown)
  },
)

test('explain reports an item that only the platform had, and also the removal of this item', () => {
  const lastRead = { run: runId(3), at: at(3).toISOString(), status: 'finished' } as const
  const told = (changes: readonly ItemChange[], isKnown: boolean) =>
    describeExplanation({
      integration: 'summit',
      content: 'agenda',
      uniqueId: '7',
      standing: 'platform_only',
      lastRead,
      record: null,
      why: null,
      fields: [],
      marks: [],
      platform: platformStateOf({
        integrationId: 'summit',
        isDesired: false,
        isForgotten: false,
        isKnown,
        isSame: false,
        sentBy: isKnown ? { run: runId(1), at: at(1).toISOString() } : null,
        changes,
        lastRead: { run_id: runId(3) } as LastRead,
        removals: 'remove',
        pinned: null,
      }),
      pinned: null,
      leftOutNext: false,
      notes: [],
    })
  expect(told([], true)).toContain(`summit: agenda 7 is on the platform, but no run ever read a record for it

  platform    it still has the item, read back by ${named(1)}: nothing is removed where`)
  const removal = change(3, { action: 'remove', reason: 'removed_at_source' })
  expect(told([removal], false)).toContain(`summit: agenda 7 is removed: removed_at_source

  platform    it no longer has the item: removed by ${named(3)}, because the source no longer had its record`)
})
