import { beforeEach, describe, expect, test } from 'vitest'
import { massUpdateTrip } from '../../../transforms/guards/mass-update.ts'
import { engines } from '../../support/engines.ts'
import { ids, storeChanges } from '../../support/runs.ts'
import { emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const PLAN = { integrationId: INTEGRATION, runId: runId(2) }
const moved = { before: { name: 'x', startTime: '1' }, after: { name: 'x', startTime: '2' } }

describe.each(engines)('many changes of one field, on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))
  const tripOf = (live: number, maxShare: number) =>
    massUpdateTrip(db(), PLAN, new Map([['agenda', live]]), maxShare)

  // More than the share, and at least 20.
  test.each([
    [20, 39, 0.5, true],
    [20, 40, 0.5, false],
    [19, 19, 0.5, false],
    [21, 40, 0.5, true],
    [29, 100, 0.29, false],
    [30, 100, 0.29, true],
    [20, 20, 1, false],
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

  test('a field that comes or goes changes; so does the order of a list', async () => {
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
    expect(detail.match(/\w+ of agenda/g)).toEqual([
      'description of agenda',
      'location of agenda',
      'speakerIds of agenda',
    ])
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
