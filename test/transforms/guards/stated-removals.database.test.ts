import { beforeEach, describe, expect, test } from 'vitest'
import type { Content } from '../../../sql/tables.ts'
import { findStatedRemovals } from '../../../transforms/guards/stated-removals.ts'
import { transformA } from '../../../transforms/source-a/index.ts'
import { transformB } from '../../../transforms/source-b/index.ts'
import { readOf } from '../../support/columns-read.ts'
import { ALL_CONTENTS } from '../../support/decide.ts'
import { possess } from '../../support/desired.ts'
import { engines } from '../../support/engines.ts'
import { enterRun, ids, type Ledgered, type StoredChange, storeChanges } from '../../support/runs.ts'
import { emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const NOW = '2031-05-04T12:00:00.000Z'
const stated = (count: number, reason = 'cancelled', more: Partial<StoredChange> = {}) =>
  ids(count, reason).map((uniqueId): StoredChange => ({ uniqueId, before: {}, stated: reason, ...more }))

describe.each(engines)('removals that records state, on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  async function hitOf(
    changes: readonly StoredChange[],
    live: number,
    {
      maxStatedShare = 0.5,
      content = 'attendees' as Content,
      transform = transformB as typeof transformB | typeof transformA,
    } = {},
  ) {
    await db().deleteFrom('sync.changes').where('run_id', '=', runId(9)).execute()
    await storeChanges(
      db(),
      9,
      changes.map((change) => ({ content, ...change })),
    )
    const read = readOf(db(), transform, ALL_CONTENTS, { sessionStatuses: ['Accepted'] })
    const plan = { integrationId: INTEGRATION, runId: runId(9), read }
    return findStatedRemovals(db(), plan, new Map([[content, live]]), {
      maxStatedShare,
      nowMs: Date.parse(NOW),
    })
  }

  // The guard holds the plan if there are 20 or more live items and the share of removed items exceeds the
  // limit.
  test.each([
    [40, 60, 0.5, true],
    [30, 60, 0.5, false],
    [31, 60, 0.5, true],
    [20, 60, 0.5, false],
    [11, 20, 0.5, true],
    [10, 20, 0.5, false],
    [19, 19, 0.5, false],
    [60, 60, 1, false],
    [1, 20, 0, true],
    [7, 60, 0.1, true],
  ])(
    'if records state the removal of %d of %d items, with maxStatedShare %d, the plan is held: %s [R45]',
    async (count, live, maxStatedShare, trips) => {
      const hit = await hitOf(stated(count), live, { maxStatedShare })
      expect(hit !== null).toBe(trips)
      if (hit === null) return
      expect(hit).toMatchObject({
        guard: 'statedRemovals',
        onlyRemovals: true,
        detail: `${count} of ${live} attendees would be removed: cancelled (registrants.cancelled_at); removals.maxStatedShare is ${maxStatedShare}`,
      })
    },
  )

  test.each([
    ['speakers', transformB, 'not_a_speaker', 'registrants.reg_type_id, reg_types.name'],
    [
      'agenda',
      transformA,
      'not_published',
      'sessions.enabled, sessions.visible_to_anonymous_users, sessions.status',
    ],
    ['agenda', transformA, 'one_to_one_meeting', 'sessions.session_type_id, session_types.title'],
    ['speakers', transformA, 'not_published', 'users.is_pending'],
  ] as const)(
    'the hold of stated removals names the fields of a reason: %s, %#',
    async (content, transform, reason, fields) => {
      const hit = await hitOf(stated(21, reason), 40, { content, transform })
      expect(hit?.detail).toContain(`21 of 40 ${content} would be removed: ${reason} (${fields});`)
    },
  )

  test('the hold of stated removals lists several reasons with their numbers, the most frequent first', async () => {
    const hit = await hitOf([...stated(5), ...stated(20, 'not_a_speaker')], 40, { content: 'speakers' })
    expect(hit?.detail).toMatch(
      /^25 of 40 speakers would be removed: not_a_speaker 20 \(registrants\.reg_type_id, reg_types\.name\), cancelled 5;/,
    )
  })

  test('suppressed, forgotten and inferred removals do not count as stated removals, nor do updates', async () => {
    const others = [
      ...stated(10, 'suppressed'),
      ...stated(10, 'forgotten'),
      ...ids(10, 'gone').map((uniqueId) => ({ uniqueId, before: {}, inferred: 'removed_at_source' })),
      ...ids(10, 'edited').map((uniqueId) => ({ uniqueId, before: {}, after: {} })),
    ]
    expect(await hitOf([...others, ...stated(20)], 60)).toBeNull()
    expect(await hitOf([...others, ...stated(31)], 60)).not.toBeNull()
  })

  describe('little by little', () => {
    const within = { appliedAt: '2031-05-03T12:00:00.001Z' }
    async function before(run: number, count: number, ledgered: Ledgered, more: Partial<StoredChange> = {}) {
      await enterRun(db(), run, ledgered)
      await storeChanges(db(), run, stated(count, 'earlier', { state: 'applied', ...more }))
    }

    test('stated removals of earlier runs within a day count, and the hold names them', async () => {
      await before(1, 18, within)
      expect(await hitOf(stated(12), 42)).toBeNull()
      expect((await hitOf(stated(13), 42))?.detail).toContain(
        '13 of 42 attendees would be removed: cancelled (registrants.cancelled_at), after 18 others within a day;',
      )
    })

    test.each<[string, Ledgered, Partial<StoredChange>]>([
      ['a day ago', { appliedAt: '2031-05-03T12:00:00Z' }, {}],
      ['in a run that was approved', { ...within, approvedAt: '2031-05-03T12:00:00Z' }, {}],
      ['for another reason than a record gave', within, { stated: 'suppressed' }],
      ['because nothing stood for it', within, { inferred: 'removed_at_source' }],
    ])('items that were removed %s do not count', async (_, ledgered, more) => {
      await before(1, 18, ledgered, more)
      expect(await hitOf(stated(13), 42)).toBeNull()
    })

    const approved = { appliedAt: '2031-05-04T09:00:00Z', approvedAt: '2031-05-04T08:00:00Z' }
    test.each<[string, StoredChange, boolean]>([
      ['updates alone', { uniqueId: 'edited', before: {}, after: {} }, true],
      ['inferred removals', { uniqueId: 'gone', before: {}, inferred: 'removed_at_source' }, true],
      ['a removal by suppress', { uniqueId: 'hidden', before: {}, stated: 'suppressed' }, true],
      ['a stated removal', { uniqueId: 'approved', before: {}, stated: 'cancelled' }, false],
    ])('an approval of %s ends or continues the count: %#', async (_, change, trips) => {
      await before(1, 18, within)
      await enterRun(db(), 2, approved)
      await storeChanges(db(), 2, [{ ...change, state: 'applied' }])
      expect((await hitOf(stated(13), 42)) !== null).toBe(trips)
    })

    test('stated removals of items that are live again do not count', async () => {
      await before(1, 18, within)
      await possess(
        db(),
        ids(18, 'earlier').map((id) => ['attendees', id, {}]),
      )
      expect(await hitOf(stated(13), 42)).toBeNull()
    })
  })

  test.each<[string, NonNullable<StoredChange['state']>, string, boolean]>([
    ['the platform rejected it', 'failed', 'cancelled', false],
    ['it was left out after a rejection', 'withheld', 'cancelled', false],
    ['it landed, and is there again', 'applied', 'cancelled', true],
    ['for another reason', 'failed', 'not_a_speaker', true],
  ])('removals that were approved last are not held again: %s', async (_, state, reason, trips) => {
    await enterRun(db(), 1, { approvedAt: '2031-05-03T12:00:00Z' })
    await storeChanges(
      db(),
      1,
      stated(40).map((change) => ({ ...change, stated: reason, state })),
    )
    expect((await hitOf(stated(40), 60)) !== null).toBe(trips)
  })
})
