// These tests run on both engines, because the operations must have the same bytes on each.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { jsonlTarget } from '../../../loaders/platform/jsonl.ts'
import { openOutbox } from '../../../loaders/platform/outbox.ts'
import type { Operation } from '../../../loaders/platform/target.ts'
import { makePlan, withholdRemovals } from '../../../transforms/plan/plan.ts'
import { decideOn, desire, type Item, PLAN_SCOPE, possess } from '../../support/desired.ts'
import { bothEngines } from '../../support/engines.ts'
import { useFolder } from '../../support/folder.ts'
import { emptyTables, enterIntegration, INTEGRATION, runId } from '../../support/staged.ts'
import { takenBack, useDatabase } from '../../support/use-database.ts'

const ada = { lastName: 'Lovelace', firstName: 'Ada' }
const NO_PASSWORDS = { of: async () => new Map(), forget: async () => undefined }
const bob = { firstName: 'Bob', lastName: 'B' }

/** The operations that each engine writes for the same plan. */
const written: Record<string, Buffer> = {}

describe.each(bothEngines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const folder = useFolder()
  const db = () => database().kysely

  beforeEach(async () => {
    await emptyTables(db())
    for (const integration_id of [INTEGRATION, 'expo']) await enterIntegration(db(), { integration_id })
  })

  const plan = (run = 2, integrationId = INTEGRATION) =>
    database().transaction((transaction) =>
      makePlan(transaction, { ...PLAN_SCOPE, integrationId, runId: runId(run) }),
    )

  const outbox = (run = 2, integrationId = INTEGRATION) =>
    openOutbox(
      database(),
      { integrationId, runId: runId(run), maxRejectedShare: 0.2 },
      NO_PASSWORDS,
      () => '2031-04-04T12:00:00Z',
    )
  const acknowledged = (run = 2, integrationId = INTEGRATION) => outbox(run, integrationId).acknowledgeAll()

  const operations = (run = 2): Promise<readonly Operation[]> => Array.fromAsync(outbox(run).operations())

  async function platform(integrationId = INTEGRATION) {
    const rows = await db()
      .selectFrom('sync.platform_items')
      .where('integration_id', '=', integrationId)
      .orderBy('content')
      .orderBy('unique_id')
      .selectAll()
      .execute()
    return rows.map((row) => [row.content, row.unique_id, row.fields, Number(row.run_id.slice(-12))])
  }

  async function baseOf(integrationId = INTEGRATION) {
    const { base } = await db()
      .selectFrom('sync.integrations')
      .where('integration_id', '=', integrationId)
      .select('base')
      .executeTakeFirstOrThrow()
    return Number(base)
  }

  /** Prepares one item to create, one to update, one to remove, and one without changes. */
  async function prepare(integrationId = INTEGRATION) {
    await desire(
      db(),
      [
        ['attendees', 'new', ada],
        ['attendees', 'other', ada],
        ['agenda', 'same', { name: 'x' }],
      ],
      integrationId,
    )
    await possess(
      db(),
      [
        ['attendees', 'other', bob],
        ['attendees', 'gone', bob],
        ['agenda', 'same', { name: 'x' }],
        // A speaker has the same id as the removed attendee, and must stay.
        ['speakers', 'gone', ada],
      ],
      integrationId,
    )
    await decideOn(db(), [['attendees', 'gone', 'cancelled']], integrationId)
  }

  test('operations are written in the order of the plan, and their fields in the order of the specification', async () => {
    await prepare()
    await plan()
    const found = await operations()
    expect(found).toEqual([
      { seq: 1, op: 'upsert', content: 'attendees', uniqueId: 'new', fields: ada },
      { seq: 2, op: 'upsert', content: 'attendees', uniqueId: 'other', fields: ada },
      { seq: 3, op: 'remove', content: 'attendees', uniqueId: 'gone', reason: 'cancelled' },
    ])
    expect(JSON.stringify(found[0])).toBe(
      '{"seq":1,"op":"upsert","content":"attendees","uniqueId":"new","fields":{"firstName":"Ada","lastName":"Lovelace"}}',
    )
  })

  test('2,500 operations are read in pages, and none is lost or repeated', async () => {
    await desire(
      db(),
      Array.from({ length: 2500 }, (_, place): Item => ['attendees', `${10_000 + place}`, ada]),
    )
    await plan()
    const found = await operations()
    expect(found.map(({ seq }) => seq)).toEqual(Array.from({ length: 2500 }, (_, place) => place + 1))
    expect(found.map(({ uniqueId }) => uniqueId)).toEqual(
      Array.from({ length: 2500 }, (_, place) => `${10_000 + place}`),
    )
  })

  test('the result of a change is stored in the same page of the table, so no index entry is written', async () => {
    await desire(
      db(),
      Array.from({ length: 500 }, (_, place): Item => ['attendees', `${10_000 + place}`, ada]),
    )
    await plan()
    const updates = await takenBack(database(), async (transaction) => {
      await transaction
        .updateTable('sync.changes')
        .set({ state: 'applied', batch: 1, result: 'created' })
        .execute()
      const { rows } = await sql<{ updates: string; withinPage: string }>`select
        pg_stat_get_xact_tuples_updated('sync.changes'::regclass) as updates,
        pg_stat_get_xact_tuples_hot_updated('sync.changes'::regclass) as "withinPage"`.execute(transaction)
      return rows.map((row) => [Number(row.updates), Number(row.withinPage)])
    })
    expect(updates).toEqual([[500, expect.toSatisfy((count: number) => count > 480)]])
  })

  test('a plan that is written again has the same bytes', async () => {
    await prepare()
    const { hash } = await plan()
    const header = { contract: '1.0', integration: INTEGRATION, run: runId(2), planHash: hash }
    const write = () => jsonlTarget(folder(), 'private').apply(header, outbox())
    const path = join(folder(), 'operations.jsonl')
    await write()
    const first = readFileSync(path)
    // The operations are written again, as after a crash between the acknowledgement and the pack.
    await write()
    expect(readFileSync(path).equals(first)).toBe(true)
    written[engine] = first
  })

  test('after the acknowledgement, the sent items are stored as items of the platform, and the next plan is empty', async () => {
    await prepare()
    await plan()
    await acknowledged()
    expect(await platform()).toEqual([
      ['agenda', 'same', { name: 'x' }, 1],
      ['attendees', 'new', ada, 2],
      ['attendees', 'other', ada, 2],
      ['speakers', 'gone', ada, 1],
    ])
    expect(await baseOf()).toBe(8)
    const states = await db().selectFrom('sync.changes').select('state').distinct().execute()
    expect(states).toEqual([{ state: 'applied' }])
    const { changes } = await plan(3)
    expect(changes.attendees).toEqual({ create: 0, update: 0, remove: 0, unchanged: 2 })
    expect(await operations(3)).toEqual([])
  })

  test('a withheld removal is neither sent nor acknowledged, and is planned again', async () => {
    await prepare()
    await plan()
    await withholdRemovals(db(), { integrationId: INTEGRATION, runId: runId(2) })
    expect((await operations()).map(({ op, uniqueId }) => `${op} ${uniqueId}`)).toEqual([
      'upsert new',
      'upsert other',
    ])
    await acknowledged()
    expect((await platform()).map(([content, id]) => `${content} ${id}`)).toContain('attendees gone')
    const { state } = await db()
      .selectFrom('sync.changes')
      .where('action', '=', 'remove')
      .select('state')
      .executeTakeFirstOrThrow()
    expect(state).toBe('withheld')
    await plan(3)
    expect((await operations(3)).map(({ op, uniqueId }) => `${op} ${uniqueId}`)).toEqual(['remove gone'])
  })

  test('acknowledging the same plan again, or an empty plan, changes nothing, and never changes other integrations', async () => {
    await prepare()
    await prepare('expo')
    const ofExpo = await platform('expo')
    await plan()
    await plan(2, 'expo')
    await acknowledged()
    const before = await platform()
    await acknowledged()
    await plan(3)
    await acknowledged(3)
    expect(await platform()).toEqual(before)
    expect(await platform('expo')).toEqual(ofExpo)
    expect([await baseOf(), await baseOf('expo')]).toEqual([8, 7])
  })
})

test('both engines write the same bytes for the same operations', () => {
  expect(written.pglite?.length).toBeGreaterThan(300)
  expect(written.postgres?.equals(written.pglite ?? Buffer.alloc(0))).toBe(true)
})
