import type { Db } from '../../sql/tables.ts'

/**
 * Finds the run whose snapshot a plan is compared with: of those that were applied as a whole, without a hold or
 * approved, the one whose plan landed last. A hold therefore repeats until it is approved or the source recovers.
 *
 * @returns null on a first run, and where nothing is known to be on the platform, as after a rebind to another one
 */
export async function lastApplied(db: Db, integrationId: string) {
  const run = await db
    .selectFrom('sync.runs as run')
    .where('run.integration_id', '=', integrationId)
    .where('run.applied_at', 'is not', null)
    .where((eb) => eb.or([eb('run.held', 'is', null), eb('run.approved_at', 'is not', null)]))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('sync.platform_items as item')
          .select('item.unique_id')
          .whereRef('item.integration_id', '=', 'run.integration_id'),
      ),
    )
    // A plan may be approved after later runs that changed nothing.
    .orderBy('run.applied_at', 'desc')
    .orderBy('run.run_id', 'desc')
    .limit(1)
    .select(['run.run_id', 'run.product_version', 'run.custom'])
    .executeTakeFirst()
  return run === undefined
    ? null
    : { runId: run.run_id, productVersion: run.product_version, custom: run.custom }
}
