import { beforeEach, describe, expect, test } from 'vitest'
import type { ChangeCounts, Content } from '../../../sql/tables.ts'
import { findRemovals } from '../../../transforms/guards/removals.ts'
import { possess } from '../../support/desired.ts'
import { engines } from '../../support/engines.ts'
import { enterRun, ids, type Ledgered, type StoredChange, storeChanges } from '../../support/runs.ts'
import { emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const NOW = '2031-05-04T12:00:00.000Z'
const NONE: ChangeCounts = { create: 0, update: 0, remove: 0, unchanged: 0 }
const gone = (count: number, more: Partial<StoredChange> = {}) =>
  ids(count, more.inferred ?? 'gone').map(
    (uniqueId): StoredChange => ({ uniqueId, before: {}, inferred: 'removed_at_source', ...more }),
  )
const attested = (count: number) =>
  ids(count, 'cancelled').map((uniqueId): StoredChange => ({ uniqueId, before: {} }))

describe.each(engines)('removals that no record states, on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  async function hitOf(
    changes: readonly StoredChange[],
    live: number,
    { create = 0, maxShare = 0.2, minCount = 5 as number | null, content = 'attendees' as Content } = {},
  ) {
    await storeChanges(
      db(),
      9,
      changes.map((change) => ({ ...change, content })),
    )
    const counts = { [content]: { ...NONE, create, remove: changes.length } }
    const plan = { integrationId: INTEGRATION, runId: runId(9), changes: counts }
    const limits = { maxShare, minCount, nowMs: Date.parse(NOW) }
    return findRemovals(db(), plan, new Map([[content, live]]), limits)
  }

  /** Stores an earlier run that removed `count` items. */
  async function removedBefore(
    run: number,
    count: number,
    ledgered: Ledgered,
    state: StoredChange['state'] = 'applied',
    prefix = 'gone',
  ) {
    await enterRun(db(), run, ledgered)
    await storeChanges(
      db(),
      run,
      ids(count, prefix).map((uniqueId) => ({ uniqueId, before: {}, inferred: 'removed_at_source', state })),
    )
  }

  // The guard holds the plan if the removals exceed the share maxShare and are at least minCount.
  test.each([
    [20, 100, 0.2, 5, false],
    [21, 100, 0.2, 5, true],
    [5, 24, 0.2, 5, true],
    [9, 40, 0.2, null, false],
    [10, 40, 0.2, null, true],
    [5, 18, 0.2, null, false],
    [6, 20, 0.2, null, true],
    [4, 10, 0.2, null, false],
    [5, 10, 0.5, null, false],
    [5, 25, 0.2, 5, false],
    [4, 5, 0.2, 5, false],
    [1, 1000, 0, 0, true],
    [49, 50, 0.2, 50, false],
  ])(
    'if %d of %d items are removed, with maxShare %d and minCount %s, the plan is held: %s [R45]',
    async (count, live, maxShare, minCount, trips) => {
      const hit = await hitOf(gone(count), live, { maxShare, minCount })
      expect(hit !== null).toBe(trips)
      if (hit === null) return
      expect(hit).toMatchObject({ guard: 'removals', onlyRemovals: true })
      expect(hit.detail).toContain(
        `${count} of ${live} live items of attendees would be removed without a record that asks for it (removed_at_source ${count}), removals.maxShare is ${maxShare}`,
      )
    },
  )

  test('if exclude rules of the configuration caused the removals, the hold names these rules', async () => {
    const ruled = (count: number) => gone(count, { inferred: 'excluded_by_rule:harbour' })
    const ofRule = await hitOf(ruled(7), 20)
    expect(ofRule?.todo).toBe('Check the rules of exclude that leave out what was synced before: harbour.')
    await emptyTables(db())
    const ofBoth = await hitOf([...ruled(4), ...gone(3)], 20)
    expect(ofBoth?.todo).toMatch(/^Check at the source .* Check the rules of exclude .*: harbour\.$/)
  })

  test('the hold lists the reasons of the removals, the most frequent first', async () => {
    const hit = await hitOf(
      [...gone(2), ...gone(7, { inferred: 'missing_required:lastName' }), ...attested(1)],
      20,
    )
    expect(hit?.detail).toContain(
      '9 of 20 live items of attendees would be removed without a record that asks for it (missing_required:lastName 7, removed_at_source 2)',
    )
  })

  describe('the last items of a content', () => {
    test.each<[string, readonly StoredChange[], number, number, boolean]>([
      ['the only item', gone(1), 1, 0, true],
      ['the last one, while the others are cancelled', [...gone(1), ...attested(9)], 10, 0, true],
      ['one item stays', gone(3), 4, 0, false],
      ['one item is new', gone(3), 3, 1, false],
    ])('%s', async (_, changes, live, create, trips) => {
      const hit = await hitOf(changes, live, { create })
      expect(hit !== null).toBe(trips)
      if (trips) expect(hit?.detail).toContain('none would be left')
    })
  })

  describe('little by little', () => {
    const within = { appliedAt: '2031-05-03T12:00:00.001Z' }

    test.each([
      // 15 new removals and 19 earlier removals of 100 items are more than a fifth.
      [19, 15, 81, 'after 19 others within a day, '],
      [19, 2, 81, 'after 19 others within a day, '],
      [3, 2, 21, 'after 3 others within a day, '],
      [1, 15, 60, 'after 1 other within a day, '],
    ])(
      'after %d removals within a day, a plan that removes %d of %d items is held, %s',
      async (before, count, live, text) => {
        await removedBefore(1, before, within)
        const hit = await hitOf(gone(count), live)
        expect(hit?.detail).toContain(`${text}removals.maxShare is 0.2`)
      },
    )

    test('the removals of several runs within a day are added up', async () => {
      await removedBefore(1, 10, within)
      await removedBefore(2, 10, { appliedAt: '2031-05-04T11:00:00Z' }, 'applied', 'gone later ')
      expect((await hitOf(gone(1), 80))?.detail).toContain('after 20 others within a day')
    })

    test('an item that was removed several times counts once, and an item that is live again does not count', async () => {
      await removedBefore(1, 20, within)
      await removedBefore(2, 20, within)
      expect((await hitOf(gone(1), 80))?.detail).toContain('after 20 others within a day')
      await possess(
        db(),
        ids(20, 'gone').map((id) => ['attendees', id, {}]),
      )
      await emptyPlan()
      expect(await hitOf(gone(1), 80)).toBeNull()
    })

    test.each<[string, Ledgered, StoredChange['state']]>([
      ['a day ago or earlier', { appliedAt: '2031-05-03T12:00:00Z' }, 'applied'],
      ['in a run that was approved', { ...within, approvedAt: '2031-05-03T12:00:00Z' }, 'applied'],
      ['in a run that is not applied', { appliedAt: null }, 'pending'],
      ['but withheld', within, 'withheld'],
      ['but rejected', within, 'failed'],
      ['in another integration', { ...within, integrationId: 'expo' }, 'applied'],
    ])('items that were removed %s do not count', async (_, ledgered, state) => {
      await removedBefore(1, 20, ledgered, state)
      expect(await hitOf(gone(1), 80)).toBeNull()
    })

    test('removals before the last approval of removals do not count, but later removals count', async () => {
      await removedBefore(1, 20, within)
      const approved = { appliedAt: '2031-05-04T09:00:00Z', approvedAt: '2031-05-04T08:00:00Z' }
      await removedBefore(2, 1, approved, 'applied', 'approved')
      expect(await hitOf(gone(1), 80)).toBeNull()
      await removedBefore(3, 20, { appliedAt: '2031-05-04T10:00:00Z' })
      await emptyPlan()
      expect((await hitOf(gone(1), 80))?.detail).toContain('after 20 others within a day')
    })

    test.each<[string, StoredChange]>([
      ['updates alone', { uniqueId: 'edited', before: {}, after: {} }],
      ['removals that records state', { uniqueId: 'cancelled', before: {}, stated: 'cancelled' }],
    ])('an approval of %s does not restart the count', async (_, change) => {
      await removedBefore(1, 20, within)
      await enterRun(db(), 2, { appliedAt: '2031-05-04T09:00:00Z', approvedAt: '2031-05-04T08:00:00Z' })
      await storeChanges(db(), 2, [{ ...change, state: 'applied' }])
      expect((await hitOf(gone(1), 80))?.detail).toContain('after 20 others within a day')
    })

    test('removals of another content do not count', async () => {
      await removedBefore(1, 20, within)
      expect(await hitOf(gone(1), 80, { content: 'speakers' })).toBeNull()
    })
  })

  async function emptyPlan(): Promise<void> {
    await db().deleteFrom('sync.changes').where('run_id', '=', runId(9)).execute()
  }
})
