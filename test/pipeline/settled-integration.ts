import { expect } from 'vitest'
import type { Database } from '../../sql/database.ts'
import type { Setup } from '../traps/sync.ts'
import { aSession, aUser, SLOT_0 } from '../traps/traps-of-a.ts'
import { serveIntegration } from './guarded-integration.ts'

// If all changes of the last run landed, the next run does not compare the items. The tests delete an item from
// sync.platform_items directly. A run that compares creates the deleted item again, but a run that does not
// compare leaves it missing.

export const SETUP: Setup = { source: { type: 'a' }, removals: { maxShare: 0.3, minCount: 1 } }
const USERS = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'].map((id) => aUser(id, { Company: 'Mill' }))
export const RECORDS = { TimeSlots: [SLOT_0], Sessions: [aSession('s1')], Users: USERS }
export const without = (...ids: readonly string[]) => ({
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

/** Makes an integration and syncs it once. */
export async function settled(database: Database, setup = SETUP) {
  const integration = await serveIntegration(database, setup, RECORDS)
  expect(await integration.run()).toMatchObject({
    code: 0,
    report: { changes: { attendees: { create: 6 } } },
  })
  return { ...integration, database, lose: () => lose(database, integration.id) }
}
export type Settled = Awaited<ReturnType<typeof settled>>

/** Expects that the next run after `touch` compares all items. */
export async function expectComparison(database: Database, touch: (of: Settled) => Promise<unknown>) {
  const integration = await settled(database)
  await touch(integration)
  await integration.lose()
  const { sent } = await integration.run()
  expect(sent).toContain(LOST)
}
