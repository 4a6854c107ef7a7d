import { findGrowth, lastPack } from '../../loaders/ledger/ledger.ts'
import { packFolder } from '../context/pack-folder.ts'
import type { RunContext } from '../context/run-context.ts'
import { type Need, needOfDatabase, requireRoom, sizeOf } from '../runtime/disk-room.ts'

/**
 * Checks that there is disk space for a run: for the log of the embedded database, for as much growth as in
 * the last run, and for a pack as large as the last. For the first run of a database, only the space for the
 * log can be checked. During this run, `requireLogRoom` checks the disk.
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
