import type { Kysely } from 'kysely'
import { countDecisions, updateRun } from '../loaders/ledger.ts'
import type { Content, Tables } from '../sql/tables.ts'
import { type Checked, checkPlan } from '../transforms/guards/check-plan.ts'
import { toHold } from '../transforms/guards/trip.ts'
import { makePlan, type Plan, withholdRemovals } from '../transforms/plan.ts'
import { requireWritableOutput } from './apply.ts'
import type { Reading } from './extract/certificate.ts'
import { productVersion } from './package-root.ts'
import { platformOf } from './platform/connect.ts'
import { countChanges, NO_CHANGES } from './report.ts'
import { type RunContext, timestamp } from './run-context.ts'

/**
 * Plans the difference between what the platform should have and what it has, asks the guards, and stores the plan.
 *
 * @returns whether the plan goes on to apply: neither held nor only asked for
 */
export async function plan(
  run: RunContext,
  transaction: Kysely<Tables>,
  readings: readonly Reading[],
  command: 'run' | 'plan',
): Promise<{ readonly goesOn: boolean }> {
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
    removals: integration.removals.action,
    attested: connected.attested,
    complete: completeContents(integration.content, readings),
    target: platformOf(integration).identity,
    base: String(base),
  })
  const { trips, notes } = await askGuards(run, transaction, changes)
  const held = toHold(trips)
  const withholds =
    command === 'run' &&
    integration.guards.onHold === 'withholdRemovals' &&
    held !== null &&
    trips.every(({ onlyRemovals }) => onlyRemovals)
  const withheld = withholds ? { withheld: await withholdRemovals(transaction, run) } : {}
  const goesOn = command === 'run' && (held === null || withholds)
  const decided = await countDecisions(transaction, run, resourcesOf(run))
  await updateRun(transaction, integrationId, runId, {
    status: goesOn ? 'applying' : held === null ? 'planned' : 'held',
    planned_at: timestamp(environment),
    plan_hash: hash,
    base: String(base),
    certified: readings.every(({ certified }) => certified),
    held,
    counts: {
      changes,
      kept,
      ...decided,
      ...withheld,
      ...(notes.length === 0 ? {} : { notes }),
    },
  })
  run.progress.planned(integrationId, { planHash: hash, changes, ...decided, withheld: 0, ...withheld, held })
  run.progress.at(integrationId, 'plan made')
  return { goesOn }
}

/** Contents of which every needed resource was read to its proved end, and every record of it could be read. */
function completeContents(contents: readonly Content[], readings: readonly Reading[]): readonly Content[] {
  return contents.filter((content) =>
    readings
      .filter(({ resource }) => resource.neededFor.includes(content))
      // A record without an id may be any of those that seem to be gone.
      .every(({ certified, totals }) => certified && totals.faults === 0),
  )
}

async function askGuards(
  run: RunContext,
  transaction: Kysely<Tables>,
  changes: Plan['changes'],
): Promise<Checked> {
  const { integrationId, runId, integration, connected, environment } = run
  // A plan without changes does no harm, so there is nothing to hold.
  if (countChanges({ changes: { ...NO_CHANGES, ...changes } }) === 0) return { trips: [], notes: [] }
  const { maxShare, minCount } = integration.removals
  const distrust = await connected.distrust(transaction)
  const { trips, notes } = await checkPlan(transaction, {
    integrationId,
    runId,
    contents: integration.content,
    changes,
    resources: connected.resources,
    mapped: connected.mapped,
    removals: { maxShare, minCount, nowMs: environment.now() },
    blackout: integration.guards.blackout,
    massUpdate: integration.guards.massUpdate,
    productVersion,
  })
  return { trips: distrust === null ? trips : [distrust, ...trips], notes }
}

/** Resource of the records of each content that the integration syncs. */
function resourcesOf({ integration, connected }: RunContext): ReadonlyMap<Content, string> {
  return new Map([...connected.resourceOf].filter(([content]) => integration.content.includes(content)))
}
