import { countChanges, type Db } from '../../sql/tables.ts'
import { findRun, type RunRecord } from './ledger.ts'

/** The newest plan of an integration. Other plans cannot be applied. */
export interface NewestPlan {
  readonly run: RunRecord
  /**
   * Returns true if `apply` takes the plan of a run: it is the newest plan, it was not applied yet, and
   * nothing that it starts from has changed. A plan without changes may be stored with several runs.
   */
  readonly canApply: (run: RunRecord) => boolean
}

/** Finds the newest stored plan of an integration; null if there is none. */
export async function findNewestPlan(db: Db, integrationId: string): Promise<NewestPlan | null> {
  const newest = await findRun(db, { integrationId, hasPlan: true })
  if (newest === undefined) return null
  const bound = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('base')
    .executeTakeFirst()
  return {
    run: newest,
    canApply: ({ plan_hash, status, base, purged_at }) =>
      plan_hash === newest.plan_hash &&
      (status === 'planned' || status === 'held') &&
      // It grows if something lands, or if a person is forgotten.
      String(base) === String(bound?.base) &&
      // A purge deletes the changes of the plan.
      purged_at === null,
  }
}

/** Returns the run of the newest plan if it waits for a decision: it can be applied, and has changes. */
export function waitingRun(newest: NewestPlan | null): RunRecord | null {
  if (newest === null || !newest.canApply(newest.run)) return null
  return countChanges(newest.run.counts?.changes) > 0 ? newest.run : null
}

/** Finds the plan of an integration that waits for a decision. */
export async function findWaitingPlan(db: Db, integrationId: string): Promise<RunRecord | null> {
  return waitingRun(await findNewestPlan(db, integrationId))
}

/**
 * Returns the ids of runs whose folder has the page of a plan, but whose plan no longer waits.
 *
 * @param waitingRunId run of the plan that waits; null if none does
 */
export async function findOldPlanPages(
  db: Db,
  integrationId: string,
  waitingRunId: string | null,
): Promise<readonly string[]> {
  const runs = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('has_plan_page', '=', true)
    // The report of a pack has the name of the page.
    .where('manifest_sha256', 'is', null)
    .$if(waitingRunId !== null, (query) => query.where('run_id', '<>', waitingRunId ?? ''))
    .orderBy('run_id')
    .select('run_id')
    .execute()
  return runs.map(({ run_id }) => run_id)
}
