import { beforeEach, describe, expect, test } from 'vitest'
import type { Content, CustomFields } from '../../../sql/tables.ts'
import { fieldLookupsOf } from '../../../transforms/decide/lineage.ts'
import { findMassUpdate, type UpdatingPlan } from '../../../transforms/guards/mass-update.ts'
import { transformA } from '../../../transforms/source-a/index.ts'
import { decideOn } from '../../support/desired.ts'
import { engines } from '../../support/engines.ts'
import { ids, type StoredChange, storeChanges } from '../../support/runs.ts'
import { emptyTables, INTEGRATION, insertStaged, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const PLAN: UpdatingPlan = {
  integrationId: INTEGRATION,
  runId: runId(2),
  changes: {},
  custom: [],
  lookups: new Map([['agenda', fieldLookupsOf(transformA, 'agenda')]]),
  massUpdate: 0.5,
}
/** The custom fields at the time of the run that wrote the platform's items. */
const THEN: CustomFields = {
  agenda: {
    level: { name: 'level', from: 'Level', as: 'text' },
    track: { name: 'track', from: 'Track', as: 'text' },
  },
}
const moved = { before: { name: 'x', startTime: '1' }, after: { name: 'x', startTime: '2' } }

describe.each(engines)('many changes of one field, on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))
  const hitOf = (live: number, massUpdate = 0.5, more: Partial<UpdatingPlan> = {}) =>
    findMassUpdate(db(), { ...PLAN, massUpdate, ...more }, new Map([['agenda', live]]), {
      runId: runId(1),
      custom: THEN,
    })

  // The guard holds the plan if the share of changed items exceeds the limit and at least 20 items change.
  test.each([
    [20, 39, 0.5, true],
    [20, 40, 0.5, false],
    [19, 20, 0.5, false],
    [20, 1000, 0, true],
  ])(
    'if one field changes in %d of %d items, and guards.massUpdate is %d, the plan is held: %s',
    async (count, live, maxShare, trips) => {
      await storeChanges(
        db(),
        2,
        ids(count).map((uniqueId) => ({ uniqueId, content: 'agenda', ...moved })),
      )
      const hit = await hitOf(live, maxShare)
      expect(hit !== null).toBe(trips)
      if (hit === null) return
      expect(hit).toMatchObject({ guard: 'massUpdate', onlyRemovals: false })
      expect(hit.detail).toContain(`startTime of agenda would change in ${count} of ${live} live items;`)
      expect(hit.detail).not.toContain('name')
    },
  )

  test('a new signature of a URL does not change the field, but another URL does [R59]', async () => {
    const to = (address: string) => ({ linkUrls: [address], custom: { page: address, level: address } })
    const page = { name: 'page', from: 'Page', as: 'url' }
    const custom = [{ content: 'agenda', field: page, table: 'staging.a_sessions' }] as const
    const signed = { before: to('https://x.example/?sig=1'), after: to('https://x.example/?sig=2') }
    const other = { before: to('https://x.example/?v=1'), after: to('https://x.example/?v=2') }
    const stored = (change: typeof signed) =>
      storeChanges(
        db(),
        2,
        ids(20).map((uniqueId) => ({ uniqueId, content: 'agenda' as const, ...change })),
      )
    await stored(signed)
    const detail = (await hitOf(20, 0.5, { custom }))?.detail ?? ''
    expect(detail.match(/\S+ of agenda/g)).toEqual(['custom.level of agenda'])
    await emptyTables(db())
    await stored(other)
    const fields = (await hitOf(20, 0.5, { custom }))?.detail.match(/\S+ of agenda/g)
    expect(fields).toEqual(['linkUrls of agenda', 'custom.level of agenda', 'custom.page of agenda'])
  })

  test('a lost value and a new order of a list count as changes, but a first value does not', async () => {
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
    const detail = (await hitOf(39, 0.5))?.detail ?? ''
    expect(detail.match(/\w+ of agenda/g)).toEqual(['description of agenda', 'speakerIds of agenda'])
  })

  describe('lists of references and links do not count if they only grow, or follow what this plan creates and removes', () => {
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
      ['one more is named', 'agenda', 'speakerIds', ['b', 'gone'], ['a', 'b'], false],
      ['one more is named, and one less', 'agenda', 'speakerIds', ['a', 'b'], ['a', 'c'], true],
      ['a link is added', 'agenda', 'linkUrls', ['a'], ['b', 'a'], false],
      ['a link is another one', 'agenda', 'linkUrls', ['a'], ['b'], true],
      ['the links go', 'agenda', 'linkUrls', ['a'], null, true],
      ['another one goes too', 'speakers', 'sessionIds', ['a', 'gone', 'b'], ['a'], true],
      ['the rest is in another order', 'speakers', 'sessionIds', ['a', 'gone', 'b'], ['b', 'a'], true],
      ['a single reference is another one', 'speakers', 'attendeeId', 'a', 'b', true],
      ['a field that is no reference has such a text', 'attendees', 'company', 'gone', 'new', true],
    ])('%s', async (_, content, field, before, after, trips) => {
      const updates = ids(20).map((id) => update(id, content, field, before, after))
      await storeChanges(db(), 2, [...updates, ...touched])
      const hit = await findMassUpdate(db(), PLAN, new Map([[content, 30]]), null)
      expect(hit !== null).toBe(trips)
    })

    test('changed lists of references count even if another content, run or integration creates or removes the referenced items', async () => {
      const updates = ids(20).map((id) => update(id, 'speakers', 'sessionIds', ['a', 'gone'], ['a']))
      const elsewhere = touched.filter(({ content }) => content !== 'agenda')
      await storeChanges(db(), 2, [...updates, ...elsewhere])
      await storeChanges(db(), 3, touched)
      expect(await findMassUpdate(db(), PLAN, new Map([['speakers', 30]]), null)).not.toBeNull()
    })
  })

  // The guard holds the plan if the times of all remaining items change, and at least 5 items remain. A wrong
  // time zone moves every session of a small event too.
  test.each([
    [5, 5, 0, true],
    [4, 4, 0, false],
    [5, 6, 0, false],
    [5, 6, 1, true],
  ])(
    'if the times of %d of %d live items change while %d are removed, the plan is held: %s',
    async (count, live, remove, trips) => {
      const times = (start: string, end: string) => ({ startTime: start, endTime: end, name: start })
      const changes = { agenda: { create: 0, update: count, remove, unchanged: 0 } }
      await storeChanges(
        db(),
        2,
        ids(count).map((uniqueId) => {
          return { uniqueId, content: 'agenda', before: times('1', '2'), after: times('3', '4') }
        }),
      )
      const hit = await hitOf(live, 0.5, { changes })
      expect(hit?.detail.match(/\w+ of agenda/g) ?? []).toEqual(
        trips ? ['startTime of agenda', 'endTime of agenda'] : [],
      )
      expect(await hitOf(live, 1, { changes })).toBeNull()
    },
  )

  describe('the hold says what to look at first', () => {
    const SOURCE = /^Check source\.timeZone, and compare/
    const field = (from: string, as: 'text' | 'number') =>
      ({ content: 'agenda', table: 'staging.a_sessions', field: { name: 'level', from, as } }) as const
    const track = {
      content: 'agenda',
      table: 'staging.a_sessions',
      field: { name: 'track', from: 'Track', as: 'text' },
    } as const

    test.each<[string, UpdatingPlan['custom'], string | RegExp]>([
      [
        'another key',
        [field('Grade', 'text')],
        'Check fields.agenda.level, which was Level as text and is Grade as text now.',
      ],
      [
        'another form',
        [field('Level', 'number')],
        'Check fields.agenda.level, which was Level as text and is Level as number now.',
      ],
      [
        'no definition any more',
        [],
        'Check fields.agenda.level, which was Level as text and is no longer there.',
      ],
      ['the same definition', [field('Level', 'text')], SOURCE],
    ])('for a custom field with %s', async (_, custom, todo) => {
      await storeChanges(
        db(),
        2,
        ids(20).map((uniqueId) => {
          const after = { custom: { level: 'b', track: 'x' } }
          return { uniqueId, content: 'agenda', before: { custom: { level: 'a', track: 'x' } }, after }
        }),
      )
      const hit = await hitOf(30, 0.5, { custom: [...custom, track] })
      expect(hit?.todo).toMatch(todo)
      expect(hit?.detail).toContain('custom.level of agenda would change in 20 of 30')
    })

    test('if other fields change too, the hold names the custom fields and the source', async () => {
      await storeChanges(
        db(),
        2,
        ids(20).map((uniqueId) => ({
          uniqueId,
          content: 'agenda',
          before: { name: 'x', custom: { level: 'a', track: 'b' } },
          after: { name: 'y' },
        })),
      )
      expect((await hitOf(30, 0.5))?.todo).toMatch(
        /^Check fields\.agenda\.level, which .*; fields\.agenda\.track, which .* no longer there\. Check source/,
      )
    })

    const dropped = ids(20).map((uniqueId): StoredChange => {
      const [before, after] = [{ speakerIds: ['a', 'left-out'] }, { speakerIds: ['a'] }]
      return { uniqueId, content: 'agenda', before, after }
    })

    test('if references are lost to items that an exclude rule leaves out, the hold names the rule', async () => {
      await decideOn(db(), [
        ['speakers', 'left-out', 'excluded_by_rule:slip'],
        ['speakers', 'a', 'excluded_by_rule:other'],
        ['agenda', 'left-out', 'excluded_by_rule:sessions'],
      ])
      await storeChanges(db(), 2, dropped)
      expect((await hitOf(30))?.todo).toBe(
        'Check the rules of exclude that leave out what was synced before: slip.',
      )
    })

    test('if references are lost to items that were left out by hand, the hold says how to list these items', async () => {
      await decideOn(db(), [['speakers', 'left-out', 'suppressed']])
      await storeChanges(db(), 2, dropped)
      expect((await hitOf(30))?.todo).toMatch(
        /^Check what was left out by hand; `event-sync suppress [^ ]+` lists it\.$/,
      )
    })

    test('if references are lost to items that are left out for another reason, the hold names the source', async () => {
      await decideOn(db(), [['speakers', 'left-out', 'not_a_speaker']])
      await storeChanges(db(), 2, dropped)
      expect((await hitOf(30))?.todo).toMatch(SOURCE)
    })
  })

  describe('changes that follow from one edited record do not count', () => {
    const EDITED = runId(2)
    const rooms = (...edited: readonly string[]) =>
      ['main', 'other', 'third'].flatMap((source_id) =>
        edited.includes(source_id)
          ? [
              { source_id, doc: '{"Name":"Old"}', valid_from_run: runId(1), valid_to_run: EDITED },
              { source_id, doc: '{"Name":"New"}', valid_from_run: EDITED },
            ]
          : [{ source_id, doc: '{"Name":"Old"}', valid_from_run: runId(1) }],
      )
    /**
     * Gives all sessions in the room `main` and in the room `other` another location. Some rooms are edited.
     */
    const move = async (main: number, other: number, ...edited: readonly string[]) => {
      const inRoom = (room_id: string) => (source_id: string) => ({
        source_id,
        room_id,
        valid_from_run: runId(1),
      })
      const sessions = [...ids(main, 'm').map(inRoom('main')), ...ids(other, 'o').map(inRoom('other'))]
      await insertStaged(db(), { 'staging.a_rooms': rooms(...edited), 'staging.a_sessions': sessions })
      await storeChanges(
        db(),
        2,
        sessions.map(({ source_id }) => {
          const [before, after] = [{ location: 'Old' }, { location: 'New' }]
          return { uniqueId: source_id, content: 'agenda', before, after }
        }),
      )
      return hitOf(main + other)
    }

    test('changes that follow from one renamed room do not count towards a mass update', async () => {
      expect(await move(30, 5, 'main')).toBeNull()
    })

    test('changes that do not follow from a renamed room count towards a mass update', async () => {
      expect((await move(10, 25, 'main'))?.detail).toContain('location of agenda would change in 25 of 35')
    })

    test('changes count if two rooms were edited, or if sessions move to a new room', async () => {
      expect(await move(20, 15, 'main', 'other')).not.toBeNull()
      await emptyTables(db())
      expect(await move(30, 5)).not.toBeNull()
    })
  })

  test('changes of different fields, contents and runs are not added up, and creations and removals are not counted', async () => {
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
    expect(await hitOf(20, 0.5)).toBeNull()
  })
})
