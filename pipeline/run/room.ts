import { findGrowth, lastPack } from '../../loaders/ledger/ledger.ts'
import { packFolder } from '../context/pack-folder.ts'
import type { RunContext } from '../context/run-context.ts'
import { type Need, needOfDatabase, requireRoom, sizeOf } from '../runtime/disk-room.ts'

/**
 * Requires room for a run: for the log of the embedded database and what the last run added to it, and for a pack as large as the
 * last one. The first run of a database has only the log to go by; while it runs, `requireLogRoom` watches.
 *
 * @throws as `requireRoom` does
 */
export async function requireRoomFor({ database, integrationId, outputFolder }: RunContext): Promise<void> {
  const db = database.kysely
  const last = await lastPack(db, integrationId)
  const pack = last === null ? 0 : sizeOf(packFolder({ outputFolder, integrationId, runId: last }))
  const needs: Need[] = [{ what: 'the audit pack', folder: outputFolder, bytes: pack }]
  const { directory } = database
  if (directory !== null) {
    needs.unshift(needOfDatabase(directory, await findGrowth(db)))
  }
  requireRoom(needs)
}
