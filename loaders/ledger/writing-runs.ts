import { type Content, type CustomFields, countChanges, type Db } from '../../sql/tables.ts'

/** A run that changed the known items of the platform. */
export type WritingRun = Awaited<ReturnType<typeof findWritingRuns>>['runs'][number]

/**
 * Finds the runs of an integration that changed the known items of the platform, in the order in which they
 * planned. Each of these runs landed, or found packs of runs that the database does not have. The result does
 * not contain runs that wrote to another platform event.
 *
 * @returns the runs; `platformBase`: revision of the known items when the integration was bound to its
 *   platform event
 */
export async function findWritingRuns(db: Db, integrationId: string) {
  const { platform_base: platformBase } = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('platform_base')
    .executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('base', '>=', platformBase)
    .where((eb) => eb.or([eb('applied_at', 'is not', null), eb('gap', 'is not', null)]))
    .orderBy('base')
    .orderBy('run_id')
    .select(['run_id', 'base', 'applied_at', 'purged_at', 'contents', 'custom', 'gap', 'counts'])
    .execute()
  const runs = rows.map((row) => ({
    runId: row.run_id,
    base: Number(row.base),
    appliedAt: row.applied_at,
    purgedAt: row.purged_at,
    contents: row.contents as readonly Content[],
    custom: row.custom as CustomFields,
    hasGap: row.gap !== null,
    hasChanges: countChanges(row.counts?.changes) > 0,
  }))
  return { platformBase: Number(platformBase), runs }
}
