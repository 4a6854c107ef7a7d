import { findRun, findRuns, type RunRecord } from '../../loaders/ledger/ledger.ts'
import { removePlanFiles, writePlanFiles } from '../../loaders/packs/plan-page/plan-files.ts'
import { changesIn } from '../../sql/tables.ts'
import { packFolder } from '../context/pack-folder.ts'
import type { Context } from '../context/run-context.ts'

/** Plans that are looked at for pages that a killed process left behind. */
const LOOKED_AT = 20

/** Returns the plan of an integration that waits for a decision: the newest one, if it is not applied and changes something. */
export async function findWaitingPlan(
  { database }: Pick<Context, 'database'>,
  integrationId: string,
): Promise<RunRecord | null> {
  const newest = await findRun(database.kysely, { integrationId, hasPlan: true })
  if (newest === undefined || !waits(newest)) return null
  const bound = await database.kysely
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('base')
    .executeTakeFirst()
  // Something has landed since, or a person was forgotten: `apply` refuses the plan.
  return String(bound?.base) === String(newest.base) ? newest : null
}

function waits({ status, counts, purged_at: purgedAt }: RunRecord): boolean {
  const changes = Object.values(counts?.changes ?? {}).reduce((sum, of) => sum + changesIn(of), 0)
  return (status === 'held' || status === 'planned') && changes > 0 && purgedAt === null
}

/** Writes the page of the plan that waits, and removes the pages of plans that can no longer be applied. */
export async function replacePlanPages(context: Context, integrationId: string): Promise<void> {
  const waiting = await findWaitingPlan(context, integrationId)
  const statuses = ['planned', 'held', 'abandoned', 'failed'] as const
  const earlier = await findRuns(context.database.kysely, { integrationId, statuses }, LOOKED_AT)
  for (const { run_id: runId, manifest_sha256 } of earlier)
    if (runId !== waiting?.run_id && manifest_sha256 === null)
      await removePlanFiles(packFolder({ ...context, integrationId, runId }))
  if (waiting !== null) await writePlanPage(context, waiting)
}

/** Writes the page of a waiting plan from the ledger. @returns its folder */
export async function writePlanPage(context: Context, record: RunRecord): Promise<string> {
  const { integration_id: integrationId, run_id: runId, started_at, planned_at, plan_hash, ...run } = record
  const { personalData, excel } = context.config.audit
  const folder = packFolder({ ...context, integrationId, runId })
  const facts = {
    integrationId,
    runId,
    eventName: run.event_name ?? integrationId,
    planHash: plan_hash ?? '',
    plannedAt: (planned_at ?? started_at).toISOString(),
    contents: run.contents,
    held: run.held,
    counts: run.counts,
    timeZone: run.time_zone,
    productVersion: run.product_version,
  }
  const { kysely } = context.database
  await writePlanFiles(kysely, { integrationId, runId }, folder, facts, personalData, excel)
  return folder
}
