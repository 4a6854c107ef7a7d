import { findGrowth, lastPack } from '../../loaders/ledger/ledger.ts'
import type { Database } from '../../sql/database.ts'
import { packFolder } from '../context/pack-folder.ts'
import type { RunContext } from '../context/run-context.ts'
import { type Need, needOfDatabase, requireRoom, sizeOf } from '../runtime/disk-room.ts'

/** Space for the pack of a small event, if the size of no earlier pack is known. */
const FIRST_PACK_BYTES = 1024 * 1024

/**
 * Checks that there is disk space for a run. During the run, `requireLogRoom` checks the disk.
 *
 * @throws as `requireRoom` does
 */
export async function requireRoomFor({ database, integrationId, outputFolder }: RunContext): Promise<void> {
  requireRoom(await needsOfRun(database, integrationId, outputFolder))
}

/**
 * Returns how much space a run needs: for the log of the embedded database, for as much growth as in the last
 * run, and for a pack as large as the last. For the first run of a database, the growth is not known.
 *
 * @param database null if it is not open
 */
export async function needsOfRun(
  database: Database | null,
  integrationId: string,
  outputFolder: string,
): Promise<readonly Need[]> {
  const last = database === null ? null : await lastPack(database.kysely, integrationId)
  const known = last === null ? 0 : sizeOf(packFolder({ outputFolder, integrationId, runId: last }))
  const pack = { what: 'the audit pack', folder: outputFolder, bytes: Math.max(known, FIRST_PACK_BYTES) }
  if (database === null || database.directory === null) return [pack]
  return [needOfDatabase(database.directory, await findGrowth(database.kysely)), pack]
}
