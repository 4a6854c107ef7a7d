import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { suppress } from '../../loaders/ledger/suppressed.ts'
import { useWorlds } from '../people/world.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { expectComparison, RECORDS, SETUP, type Settled, settled, without } from './settled-integration.ts'

/** Events after the first run, each with the function that makes it happen. */
const TOUCHED: Readonly<Record<string, (of: Settled) => Promise<unknown>>> = {
  'a record that changed': async ({ hold }) => hold(without('u1')),
  'removals that are withheld': async ({ configure, hold, run }) => {
    configure({ ...SETUP, guards: { onHold: 'withholdRemovals' } })
    hold(without('u1', 'u2', 'u3'))
    expect(await run()).toMatchObject({ code: 4, sent: [] })
    expect(await run()).toMatchObject({ code: 4, sent: [] })
  },
  'an item that is suppressed': async ({ id, database }) => {
    const { source, source_place, source_event_id } = await database.kysely
      .selectFrom('sync.integrations')
      .where('integration_id', '=', id)
      .select(['source', 'source_place', 'source_event_id'])
      .executeTakeFirstOrThrow()
    const item = { content: 'attendees', uniqueId: 'u1', since: '2031-05-01T12:00:00Z', by: 'Ada' } as const
    const event = { source, source_place, source_event_id }
    await suppress(database.kysely, { integrationId: id, event }, item)
  },
  'something that landed, or was read back': async ({ id, database }) =>
    database.kysely
      .updateTable('sync.integrations')
      .set((eb) => ({ base: eb('base', '+', eb.lit(1)) }))
      .where('integration_id', '=', id)
      .execute(),
}

engines.forEach((engine) => {
  const database = useDatabase(engine)
  const worlds = useWorlds()

  test(`after a run whose changes landed, the next runs compare no items, and have the same plan, figures and checks, on ${engine}`, async () => {
    const { run, lose } = await settled(database())
    await lose()
    const before = await run()
    const after = await run()
    expect(before).toMatchObject({
      code: 0,
      sent: [],
      report: { changes: { attendees: { unchanged: 6 } } },
    })
    expect(after).toMatchObject({ code: 0, sent: [], report: { changes: before.report.changes } })
    expect(after.report.planHash).toBe(before.report.planHash)
    const [one, other] = [before, after].map(({ report }) =>
      readFileSync(join(String(report.output), 'reconciliation.csv'), 'utf8'),
    )
    expect(other).toBe(one)
  })

  test.each(Object.entries(TOUCHED))(`after %s, the next run compares all items, on ${engine}`, (_, touch) =>
    expectComparison(database(), touch),
  )

  test(`a forgotten person is removed, and a run after a purge has the same counts as before, on ${engine}`, async () => {
    const world = await worlds.begin(engine, { source: 'a' }, [RECORDS, RECORDS, RECORDS])
    await world.forget({ sought: { id: 'u1' } })
    expect(await world.sync(RECORDS)).toMatchObject({ changes: { attendees: { remove: 1 } } })
    for (let run = 0; run < 2; run += 1) await world.sync(RECORDS)
    world.pass(100)
    await world.purge({ keepRuns: 1 })
    const report = await world.sync(RECORDS)
    expect(report).toMatchObject({
      changes: { attendees: { create: 0, update: 0, remove: 0, unchanged: 5 } },
    })
  })
})
