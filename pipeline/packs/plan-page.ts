import { type RunRecord, updateRun } from '../../loaders/ledger/ledger.ts'
import { findOldPlanPages, findWaitingPlan } from '../../loaders/ledger/stored-plan.ts'
import { removePlanFiles, writePlanFiles } from '../../loaders/packs/plan-page/plan-files.ts'
import { findPersonalIds } from '../../loaders/people/person.ts'
import { packFolder } from '../context/pack-folder.ts'
import type { Context } from '../context/run-context.ts'
import { sourceTypeOf } from '../sources/registry.ts'

/** Writes the page of the plan that waits for a decision. Removes the pages of plans that no longer wait. */
export async function replacePlanPages(context: Context, integrationId: string): Promise<void> {
  const waiting = await removeOldPlanPages(context, integrationId)
  if (waiting !== null) await writePlanPage(context, waiting)
}

/**
 * Removes the pages of plans that no longer wait for a decision. Pages that a killed process has left are
 * also removed.
 *
 * @returns the plan that waits; null if no plan waits
 */
export async function removeOldPlanPages(context: Context, integrationId: string): Promise<RunRecord | null> {
  const { kysely, transaction } = context.database
  const waiting = await findWaitingPlan(kysely, integrationId)
  for (const runId of await findOldPlanPages(kysely, integrationId, waiting?.run_id ?? null)) {
    await removePlanFiles(packFolder({ ...context, integrationId, runId }))
    await transaction((db) => updateRun(db, integrationId, runId, { has_plan_page: false }))
  }
  return waiting
}

/** Writes the page of a waiting plan, from data in the database. @returns the folder of the page */
export async function writePlanPage(context: Context, record: RunRecord): Promise<string> {
  const { integration_id: integrationId, run_id: runId, started_at, planned_at, plan_hash, ...run } = record
  const { database } = context
  const folder = packFolder({ ...context, integrationId, runId })
  const facts = {
    integrationId,
    runId,
    eventName: run.event_name ?? integrationId,
    planHash: plan_hash ?? '',
    plannedAt: (planned_at ?? started_at).toISOString(),
    contents: run.contents,
    held: run.held,
    pinned: run.pinned,
    counts: run.counts,
    timeZone: run.time_zone,
    productVersion: run.product_version,
    rollbackTo: run.rollback_to,
    ...(context.named && { named: context.named }),
  }
  // The database records the page before it is written. If the process dies while writing, the page is then
  // still found and removed.
  await database.transaction((db) => updateRun(db, integrationId, runId, { has_plan_page: true }))
  await writePlanFiles(
    database.kysely,
    { integrationId, runId },
    {
      ...context.config.audit,
      folder,
      mode: context.config.output.mode,
      facts,
      findPersonalIds: (ids) => findPersonal(context, integrationId, ids),
    },
  )
  return folder
}

/** Returns the ids that are personal data. If the source is no longer configured, returns all ids. */
async function findPersonal({ config, database }: Context, integrationId: string, ids: readonly string[]) {
  const integration = config.integrations.find(({ id }) => id === integrationId)
  if (integration === undefined) return new Set(ids)
  const { people } = sourceTypeOf(integration.source).transform
  return findPersonalIds(database.kysely, integrationId, people, ids)
}
