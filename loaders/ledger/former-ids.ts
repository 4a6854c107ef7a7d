import type { Db, RunKey } from '../../sql/tables.ts'

/** Finds the former ids of an integration, oldest first. */
export function findFormerIds(db: Db, integrationId: string) {
  return db
    .selectFrom('sync.former_ids')
    .where('integration_id', '=', integrationId)
    .orderBy('place')
    .select([
      'place',
      'former_id as formerId',
      'renamed_at as renamedAt',
      'last_run as lastRun',
      'is_folder_due as isFolderDue',
    ])
    .execute()
}

/** Returns the id of an integration with its former ids, oldest first. */
export async function renamingOf(db: Db, integrationId: string) {
  const renamings = await findFormerIds(db, integrationId)
  return { integration: integrationId, renamedFrom: renamings.map(({ formerId }) => formerId) }
}

/**
 * Finds the integrations that once had an id and now have another id. The integration that was renamed last
 * comes first.
 */
export function findRenamedFrom(db: Db, formerId: string) {
  return db
    .selectFrom('sync.former_ids')
    .where('former_id', '=', formerId)
    .where('integration_id', '<>', formerId)
    .orderBy('renamed_at', 'desc')
    .select(['integration_id as integrationId', 'renamed_at as renamedAt'])
    .execute()
}

/** Finds the renamed integrations whose folder of packs still has the former id as its name. */
export async function findFoldersDue(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('sync.former_ids')
    .where('is_folder_due', '=', true)
    .orderBy('integration_id')
    .select('integration_id')
    .execute()
  return rows.map(({ integration_id }) => integration_id)
}

/** Records that the folder of an integration now has the current id as its name. */
export async function noteFolderRenamed(transaction: Db, integrationId: string): Promise<void> {
  await transaction
    .updateTable('sync.former_ids')
    .set({ is_folder_due: false })
    .where('integration_id', '=', integrationId)
    .execute()
}

/** Returns the id that an integration had when a run began. The pack of the run contains this id. */
export async function idThen(db: Db, { integrationId, runId }: RunKey): Promise<string> {
  const renamings = await findFormerIds(db, integrationId)
  const next = renamings.find(({ lastRun }) => lastRun !== null && runId <= lastRun)
  return next?.formerId ?? integrationId
}

/**
 * Records which manifest lists the newest renamings: all renamings that no manifest has listed yet get this
 * run.
 */
export async function recordRenamingsForManifest(
  transaction: Db,
  { integrationId, runId }: RunKey,
): Promise<void> {
  await transaction
    .updateTable('sync.former_ids')
    .set({ told_by_run: runId })
    .where(({ and }) => and({ integration_id: integrationId, told_by_run: null }))
    .execute()
}

/** Finds the renamings that the manifest of a run lists, oldest first. */
export async function findRenamingsOfManifest(db: Db, { integrationId, runId }: RunKey) {
  const rows = await db
    .selectFrom('sync.former_ids')
    .where(({ and }) => and({ integration_id: integrationId, told_by_run: runId }))
    .orderBy('place')
    .select(['former_id as from', 'renamed_at as renamedAt', 'renamed_by as renamedBy'])
    .execute()
  return rows.map((row) => ({ ...row, renamedAt: row.renamedAt.toISOString() }))
}
