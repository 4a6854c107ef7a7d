import { sql } from 'kysely'
import type { Database } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import type { SourceEvent } from '../ledger/binding.ts'
import { IMPORTED, shareForgotten } from './forgotten.ts'
import { ROWS_AT_ONCE } from './purge.ts'

export async function deleteRowsOf(
  inTransaction: Database['transaction'],
  integrationId: string,
  table: string,
  onDeleted: () => void,
): Promise<void> {
  while (true) {
    const { numAffectedRows = 0n } = await inTransaction((transaction) =>
      sql`
        delete from ${sql.table(table)}
        where ctid = any (array(
          select ctid from ${sql.table(table)} where integration_id = ${integrationId} limit ${sql.lit(ROWS_AT_ONCE)}
        ))`.execute(transaction),
    )
    onDeleted()
    if (numAffectedRows < ROWS_AT_ONCE) return
  }
}

/**
 * Keeps the forgotten people and suppressed items of an integration out of its source event, for all other
 * integrations that read the event.
 */
export async function keepForOthers(
  transaction: Db,
  integrationId: string,
  event: SourceEvent,
  by: { readonly user: string; readonly at: string },
): Promise<void> {
  await shareForgotten(transaction, integrationId, event, by)
  await sql`
    insert into sync.suppressed (
      integration_id, content, unique_id, suppressed_at, suppressed_by, source, source_place, source_event_id, reason
    )
    select ${IMPORTED}, content, unique_id, suppressed_at, suppressed_by, source, source_place, source_event_id, reason
    from sync.suppressed where integration_id = ${integrationId}
    on conflict do nothing`.execute(transaction)
}
