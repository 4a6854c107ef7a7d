import { countChanges, type Db } from '../../sql/tables.ts'
import { findRun, findRuns, type RunRecord } from './ledger.ts'

/** The newest plan of an integration. An older plan can be applied only if it is the plan of a rollback. */
export interface NewestPlan {
  readonly run: RunRecord
  /**
   * Returns true if `apply` accepts the plan of a run. The plan must be the newest plan or the plan of a
   * rollback. The plan must not be applied yet, and the state from which it was made must be unchanged. A
   * plan without changes may be stored with several runs. The plan of a rollback may be applied after a newer
   * plan, because the source does not affect a rollback.
   */
  readonly canApply: (run: RunRecord) => boolean
}

/** Finds the newest stored plan of an integration; returns null if no plan is stored. */
export async function findNewestPlan(db: Db, integrationId: string): Promise<NewestPlan | null> {
  const newest = await findRun(db, { integrationId, hasPlan: true })
  if (newest === undefined) return null
  const current = await findBase(db, integrationId)
  return {
    run: newest,
    canApply: ({ command, plan_hash, status, base, purged_at }) =>
      (plan_hash === newest.plan_hash || command === 'rollback') &&
      (status === 'planned' || status === 'held') &&
      String(base) === current &&
      // A purge deletes the changes of the plan, so the plan can no longer be applied.
      purged_at === null,
  }
}

/**
 * Returns the revision of the platform from which a plan starts; null if the integration is unknown. The
 * revision grows if the platform applies a change, or if a person is forgotten.
 */
export async function findBase(db: Db, integrationId: string): Promise<string | null> {
  const bound = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('base')
    .executeTakeFirst()
  return bound === undefined ? null : String(bound.base)
}

/**
 * Returns the run of the newest plan if the plan waits for a decision, which means that it can be applied and
 * has changes.
 */
export function waitingRun(newest: NewestPlan | null): RunRecord | null {
  if (newest === null || !newest.canApply(newest.run)) return null
  return countChanges(newest.run.counts?.changes) > 0 ? newest.run : null
}

/**
 * Returns the plans with changes among open plans. If a plan is stored with several runs, returns the newest.
 *
 * @param open runs of `findOpenPlans`
 */
export function withChanges(open: readonly RunRecord[]): readonly RunRecord[] {
  const plans = new Map<string | null, RunRecord>()
  for (const run of open) {
    if (countChanges(run.counts?.changes) > 0 && !plans.has(run.plan_hash)) plans.set(run.plan_hash, run)
  }
  return [...plans.values()]
}

/** Finds all runs whose plans `apply` accepts, also plans without changes, newest first. */
export async function findOpenPlans(db: Db, integrationId: string): Promise<readonly RunRecord[]> {
  const newest = await findNewestPlan(db, integrationId)
  if (newest === null) return []
  return (await findRuns(db, { integrationId, statuses: ['planned', 'held'] })).filter(newest.canApply)
}

/** Finds the run whose plan waits for a decision in an integration. */
export async function findWaitingPlan(db: Db, integrationId: string): Promise<RunRecord | null> {
  return waitingRun(await findNewestPlan(db, integrationId))
}

/**
 * Returns the ids of runs whose folder has the page of a plan, although the plan no longer waits for a
 * decision.
 *
 * @param waitingRunId run whose plan waits for a decision; null if no plan waits
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
    // A run with a pack is left out, because the report of a pack has the same file name as the page of a
    // plan.
    .where('manifest_sha256', 'is', null)
    .$if(waitingRunId !== null, (query) => query.where('run_id', '<>', waitingRunId ?? ''))
    .orderBy('run_id')
    .select('run_id')
    .execute()
  return runs.map(({ run_id }) => run_id)
}

/**
 * Makes stored plans invalid, because they may contain a person or an item that must not be sent. Also makes the next run transform all
 * records again.
 */
export async function makePlansStale(transaction: Db, integrationId: string): Promise<void> {
  await transaction
    .updateTable('sync.integrations')
    .set((eb) => ({ base: eb('base', '+', eb.lit(1)), transform_basis: null }))
    .where('integration_id', '=', integrationId)
    .execute()
}
