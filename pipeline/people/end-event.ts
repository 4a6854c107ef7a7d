import { findIntegrationsReading, findSourceEvent } from '../../loaders/ledger/binding.ts'
import { countRowsOf, findTablesOf } from '../../loaders/ledger/tables.ts'
import { deleteRowsOf, keepForOthers } from '../../loaders/people/end-event.ts'
import { dropLeftReadings } from '../../loaders/staging/readings.ts'
import { type Context, timestamp, whileLocked } from '../context/run-context.ts'
import { eraseFromQueue } from '../database/job-queue.ts'
import { removeExports } from '../packs/exports-folder.ts'
import { pointsOf } from '../runtime/events.ts'
import type { Ended } from '../schemas/people.ts'
import { purgeAllPacks } from './purge.ts'

/**
 * Ends an event: deletes an integration from the database and the job queue. Also deletes all files of its
 * packs except manifests and signatures, and their exported files. The file of suppressions stays beside the packs. If the process dies
 * at any point, the function can be called again.
 *
 * @returns null if another process holds the lock of the integration
 */
export async function endEvent(context: Context, integrationId: string): Promise<Ended | null> {
  return whileLocked(context, integrationId, async (locked) => {
    const { database, environment, events } = locked
    const at = pointsOf(events, integrationId)
    const by = { user: environment.user, at: timestamp(environment) }
    const db = database.kysely
    await removeExports(locked, integrationId)
    const packs = await purgeAllPacks(locked, integrationId, { at: by.at, by: by.user })
    const event = await findSourceEvent(db, integrationId)
    const readers = event === null ? [] : await findIntegrationsReading(db, event)
    const keptFor = readers.filter((id) => id !== integrationId)
    const tables = await findTablesOf(db)
    const rows = await countRowsOf(db, integrationId, tables)
    await database.transaction(async (transaction) => {
      if (event !== null && keptFor.length > 0) await keepForOthers(transaction, integrationId, event, by)
      await dropLeftReadings(transaction, integrationId, '')
    })
    for (const table of tables) {
      await deleteRowsOf(database.transaction, integrationId, table, () => at('rows purged'))
    }
    await eraseFromQueue(database, integrationId)
    return { integration: integrationId, rows, packs, keptFor }
  })
}

/** Removes the remaining bytes of the deleted rows from the files of the database. */
export async function scrubEnded({ database, events }: Context, integrationId: string) {
  const tables = await findTablesOf(database.kysely)
  return database.scrub(tables, { isThorough: false, at: pointsOf(events, integrationId) })
}
