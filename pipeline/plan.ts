import type { Kysely } from 'kysely'
import { countDecisions, updateRun } from '../loaders/ledger.ts'
import type { Content, Hold, Tables } from '../sql/tables.ts'
import { makePlan } from '../transforms/plan.ts'
import { requireWritableOutput } from './apply.ts'
import type { Reading } from './extract/certificate.ts'
import { platformOf } from './platform.ts'
import { countChanges, NO_CHANGES } from './report.ts'
import { type RunContext, timestamp } from './run-context.ts'

/**
 * Plans the difference between what the platform should have and what it has, and stores the plan.
 *
 * Until the guards of design 11 exist, only removals that a record states itself are planned.
 *
 * @returns the guard that holds the plan, or null; a run without a hold goes on to apply
 */
export async function plan(
  run: RunContext,
  transaction: Kysely<Tables>,
  readings: readonly Reading[],
  command: 'run' | 'plan',
): Promise<{ readonly held: Hold | null }> {
  const { integrationId, runId, integration, connected, environment } = run
  if (command === 'run') await requireWritableOutput(run)
  const { base } = await transaction
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('base')
    .executeTakeFirstOrThrow()
  const { hash, changes, kept } = await makePlan(transaction, {
    integrationId,
    runId,
    contents: integration.content,
    removalReasons: integration.removals.action === 'keep' ? [] : connected.attested,
    target: platformOf(integration).identity,
    base: String(base),
  })
  // A plan without changes does no harm, so there is nothing to hold.
  const held =
    countChanges({ changes: { ...NO_CHANGES, ...changes } }) === 0 ? null : await connected.hold(transaction)
  await updateRun(transaction, integrationId, runId, {
    status: held !== null ? 'held' : command === 'run' ? 'applying' : 'planned',
    planned_at: timestamp(environment),
    plan_hash: hash,
    certified: readings.every(({ certified }) => certified),
    held,
    counts: { changes, kept, ...(await countDecisions(transaction, run, resourcesOf(run))) },
  })
  run.progress.at(integrationId, 'plan made')
  return { held }
}

/** Resource of the records of each content that the integration syncs. */
function resourcesOf({ integration, connected }: RunContext): ReadonlyMap<Content, string> {
  return new Map([...connected.resourceOf].filter(([content]) => integration.content.includes(content)))
}
