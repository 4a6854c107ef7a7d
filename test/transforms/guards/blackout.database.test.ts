import type { Kysely } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Content, Tables } from '../../../sql/tables.ts'
import type { StagingTables } from '../../../transforms/declare/resource.ts'
import { findBlackout } from '../../../transforms/guards/blackout.ts'
import { transformA } from '../../../transforms/source-a/index.ts'
import { transformB } from '../../../transforms/source-b/index.ts'
import { readOf } from '../../support/columns-read.ts'
import { ALL_CONTENTS } from '../../support/decide.ts'
import { engines } from '../../support/engines.ts'
import { ids, type StoredChange, storeChanges } from '../../support/runs.ts'
import { INTEGRATION, insertStaged, runId, type StagedRows } from '../../support/staged.ts'
import { takenBack, useDatabase } from '../../support/use-database.ts'

type User = NonNullable<StagedRows['staging.a_users']>[number]
type Values = Omit<User, 'source_id'>

/** Unusual properties of a run whose plan a guard checks. */
interface More {
  readonly readByChanges?: ReadonlySet<keyof StagingTables>
  readonly options?: object
  readonly removed?: readonly StoredChange[]
  /**
   * Records that were left out in the applied run: their content, ids and reason. The plan creates the items
   * of these records.
   */
  readonly shown?: { readonly content: Content; readonly ids: readonly string[]; readonly reason: string }
  /** The contents of which no item would remain after the plan. */
  readonly emptied?: readonly Content[]
}

const APPLIED = 5
const NOW = 6
const PLANNED = 7

/** Makes two versions of each record: the version in the applied run, and the current version. */
function versions(count: number, former: (place: number) => Values, current: (place: number) => Values) {
  return ids(count).flatMap((source_id, place): readonly User[] => [
    { source_id, ...former(place), valid_from_run: runId(2), valid_to_run: runId(NOW) },
    { source_id, ...current(place), valid_from_run: runId(NOW) },
  ])
}

async function storeShown(db: Kysely<Tables>, { content, ids, reason }: NonNullable<More['shown']>) {
  await storeChanges(
    db,
    PLANNED,
    ids.map((uniqueId) => ({ uniqueId, content, after: {} })),
  )
  const decision = { integration_id: INTEGRATION, content, resource: 'any', detail: '' }
  await db
    .insertInto('sync.decisions')
    .values(
      ids.flatMap((id) => [
        {
          ...{ ...decision, source_id: id, unique_id: id, decision: 'excluded' as const, reason },
          ...{ valid_from_run: runId(2), valid_to_run: runId(PLANNED) },
        },
        {
          ...{ ...decision, source_id: id, unique_id: id, decision: 'synced' as const, reason: '' },
          ...{ valid_from_run: runId(PLANNED), valid_to_run: null },
        },
      ]),
    )
    .execute()
}

/** Gives values to the first `count` records. */
const inFirst = (count: number, values: Values) => (place: number) => (place < count ? values : {})

describe.each(engines)('a field that lost its values, on %s', (engine) => {
  const database = useDatabase(engine)
  const hitOf = (
    rows: StagedRows,
    contents: readonly Content[] = ALL_CONTENTS,
    minCount = 5,
    { readByChanges = new Set(), options = {}, removed = [], shown, emptied = [] }: More = {},
  ) =>
    takenBack(database(), async (transaction) => {
      await insertStaged(transaction, rows)
      await storeChanges(transaction, PLANNED, removed)
      if (shown !== undefined) await storeShown(transaction, shown)
      const transform = Object.keys(rows).some((table) => table.startsWith('staging.b_'))
        ? transformB
        : transformA
      return findBlackout(transaction, runId(APPLIED), {
        integrationId: INTEGRATION,
        runId: runId(PLANNED),
        read: readOf(transaction, transform, contents, options),
        custom: [],
        readByChanges,
        removals: { minCount },
        emptied: new Set(emptied),
      })
    })
  const usersOf = (records: number, former: number, current: number, values: Values) =>
    hitOf({ 'staging.a_users': versions(records, inFirst(former, values), inFirst(current, values)) })

  // The guard holds the plan if over 50 % of 20 or more records had a value and under 10 % have one. The
  // guard also holds the plan if all of 20 or more values are gone.
  test.each([
    [20, 11, 1, true],
    [20, 10, 1, false],
    [20, 11, 2, false],
    [19, 19, 0, false],
    [100, 51, 9, true],
    [100, 51, 10, false],
    [1000, 20, 0, true],
    [1000, 20, 1, false],
    [1000, 19, 0, false],
  ])(
    'an optional field in %d records, filled in %d before and in %d now, holds the plan: %s',
    async (records, former, current, trips) => {
      const hit = await usersOf(records, former, current, { company: 'Mill' })
      expect(hit !== null).toBe(trips)
      if (hit === null) return
      expect(hit).toMatchObject({ guard: 'blackout', onlyRemovals: false })
      expect(hit.detail).toContain(
        `users.company had a value in ${former} of ${records} records, now in ${current}`,
      )
      expect(hit.detail).not.toContain('Mill')
    },
  )

  // The guard holds the plan if the share of records with a value falls under 10 % and at least minCount
  // records lost the value.
  test.each([
    [100, 5, 0, true],
    [5, 5, 0, true],
    [50, 9, 4, true],
    [50, 10, 5, false],
  ])(
    'a required field in %d records, filled in %d before and in %d now, holds the plan: %s',
    async (records, former, current, trips) => {
      const hit = await usersOf(records, former, current, { last_name: 'Lovelace' })
      expect(hit !== null).toBe(trips)
      if (hit !== null) expect(hit.detail).toContain('users.last_name (required) had a value in')
    },
  )

  test('a field counts as required only for content that is synced', async () => {
    const rows = {
      'staging.a_users': versions(10, inFirst(10, { email_address: 'x' }), () => ({})),
    }
    expect(await hitOf(rows, ['attendees'])).not.toBeNull()
    expect(await hitOf(rows, ['speakers'])).toBeNull()
  })

  test('even with minCount 0 the guard needs at least one record that lost the value', async () => {
    const came = versions(30, inFirst(0, {}), inFirst(30, { title: 'x' }))
    expect(await hitOf({ 'staging.a_users': came }, ALL_CONTENTS, 0)).toBeNull()
  })

  test('new and removed records do not count as records that lost a value', async () => {
    const gone = ids(40, 'gone').map((source_id) => ({ source_id, company: 'x', valid_to_run: runId(NOW) }))
    const fresh = ids(40, 'new').map((source_id) => ({ source_id, valid_from_run: runId(NOW) }))
    const stay = versions(30, inFirst(20, { company: 'x' }), inFirst(3, { company: 'x' }))
    expect(await hitOf({ 'staging.a_users': [...gone, ...fresh, ...stay] })).toBeNull()
    const lost = versions(30, inFirst(20, { company: 'x' }), inFirst(2, { company: 'x' }))
    expect(await hitOf({ 'staging.a_users': [...gone, ...fresh, ...lost] })).not.toBeNull()
  })

  test('the blackout guard compares the records with the records of the applied run, and not with versions in between', async () => {
    const rows = ids(30).flatMap((source_id) => [
      { source_id, company: 'x', valid_from_run: runId(2), valid_to_run: runId(APPLIED + 1) },
      // The value was already missing in a held run before this run.
      { source_id, title: 'y', valid_from_run: runId(APPLIED + 1), valid_to_run: runId(APPLIED + 2) },
      { source_id, valid_from_run: runId(APPLIED + 2) },
    ])
    const hit = await hitOf({ 'staging.a_users': rows })
    expect(hit?.detail).toContain('users.company had a value in 30 of 30 records, now in 0')
  })

  test('joined tables are checked for lost values too, and a column on which a required field depends counts as required', async () => {
    const at = (place: number, values: object) =>
      place % 2 === 0
        ? { ...values, valid_from_run: runId(2), valid_to_run: runId(NOW) }
        : { valid_from_run: runId(NOW) }
    const twice = (count: number, values: object) =>
      ids(count * 2).map((_, place) => ({ source_id: `${Math.floor(place / 2)}`, ...at(place, values) }))
    const hit = await hitOf({
      'staging.a_sessions': twice(5, { time_slot_id: '1' }),
      'staging.a_time_slots': twice(6, { end_time: '2031-05-04T13:00:00Z', end_time_status: 'read' }),
      'staging.a_rooms': twice(20, { name: 'Room' }),
      'staging.a_tracks': twice(19, { title: 'Track' }),
    })
    // The fields are sorted by the number of records that lost the value.
    expect(hit?.detail).toMatch(
      /^rooms\.name had .*, time_slots\.end_time \(required\) had .*, sessions\.time_slot_id \(required\) had /,
    )
    expect(hit?.detail).not.toContain('tracks')
  })

  describe('a field that decides which records are synced', () => {
    type Registrant = Omit<NonNullable<StagedRows['staging.b_registrants']>[number], 'source_id'>
    const registrants = (count: number, had: number, has: number, values: Registrant) => ({
      'staging.b_registrants': ids(count).flatMap((source_id, place) => [
        { source_id, ...(place < had ? values : {}), valid_from_run: runId(2), valid_to_run: runId(NOW) },
        { source_id, ...(place < has ? values : {}), valid_from_run: runId(NOW) },
      ]),
    })
    const removed = (count: number, reason: string): readonly StoredChange[] =>
      ids(count).map((uniqueId) => ({ uniqueId, content: 'speakers', before: {}, stated: reason }))

    // The guard holds the plan if over half of the records had a value, under a tenth have one, and 5 or more
    // lost it. The guard also holds the plan if all of 20 or more values are gone.
    test.each([
      [5, 5, 0, true],
      [4, 4, 0, false],
      [9, 5, 0, true],
      [10, 5, 0, false],
      [19, 19, 1, true],
      [19, 19, 2, false],
      [100, 20, 0, true],
      [100, 19, 0, false],
      [100, 20, 1, false],
    ])(
      'a field that decides what is synced, in %d records, filled in %d before and in %d now, holds the plan: %s',
      async (count, had, has, trips) => {
        const hit = await hitOf(registrants(count, had, has, { reg_type_id: '20', reg_type_folded: '20' }))
        const text = `registrants.reg_type_id had a value in ${had} of ${count} records, now in ${has}`
        expect(hit?.detail ?? null).toBe(trips ? text : null)
      },
    )

    test.each([
      [8, 8, 'not_a_speaker', true],
      [8, 4, 'not_a_speaker', false],
      [8, 8, 'cancelled', false],
    ])(
      'of 100 records, %d had a value and none has it; %d are removed as %s; the plan is held: %s',
      async (had, gone, reason, trips) => {
        const rows = registrants(100, had, 0, { reg_type_id: '20' })
        const hit = await hitOf(rows, ALL_CONTENTS, 5, { removed: removed(gone, reason) })
        expect(hit !== null).toBe(trips)
      },
    )

    // Each case has the number of all records, of records that lost the value, and of records that still have
    // it. Each case also has the number of items that are created, and the reason why their records were left
    // out.
    test.each([
      [500, 15, 0, 15, 'cancelled', true],
      [40, 5, 0, 5, 'cancelled', true],
      [500, 15, 1, 15, 'cancelled', false],
      [500, 15, 0, 4, 'cancelled', false],
      [40, 4, 0, 4, 'cancelled', false],
      [500, 15, 0, 15, 'missing_required:lastName', false],
    ])(
      'of %d records, %d lost the value and %d have it; %d that were left out as %s are created; the plan is held: %s',
      async (count, lost, has, created, reason, trips) => {
        const rows = {
          'staging.b_registrants': ids(count).flatMap((source_id, place) => [
            {
              source_id,
              ...(place < lost + has ? { cancelled_at: '2031-02-03' } : {}),
              valid_from_run: runId(2),
              valid_to_run: runId(NOW),
            },
            {
              source_id,
              ...(place >= lost && place < lost + has ? { cancelled_at: '2031-02-03' } : {}),
              valid_from_run: runId(NOW),
            },
          ]),
        }
        const shown = { content: 'attendees' as const, ids: ids(created), reason }
        const hit = await hitOf(rows, ALL_CONTENTS, 5, { shown })
        const text = `registrants.cancelled_at is gone for ${created} records of registrants that were left out because of it and would be created`
        expect(hit?.detail ?? null).toBe(trips ? text : null)
      },
    )

    test.each([
      ['enabled', 6, true],
      ['enabled', 3, false],
      ['visible_to_anonymous_users', 6, true],
    ])(
      'if %s, which is stated only if false, disappears in %d of 19 sessions, the plan is held: %s',
      async (flag, count, trips) => {
        const rows = {
          'staging.a_sessions': ids(19).flatMap((source_id, place) => [
            {
              source_id,
              ...(place < count ? { [flag]: false } : {}),
              valid_from_run: runId(2),
              valid_to_run: runId(NOW),
            },
            { source_id, valid_from_run: runId(NOW) },
          ]),
        }
        const shown = { content: 'agenda' as const, ids: ids(count), reason: 'not_published' }
        expect((await hitOf(rows, ALL_CONTENTS, 5, { shown })) !== null).toBe(trips)
      },
    )

    const meeting = { source_id: 'm', title: '1:1', title_folded: '1:1' }
    const talk = { source_id: 't', title: 'Talk', title_folded: 'talk' }
    const untitled = { source_id: 'm', valid_from_run: runId(NOW) }
    const ended = { ...meeting, valid_to_run: runId(NOW) }
    const typed = (count: number, former: string, current: string | null) => [
      ...ids(count).flatMap((source_id) => [
        { source_id, session_type_id: former, valid_to_run: runId(NOW) },
        { source_id, session_type_id: current, valid_from_run: runId(NOW) },
      ]),
      ...ids(20, 'talk').map((source_id) => ({ source_id, session_type_id: 't' })),
    ]
    test.each([
      ['whose type has no title now', [talk, ended, untitled], typed(6, 'm', 'm'), 6, true],
      ['whose type is gone', [talk, ended], typed(6, 'm', 'm'), 6, true],
      ['that name a type that nobody knows', [talk, meeting], typed(6, 'm', 'x'), 6, true],
      ['whose type has no title now, too few', [talk, ended, untitled], typed(4, 'm', 'm'), 4, false],
      ['that have another type now', [talk, meeting], typed(6, 'm', 't'), 6, false],
      ['that have no type now, as others have one', [talk, ended], typed(6, 'm', null), 6, false],
    ])('sessions %s', async (_, types, sessions, count, trips) => {
      const rows = { 'staging.a_sessions': sessions, 'staging.a_session_types': types }
      const shown = { content: 'agenda' as const, ids: ids(count), reason: 'one_to_one_meeting' }
      const hit = await hitOf(rows, ALL_CONTENTS, 5, { shown })
      const text = `session_types.title is gone for ${count} records of sessions that were left out because of it and would be created`
      expect(hit?.detail ?? null).toBe(trips ? text : null)
    })

    test.each([
      [4, 0, ['speakers'], 'not_a_speaker', true],
      [1, 0, ['speakers'], 'not_a_speaker', true],
      [4, 0, [], 'not_a_speaker', false],
      [4, 0, ['attendees'], 'not_a_speaker', false],
      [4, 1, ['speakers'], 'not_a_speaker', false],
      [4, 0, ['speakers'], 'cancelled', false],
    ] as const)(
      'of 30 records, %d lost the value and %d have it; no item of %j would remain, all removed as %s; the plan is held: %s',
      async (lost, has, emptied, reason, trips) => {
        const rows = registrants(30, lost + has, has, { reg_type_id: '20' })
        const gone = ids(lost + has).slice(has)
        const hit = await hitOf(rows, ALL_CONTENTS, 5, {
          removed: gone.map((uniqueId) => ({ uniqueId, content: 'speakers', before: {}, stated: reason })),
          emptied,
        })
        expect(hit !== null).toBe(trips)
      },
    )

    test('a field that decides what is synced is checked only if its content is synced and the options use the field', async () => {
      const types = registrants(12, 12, 0, { reg_type_id: '20' })
      expect(await hitOf(types, ['speakers'])).not.toBeNull()
      expect(await hitOf(types, ['attendees'])).toBeNull()
      const cancelled = registrants(40, 30, 0, { cancelled_at: '2031-02-03' })
      expect(await hitOf(cancelled, ['attendees'])).not.toBeNull()
      expect(await hitOf(cancelled, ['speakers'])).toBeNull()
      const excluded = { options: { cancelledSpeakers: 'exclude' } }
      expect(await hitOf(cancelled, ['speakers'], 5, excluded)).not.toBeNull()
    })

    test('if a name is missing beside an id that still exists, the plan is held only if items would be removed because of it', async () => {
      const rows = {
        'staging.b_registrants': ids(40).flatMap((source_id) => [
          {
            source_id,
            reg_type_id: '20',
            reg_type_value: 'Speaker',
            valid_from_run: runId(2),
            valid_to_run: runId(NOW),
          },
          { source_id, reg_type_id: '20', valid_from_run: runId(NOW) },
        ]),
      }
      expect(await hitOf(rows)).toBeNull()
      const hit = await hitOf(rows, ALL_CONTENTS, 5, { removed: removed(6, 'not_a_speaker') })
      expect(hit?.detail).toBe('registrants.reg_type_value had a value in 40 of 40 records, now in 0')
    })

    test.each([
      ['all', new Set<keyof StagingTables>(), true],
      ['only changes', new Set<keyof StagingTables>(['staging.b_registrants']), false],
    ])(
      'a few edited records hold the plan only if all records were read; here %s was read',
      async (_, readByChanges, trips) => {
        const rows = registrants(8, 8, 0, { reg_type_id: '20' })
        const hit = await hitOf(rows, ALL_CONTENTS, 5, {
          readByChanges,
          removed: removed(8, 'not_a_speaker'),
        })
        expect(hit !== null).toBe(trips)
      },
    )

    // Two registrant types lose their names. The number in each case says how many registrants have the first
    // type.
    test.each([
      [5, true],
      [4, false],
    ])('the name of a type counts once for each of the %d registrants of this type', async (count, trips) => {
      const name = { name: 'Speaker', name_folded: 'speaker' }
      const hit = await hitOf({
        'staging.b_registrants': ids(count).map((source_id) => ({ source_id, reg_type_id: '20' })),
        'staging.b_reg_types': ['20', '21'].flatMap((source_id) => [
          { source_id, ...name, valid_from_run: runId(2), valid_to_run: runId(NOW) },
          { source_id, valid_from_run: runId(NOW) },
        ]),
      })
      const text = `reg_types.name had a value in ${count} of ${count} records of registrants, now in 0`
      expect(hit?.detail ?? null).toBe(trips ? text : null)
    })

    test('a flag that is never null counts as having a value if it is true', async () => {
      const rows = {
        'staging.a_users': versions(30, inFirst(25, { has_speaker_role: true }), () => ({})),
      }
      expect(await hitOf(rows)).toBeNull()
      const hit = await hitOf(rows, ALL_CONTENTS, 5, { options: { speakers: 'role' } })
      expect(hit?.detail).toBe('users.has_speaker_role had a value in 25 of 30 records, now in 0')
    })
  })

  test('the blackout guard works for Source B too', async () => {
    const twice = ids(20).flatMap((source_id) => [
      { source_id, session_ids: ['1'], bio: 'x', valid_from_run: runId(2), valid_to_run: runId(NOW) },
      { source_id, valid_from_run: runId(NOW) },
    ])
    const hit = await hitOf({ 'staging.b_registrants': twice })
    expect(hit?.detail).toContain('registrants.bio had a value in 20 of 20 records, now in 0')
    expect(hit?.detail).toContain('registrants.session_ids had a value in 20 of 20 records, now in 0')
  })
})
