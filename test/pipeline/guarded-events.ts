import { expect } from 'vitest'
import type { Database } from '../../sql/database.ts'
import type { Resources } from '../harness/serve-records.ts'
import { ids } from '../support/runs.ts'
import type { Setup } from '../traps/sync.ts'
import { aSession, aUser, SLOT_0 } from '../traps/traps-of-a.ts'
import { type ServedIntegration, serveIntegration } from './guarded-integration.ts'

// These tests do whole runs. In these runs, the source is unchanged, changes, or gives wrong answers.

/** Makes an integration whose records can change, and syncs it once. */
export async function synced(
  database: Database,
  setup: Setup,
  records: Resources,
): Promise<ServedIntegration> {
  const integration = await serveIntegration(database, setup, records)
  expect(await integration.run()).toMatchObject({ code: 0, guard: null })
  return integration
}

export const ATTENDEES: Setup = { source: { type: 'a' }, content: ['attendees'] }
export const users = (number: number, fields: Readonly<Record<string, unknown>> = {}) => ({
  Users: ids(number, 'u').map((id) => aUser(id, fields)),
})
export const sessions = (number: number, fields: Readonly<Record<string, unknown>> = {}) => ({
  TimeSlots: [SLOT_0],
  Sessions: ids(number, 's').map((id) => aSession(id, fields)),
})

export const withholding = (setup: Setup): Setup => ({ ...setup, guards: { onHold: 'withholdRemovals' } })
