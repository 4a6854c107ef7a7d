import type { Kysely } from 'kysely'
import type { Tables } from '../../sql/tables.ts'

/** The run behind what the platform has. */
export interface AppliedRun {
  readonly runId: string
  readonly productVersion: string
}

/**
 * Finds the run whose snapshot a plan is compared with: of those that were applied as a whole, without a hold or
 * approved, the one whose plan landed last. A hold therefore repeats until it is approved or the source recovers.
 *
 * @returns null on a first run, and where nothing is known to be on the platform, as after a rebind to another one
 * Source: design 11.
 */
export async function lastApplied(db: Kysely<Tables>, integrationId: string): Promise<AppliedRun | null> {
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
    .select(['run.run_id', 'run.product_version'])
    .executeTakeFirst()
  return run === undefined ? null : { runId: run.run_id, productVersion: run.product_version }
}
