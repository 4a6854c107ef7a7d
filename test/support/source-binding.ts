import type { SourceBinding } from '../../loaders/ledger/binding.ts'
import type { Db } from '../../sql/tables.ts'

/** Returns an integration's id and the source event that the integration has read. */
export async function findSourceBinding(db: Db, integrationId: string): Promise<SourceBinding> {
  const event = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select(['source', 'source_place', 'source_event_id'])
    .executeTakeFirstOrThrow()
  return { integrationId, event }
}
