// These tests run on both engines: a plan must have the same hash on each, although jsonb and collation
// differ.
import { beforeEach, describe, expect, test } from 'vitest'
import { makePlan, type Plan, type PlanScope, withholdRemovals } from '../../../transforms/plan/plan.ts'
import { ALL_CONTENTS } from '../../support/decide.ts'
import { decideOn, desire, type Item, PLAN_SCOPE, possess } from '../../support/desired.ts'
import { bothEngines, type Engine } from '../../support/engines.ts'
import { emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const ada = { firstName: 'Ada' }
const bob = { firstName: 'Bob', personalAgenda: ['1', '2'] }

/** The hash of each plan, for each engine. Both engines must compute the same hash for a plan. */
const hashes: Record<string, Partial<Record<Engine, string>>> = {}

describe.each(bothEngines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  const plan = (scope: Partial<PlanScope> = {}): Promise<Plan> =>
    database().transaction((transaction) => makePlan(transaction, { ...PLAN_SCOPE, ...scope }))

  async function changes(run = PLAN_SCOPE.runId) {
    const rows = await db()
      .selectFrom('sync.changes')
      .where('run_id', '=', run)
      .orderBy('seq')
      .selectAll()
      .execute()
    return rows.map((row) => [Number(row.seq), row.action, row.content, row.unique_id, row.reason])
  }

  test('items that differ are created, updated or removed, and items that do not differ are counted as unchanged', async () => {
    await desire(db(), [
      ['attendees', '1', ada],
      ['attendees', '2', bob],
      ['attendees', '3', ada],
      ['agenda', '1', { name: 'x' }],
    ])
    await possess(db(), [
      // This item has the same fields in another order, which jsonb may use.
      ['attendees', '2', { personalAgenda: ['1', '2'], firstName: 'Bob' }],
      ['attendees', '3', bob],
      ['attendees', '4', bob],
      ['speakers', '1', ada],
    ])
    await decideOn(db(), [
      ['attendees', '1', null],
      ['attendees', '4', 'cancelled'],
      ['speakers', '1', 'cancelled'],
    ])
    const former = {
      integration_id: INTEGRATION,
      valid_from_run: runId(1),
      valid_to_run: runId(2),
      fields: '{}',
    }
    await db()
      .insertInto('sync.desired_items')
      .values({ ...former, content: 'attendees', unique_id: 'of before' })
      .execute()
    const { changes: counts } = await plan()
    expect(counts).toEqual({
      agenda: { create: 1, update: 0, remove: 0, unchanged: 0 },
      speakers: { create: 0, update: 0, remove: 1, unchanged: 0 },
      attendees: { create: 1, update: 1, remove: 1, unchanged: 1 },
    })
    expect(await changes()).toEqual([
      [1, 'create', 'attendees', '1', ''],
      [2, 'update', 'attendees', '3', ''],
      [3, 'create', 'agenda', '1', ''],
      [4, 'remove', 'attendees', '4', 'cancelled'],
      [5, 'remove', 'speakers', '1', 'cancelled'],
    ])
    const rows = await db().selectFrom('sync.changes').orderBy('seq').selectAll().execute()
    expect(rows.map(({ before, after, state, inferred }) => [before, after, state, inferred])).toEqual(
      [
        [null, ada],
        [bob, ada],
        [null, { name: 'x' }],
        [bob, null],
        [ada, null],
      ].map((change) => [...change, 'pending', false]),
    )
  })

  test('the plan has attendees, speakers, then agenda, each by the bytes of the unique ID; removals come last in the same order [R48]', async () => {
    // By UTF-8 bytes. A locale sorts a before B and é before z, and UTF-16 sorts 😀 before ～.
    const ids = ['10', '9', 'B', 'a', 'z', 'é', '～', '😀']
    const mixed = [...ids].reverse()
    await desire(
      db(),
      ALL_CONTENTS.flatMap((content) => mixed.map((id): Item => [content, id, ada])),
    )
    const gone = mixed.map((id) => `gone ${id}`)
    await possess(
      db(),
      ALL_CONTENTS.flatMap((content) => gone.map((id): Item => [content, id, ada])),
    )
    await decideOn(
      db(),
      ALL_CONTENTS.flatMap((content) => gone.map((id) => [content, id, 'cancelled'] as const)),
    )
    await plan()
    const order = ['attendees', 'speakers', 'agenda'] as const
    expect(await changes()).toEqual(
      [
        ...order.flatMap((content) => ids.map((id) => ['create', content, id, ''])),
        ...order.flatMap((content) => ids.map((id) => ['remove', content, `gone ${id}`, 'cancelled'])),
      ].map((change, place) => [place + 1, ...change]),
    )
  })

  test('after an incomplete read an item is removed only if its current decision has a reason that the record states', async () => {
    const ids = ['cancelled', 'hidden', 'nameless', 'vanished']
    await possess(
      db(),
      ids.map((id): Item => ['attendees', id, ada]),
    )
    await decideOn(db(), [
      ['attendees', 'cancelled', 'cancelled'],
      ['attendees', 'hidden', 'not_published'],
      ['attendees', 'nameless', 'missing_required:firstName'],
    ])
    await decideOn(db(), [['attendees', 'vanished', 'cancelled']], 'expo')
    await decideOn(db(), [['attendees', 'vanished', 'cancelled']])
    await db()
      .updateTable('sync.decisions')
      .set({ valid_to_run: runId(2) })
      .where('source_id', '=', 'vanished')
      .execute()
    await plan({ attested: ['cancelled', 'not_published'] })
    expect(await changes()).toEqual([
      [1, 'remove', 'attendees', 'cancelled', 'cancelled'],
      [2, 'remove', 'attendees', 'hidden', 'not_published'],
    ])
    // `removals.action: keep`
    const kept = await plan({ runId: runId(3), removals: 'keep', complete: ALL_CONTENTS })
    expect(await changes(runId(3))).toEqual([])
    expect(kept.changes.attendees).toEqual({ create: 0, update: 0, remove: 0, unchanged: 0 })
    expect(kept.kept).toBe(4)
  })

  test('after a complete read every item without a desired item is removed; the reason says if the removal was inferred', async () => {
    await possess(db(), [
      ['attendees', 'cancelled', ada],
      ['attendees', 'nameless', ada],
      ['attendees', 'vanished', ada],
      ['speakers', 'incomplete', ada],
      ['speakers', 'states it', ada],
    ])
    await decideOn(db(), [
      ['attendees', 'cancelled', 'cancelled'],
      ['attendees', 'nameless', 'missing_required:firstName'],
      ['speakers', 'incomplete', 'missing_required:lastName'],
      ['speakers', 'states it', 'cancelled'],
    ])
    const { changes: counts, kept } = await plan({ complete: ['attendees'] })
    expect(await changes()).toEqual([
      [1, 'remove', 'attendees', 'cancelled', 'cancelled'],
      [2, 'remove', 'attendees', 'nameless', 'missing_required:firstName'],
      [3, 'remove', 'attendees', 'vanished', 'removed_at_source'],
      [4, 'remove', 'speakers', 'states it', 'cancelled'],
    ])
    expect([counts.attendees?.remove, counts.speakers?.remove, kept]).toEqual([3, 1, 1])
    const rows = await db().selectFrom('sync.changes').orderBy('seq').select('inferred').execute()
    expect(rows.map(({ inferred }) => inferred)).toEqual([false, true, true, false])
  })

  test('a record that was not seen states no reason, and does not count as gone', async () => {
    await possess(db(), [['attendees', 'unseen', ada]])
    await decideOn(db(), [['attendees', 'unseen', 'cancelled']])
    await db()
      .insertInto('sync.unseen')
      .values({
        integration_id: INTEGRATION,
        run_id: PLAN_SCOPE.runId,
        resource: 'registrants',
        source_id: 'unseen',
      })
      .execute()
    expect((await plan()).kept).toBe(1)
    expect(await changes()).toEqual([])
  })

  test('withholding removals withholds all removals, even those that records state, and no other changes', async () => {
    await desire(db(), [['attendees', '1', ada]])
    await possess(db(), [
      ['attendees', '2', ada],
      ['agenda', '3', ada],
    ])
    await decideOn(db(), [['agenda', '3', 'cancelled']])
    await plan({ complete: ALL_CONTENTS })
    await plan({ runId: runId(3), complete: ALL_CONTENTS })
    expect(await withholdRemovals(db(), PLAN_SCOPE)).toBe(2)
    const rows = await db()
      .selectFrom('sync.changes')
      .orderBy('run_id')
      .orderBy('seq')
      .select(['action', 'state'])
      .execute()
    expect(rows.map(({ action, state }) => `${action} ${state}`)).toEqual([
      'create pending',
      'remove withheld',
      'remove withheld',
      'create pending',
      'remove pending',
      'remove pending',
    ])
  })

  test('planning one content changes no other content and no other integration', async () => {
    await desire(db(), [
      ['attendees', '1', ada],
      ['speakers', '1', ada],
    ])
    await possess(db(), [['speakers', '2', ada]])
    await decideOn(db(), [['speakers', '2', 'cancelled']])
    await desire(db(), [['attendees', '9', ada]], 'expo')
    await possess(db(), [['attendees', '1', bob]], 'expo')
    const { changes: counts } = await plan({ contents: ['attendees'] })
    expect(counts).toEqual({ attendees: { create: 1, update: 0, remove: 0, unchanged: 0 } })
    expect(await changes()).toEqual([[1, 'create', 'attendees', '1', '']])
  })

  describe('the hash', () => {
    const small: readonly Item[] = [
      ['attendees', 'é', bob],
      ['agenda', '1', { name: 'x' }],
    ]
    async function hashOf(items: readonly Item[], scope: Partial<PlanScope> = {}): Promise<string> {
      await emptyTables(db())
      const integrationId = scope.integrationId ?? INTEGRATION
      await desire(db(), items, integrationId)
      await possess(db(), [['attendees', 'gone', ada]], integrationId)
      await decideOn(db(), [['attendees', 'gone', scope.attested?.[0] ?? 'cancelled']], integrationId)
      return (await plan(scope)).hash
    }

    test('the hash of a plan does not change if URLs are signed again, but changes with any other part of a URL [R59]', async () => {
      const custom: PlanScope['custom'] = { agenda: { Map: { from: 'Map', name: 'map', as: 'url' } } }
      const items = (file: string, signature: string): readonly Item[] => {
        const address = `https://files.example/${file}?w=9&sig=${signature}`
        return [
          ['agenda', '1', { linkUrls: [address], custom: { map: address } }],
          ['speakers', '1', { imageUrl: address }],
          ['speakers', '2', {}],
        ]
      }
      const of = (file: string, signature: string) => hashOf(items(file, signature), { custom })
      const hash = await of('a.png', 'one')
      expect(await of('a.png', 'two')).toBe(hash)
      expect(await of('b.png', 'one')).not.toBe(hash)
    })

    test('the hash of a plan is the same in another run, for rows in another order, and on the other engine', async () => {
      const hash = await hashOf(small)
      expect(hash).toMatch(/^[0-9a-f]{64}$/)
      expect(await hashOf(small.toReversed(), { runId: runId(9) })).toBe(hash)
      expect(await plan({ runId: runId(10) }).then((again) => again.hash)).toBe(hash)
      expect(await plan({ runId: runId(11), rollbackTo: runId(1) }).then((other) => other.hash)).not.toBe(
        hash,
      )
      hashes.small = { ...hashes.small, [engine]: hash }
    })

    test('the hash of a plan changes with anything that would be sent to the platform, and with the state of the platform', async () => {
      const others = [
        await hashOf(small),
        await hashOf([...small, ['speakers', '1', ada]]),
        await hashOf([['attendees', 'é', { ...bob, firstName: 'Bobby' }], small[1] as Item]),
        await hashOf([['attendees', 'é', { ...bob, personalAgenda: ['2', '1'] }], small[1] as Item]),
        await hashOf([['attendees', 'è', bob], small[1] as Item]),
        await hashOf([['speakers', 'é', bob], small[1] as Item]),
        await hashOf(small, { platformRevision: '8' }),
        await hashOf(small, { target: 'http https://platform.example 1' }),
        await hashOf(small, { integrationId: 'expo' }),
        await hashOf(small, { attested: ['not_published'] }),
        await hashOf(small, { removals: 'keep' }),
        await hashOf([]),
      ]
      expect(new Set(others).size).toBe(others.length)
    })

    test('without inferred removals, the hash of a plan is the same as in the previous release', async () => {
      const hash = '219156bcb3ccddefa9d869120e4487ce5a5080c3ac85314c111b2b398017930b'
      expect(await hashOf(small)).toBe(hash)
      // All contents were read completely, so removals could be inferred, but the plan has none.
      expect(await plan({ runId: runId(3), complete: ALL_CONTENTS }).then((again) => again.hash)).toBe(hash)
    })

    test('the hash of a plan covers each of 2,500 changes, the last as well as the first', async () => {
      const many = Array.from(
        { length: 2500 },
        (_, place): Item => ['attendees', `é${place}`, { firstName: `${place}` }],
      )
      const hash = await hashOf(many)
      hashes.large = { ...hashes.large, [engine]: hash }
      expect((await changes()).length).toBe(2501)
      for (const place of [999, 1000, 2499]) {
        const other = many.with(place, ['attendees', `é${place}`, { firstName: 'x' }])
        expect(await hashOf(other)).not.toBe(hash)
      }
    })
  })
})

test('both engines compute the same hashes of plans', () => {
  for (const { pglite, postgres } of Object.values(hashes)) {
    expect(pglite).toBeDefined()
    expect(postgres).toBe(pglite)
  }
  expect(Object.keys(hashes)).toEqual(['small', 'large'])
})
