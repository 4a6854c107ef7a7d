import type { Content, CustomFields, Db } from '../../sql/tables.ts'

/** A run that changed what is known of the platform. */
export type WritingRun = Awaited<ReturnType<typeof findWritingRuns>>['runs'][number]

/**
 * Finds the runs of an integration that landed, or that found packs of runs that the database does not have,
 * in the order in which they planned. Runs that wrote to another platform event are left out.
 *
 * @returns the runs; `platformBase`: revision of the platform at which its event was taken over
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
    .select(['run_id', 'base', 'applied_at', 'purged_at', 'contents', 'custom', 'gap'])
    .execute()
  const runs = rows.map((row) => ({
    runId: row.run_id,
    base: Number(row.base),
    appliedAt: row.applied_at,
    purgedAt: row.purged_at,
    contents: row.contents as readonly Content[],
    custom: row.custom as CustomFields,
    hasGap: row.gap !== null,
  }))
  return { platformBase: Number(platformBase), runs }
}
