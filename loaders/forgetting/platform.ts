import { countRows, notExists } from '../../sql/conditions.ts'
import type { Db } from '../../sql/tables.ts'
import { CONTENTS_OF_PEOPLE } from './tables.ts'

/** Those of some ids by which the platform has a person. */
export async function findPlatformIds(db: Db, integrationId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Set<string>()
  const rows = await db
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .where('content', 'in', CONTENTS_OF_PEOPLE)
    .where('unique_id', 'in', [...ids])
    .distinct()
    .select('unique_id')
    .execute()
  return new Set(rows.map(({ unique_id }) => unique_id))
}

/** Items of people who were forgotten that the platform still has. */
export async function countOnPlatform(db: Db, integrationId: string): Promise<number> {
  const items = db
    .selectFrom('sync.platform_items as item')
    .innerJoin('sync.forgotten as gone', (join) =>
      join
        .onRef('gone.integration_id', '=', 'item.integration_id')
        .onRef('gone.token', '=', 'item.unique_id'),
    )
    .where('item.integration_id', '=', integrationId)
  return countRows(items)
}

/** Operations files that name people who were forgotten, since the platform has to be told whom to remove; by run. */
export async function findNamingRuns(db: Db, integrationId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('sync.changes as change')
    .innerJoin('sync.forgotten as gone', (join) =>
      join
        .onRef('gone.integration_id', '=', 'change.integration_id')
        .onRef('gone.token', '=', 'change.unique_id'),
    )
    .where('change.integration_id', '=', integrationId)
    .where('change.reason', '=', 'forgotten')
    .where('change.state', '=', 'applied')
    .where('gone.sealed_id', 'is not', null)
    .distinct()
    .orderBy('change.run_id')
    .select('change.run_id')
    .execute()
  return rows.map(({ run_id }) => run_id)
}

/** Operations files were taken by the platform: the ids in them go, and their packs are to be written again. */
export async function markDelivered(transaction: Db, integrationId: string): Promise<void> {
  const runs = await findNamingRuns(transaction, integrationId)
  if (runs.length > 0) {
    await transaction
      .updateTable('sync.runs')
      .set({ reissue_due: true })
      .where('integration_id', '=', integrationId)
      .where('run_id', 'in', [...runs])
      .where('manifest_sha256', 'is not', null)
      .where('purged_at', 'is', null)
      .execute()
  }
  await giveUpSealedIds(transaction, integrationId)
}

/** Keeps the ids of people who were forgotten and are on the platform all the same. @param sealed by token */
export async function keepSealedIds(
  transaction: Db,
  integrationId: string,
  sealed: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  for (const [token, sealed_id] of sealed) {
    await transaction
      .updateTable('sync.forgotten')
      .set({ sealed_id })
      .where('integration_id', '=', integrationId)
      .where('token', '=', token)
      .execute()
  }
}

export async function giveUpSealedIds(transaction: Db, integrationId: string): Promise<void> {
  await transaction
    .updateTable('sync.forgotten as gone')
    .set({ sealed_id: null })
    .where('gone.integration_id', '=', integrationId)
    .where('gone.sealed_id', 'is not', null)
    .where(({ selectFrom }) =>
      notExists(
        selectFrom('sync.platform_items as item')
          .where('item.integration_id', '=', integrationId)
          .whereRef('item.unique_id', '=', 'gone.token')
          .select('item.unique_id'),
      ),
    )
    .execute()
}
