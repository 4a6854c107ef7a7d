import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { suppress } from '../../loaders/ledger/suppressed.ts'
import type { Database } from '../../sql/database.ts'
import { useWorlds } from '../people/world.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import type { Setup } from '../traps/sync.ts'
import { aSession, aUser, SLOT_0 } from '../traps/traps-of-a.ts'
import { serveIntegration } from './guarded-integration.ts'

// If all changes of the last run landed, the next run does not compare the items. The tests delete an item from
// sync.platform_items directly. A run that compares creates the deleted item again, but a run that does not
// compare leaves it missing.

const SETUP: Setup = { source: { type: 'a' }, removals: { maxShare: 0.3, minCount: 1 } }
const USERS = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'].map((id) => aUser(id, { Company: 'Mill' }))
const RECORDS = { TimeSlots: [SLOT_0], Sessions: [aSession('s1')], Users: USERS }
const without = (...ids: readonly string[]) => ({
  ...RECORDS,
  Users: USERS.filter(({ Id }) => !ids.includes(String(Id))),
})
const LOST = 'upsert attendees u6'

/** Deletes an item from sync.platform_items only, so that no other table shows the loss. */
const lose = (database: Database, id: string) =>
  database.kysely
    .deleteFrom('sync.platform_items')
    .where(({ and }) => and({ integration_id: id, content: 'attendees', unique_id: 'u6' }))
    .execute()

engines.forEach((engine) => {
  const database = useDatabase(engine)
  const worlds = useWorlds()

  async function settled(setup = SETUP) {
    const integration = await serveIntegration(database(), setup, RECORDS)
    expect(await integration.run()).toMatchObject({
      code: 0,
      report: { changes: { attendees: { create: 6 } } },
    })
    return { ...integration, lose: () => lose(database(), integration.id) }
  }
  type Settled = Awaited<ReturnType<typeof settled>>

  test(`after a run whose changes landed, the next runs compare no items, and have the same plan, figures and checks, on ${engine}`, async () => {
    const { run, lose } = await settled()
    await lose()
    const before = await run()
    const after = await run()
    expect(before).toMatchObject({ code: 0, sent: [], report: { changes: { attendees: { unchanged: 6 } } } })
    expect(after).toMatchObject({ code: 0, sent: [], report: { changes: before.report.changes } })
    expect(after.report.planHash).toBe(before.report.planHash)
    const [one, other] = [before, after].map(({ report }) =>
      readFileSync(join(String(report.output), 'reconciliation.csv'), 'utf8'),
    )
    expect(other).toBe(one)
  })

  const touched: Readonly<Record<string, (of: Settled) => Promise<unknown>>> = {
    'a record that changed': async ({ hold }) => hold(without('u1')),
    'a record that changed in a plan that was not applied': async ({ hold, plan }) => {
      hold(without('u1'))
      expect(await plan()).toMatchObject({ report: { changes: { attendees: { remove: 1 } } } })
      hold(RECORDS)
    },
    'a run that was held': async ({ hold, run }) => {
      hold(without('u1', 'u2', 'u3'))
      expect(await run()).toMatchObject({ code: 4, sent: null })
      hold(RECORDS)
    },
    'removals that are withheld': async ({ configure, hold, run }) => {
      configure({ ...SETUP, guards: { onHold: 'withholdRemovals' } })
      hold(without('u1', 'u2', 'u3'))
      expect(await run()).toMatchObject({ code: 4, sent: [] })
      expect(await run()).toMatchObject({ code: 4, sent: [] })
    },
    'items that are kept': async ({ configure, hold, run }) => {
      configure({ ...SETUP, removals: { action: 'keep' } })
      hold(without('u1'))
      expect(await run()).toMatchObject({ code: 0, sent: [] })
      expect(await run()).toMatchObject({ code: 0, sent: [] })
    },
    'a change of the synced contents': async ({ configure }) =>
      configure({ ...SETUP, content: ['attendees'] }),
    'a new exclusion rule': async ({ configure }) => {
      const exclude = [{ name: 'no-u1', content: 'attendees', where: { uniqueId: 'u1' } }]
      configure({ ...SETUP, exclude })
    },
    'an item that is suppressed': async ({ id }) => {
      const { source, source_place, source_event_id } = await database()
        .kysely.selectFrom('sync.integrations')
        .where('integration_id', '=', id)
        .select(['source', 'source_place', 'source_event_id'])
        .executeTakeFirstOrThrow()
      const item = { content: 'attendees', uniqueId: 'u1', since: '2031-05-01T12:00:00Z', by: 'Ada' } as const
      const event = { source, source_place, source_event_id }
      await suppress(database().kysely, { integrationId: id, event }, item)
    },
    'a run that failed': async ({ id }) =>
      database()
        .kysely.updateTable('sync.runs')
        .set({ status: 'failed' })
        .where('integration_id', '=', id)
        .where('status', '=', 'finished')
        .execute(),
    'something that landed, or was read back': async ({ id }) =>
      database()
        .kysely.updateTable('sync.integrations')
        .set((eb) => ({ base: eb('base', '+', eb.lit(1)) }))
        .where('integration_id', '=', id)
        .execute(),
  }
  test.each(Object.entries(touched))(
    `after %s, the next run compares all items, on ${engine}`,
    async (_, touch) => {
      const integration = await settled()
      await touch(integration)
      await integration.lose()
      const { sent } = await integration.run()
      expect(sent).toContain(LOST)
    },
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
