import { beforeEach, describe, expect, test } from 'vitest'
import type { Content } from '../../../sql/tables.ts'
import { findMassUpdate } from '../../../transforms/guards/mass-update.ts'
import { engines } from '../../support/engines.ts'
import { ids, type StoredChange, storeChanges } from '../../support/runs.ts'
import { emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const PLAN = { integrationId: INTEGRATION, runId: runId(2) }
const moved = { before: { name: 'x', startTime: '1' }, after: { name: 'x', startTime: '2' } }

describe.each(engines)('many changes of one field, on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))
  const tripOf = (live: number, maxShare: number) =>
    findMassUpdate(db(), PLAN, new Map([['agenda', live]]), maxShare)

  // More than the share, and at least 20.
  test.each([
    [20, 39, 0.5, true],
    [20, 40, 0.5, false],
    [19, 19, 0.5, false],
    [20, 1000, 0, true],
  ])('%d of %d with guards.massUpdate %d trips: %s', async (count, live, maxShare, trips) => {
    await storeChanges(
      db(),
      2,
      ids(count).map((uniqueId) => ({ uniqueId, content: 'agenda', ...moved })),
    )
    const trip = await tripOf(live, maxShare)
    expect(trip !== null).toBe(trips)
    if (trip === null) return
    expect(trip).toMatchObject({ guard: 'massUpdate', onlyRemovals: false })
    expect(trip.detail).toContain(`startTime of agenda would change in ${count} of ${live} live items,`)
    expect(trip.detail).not.toContain('name')
  })

  test('a field that goes changes, and so does the order of a list; one that is filled for the first time does not', async () => {
    const [came, went, turned] = [
      { before: { startTime: '1' }, after: { startTime: '1', location: 'x' } },
      { before: { description: 'x' }, after: {} },
      { before: { speakerIds: ['1', '2'] }, after: { speakerIds: ['2', '1'] } },
    ]
    await storeChanges(
      db(),
      2,
      [came, went, turned].flatMap((change, kind) =>
        ids(20, `${kind}-`).map((uniqueId) => ({ uniqueId, content: 'agenda' as const, ...change })),
      ),
    )
    const detail = (await tripOf(39, 0.5))?.detail ?? ''
    expect(detail.match(/\w+ of agenda/g)).toEqual(['description of agenda', 'speakerIds of agenda'])
  })

  describe('references to items that this plan creates or removes do not count as a change', () => {
    const update = (uniqueId: string, content: Content, field: string, before: unknown, after: unknown) =>
      ({
        uniqueId,
        content,
        before: { firstName: 'x', ...(before === null ? {} : { [field]: before }) },
        after: { firstName: 'x', ...(after === null ? {} : { [field]: after }) },
      }) as StoredChange
    const touched: readonly StoredChange[] = (['agenda', 'speakers', 'attendees'] as const).flatMap(
      (content) => [
        { uniqueId: 'gone', content, before: {}, inferred: 'removed_at_source' },
        { uniqueId: 'new', content, after: {} },
      ],
    )

    test.each<[string, Content, string, unknown, unknown, boolean]>([
      ['one is gone', 'speakers', 'sessionIds', ['a', 'gone', 'b'], ['a', 'b'], false],
      ['one is gone and one is new', 'agenda', 'speakerIds', ['gone', 'a'], ['a', 'new'], false],
      ['none is left', 'agenda', 'speakerIds', ['gone'], null, false],
      ['a single reference is gone', 'speakers', 'attendeeId', 'gone', null, false],
      ['another one goes too', 'speakers', 'sessionIds', ['a', 'gone', 'b'], ['a'], true],
      ['the rest is in another order', 'speakers', 'sessionIds', ['a', 'gone', 'b'], ['b', 'a'], true],
      ['a single reference is another one', 'speakers', 'attendeeId', 'a', 'b', true],
      ['a field that is no reference has such a text', 'attendees', 'company', 'gone', 'new', true],
    ])('%s', async (_, content, field, before, after, trips) => {
      const updates = ids(20).map((id) => update(id, content, field, before, after))
      await storeChanges(db(), 2, [...updates, ...touched])
      const trip = await findMassUpdate(db(), PLAN, new Map([[content, 30]]), 0.5)
      expect(trip !== null).toBe(trips)
    })

    test('what another content, run or integration creates and removes says nothing', async () => {
      const updates = ids(20).map((id) => update(id, 'speakers', 'sessionIds', ['a', 'gone'], ['a']))
      const elsewhere = touched.filter(({ content }) => content !== 'agenda')
      await storeChanges(db(), 2, [...updates, ...elsewhere])
      await storeChanges(db(), 3, touched)
      expect(await findMassUpdate(db(), PLAN, new Map([['speakers', 30]]), 0.5)).not.toBeNull()
    })
  })

  test('different fields do not add up, nor do contents, runs, creations and removals', async () => {
    const half = (prefix: string, change: object, content: 'agenda' | 'attendees' = 'agenda') =>
      ids(15, prefix).map((uniqueId) => ({ uniqueId, content, ...change }))
    await storeChanges(db(), 2, [
      ...half('a', moved),
      ...half('b', { before: { name: 'x' }, after: { name: 'y' } }),
      ...half('c', { after: { startTime: '1' } }),
      ...half('d', { before: { startTime: '1' } }),
      ...half('e', moved, 'attendees'),
    ])
    await storeChanges(db(), 3, half('f', moved))
    expect(await tripOf(20, 0.5)).toBeNull()
  })
})
