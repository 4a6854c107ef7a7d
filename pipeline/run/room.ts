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
export async function requireRoomFor(context: RunContext): Promise<void> {
  requireRoom(await needsOfRun({ ...context, directory: context.database.directory }))
}

interface RoomOfRun {
  /** Null if it is not open. */
  readonly database: Database | null
  /** Folder of the embedded database; null with a PostgreSQL. */
  readonly directory: string | null
  readonly integrationId: string
  readonly outputFolder: string
}

/**
 * Returns how much space a run needs: for the log of the embedded database, for as much growth as in the last
 * run, and for a pack as large as the last. If the database is not open, growth and pack are not known.
 */
export async function needsOfRun({
  database,
  directory,
  integrationId,
  outputFolder,
}: RoomOfRun): Promise<readonly Need[]> {
  const last = database === null ? null : await lastPack(database.kysely, integrationId)
  const known = last === null ? 0 : sizeOf(packFolder({ outputFolder, integrationId, runId: last }))
  const pack = { what: 'the audit pack', folder: outputFolder, bytes: Math.max(known, FIRST_PACK_BYTES) }
  if (directory === null) return [pack]
  const growth = database === null ? 0 : await findGrowth(database.kysely)
  return [needOfDatabase(directory, growth), pack]
}
