import { sql } from 'kysely'
import { notExists } from '../../sql/conditions.ts'
import type { Content, Db } from '../../sql/tables.ts'
import type { ContentRead } from '../declare/columns-read.ts'
import { asAny, type StagingTables } from '../declare/resource.ts'
import { currentAsOf } from '../history/as-of.ts'
import { counted } from '../texts/counted.ts'
import { findBlackout } from './blackout.ts'
import type { GuardFinding } from './guard-finding.ts'
import { findManyHandovers } from './handovers.ts'
import { findMassUpdate, type UpdatingPlan } from './mass-update.ts'
import { findPreexisting } from './preexisting.ts'
import { findRemovals, type RemovalLimits } from './removals.ts'
import { findStatedRemovals, type StatedLimits } from './stated-removals.ts'

/** A stored plan, the data from which it was made, and the limits of the configuration. */
export interface GuardedPlan extends UpdatingPlan {
  readonly contents: readonly Content[]
  readonly resources: readonly GuardedResource[]
  readonly readByChanges: ReadonlySet<keyof StagingTables>
  /** Columns that are needed for each content under the options of the integration. */
  readonly read: readonly ContentRead[]
  readonly removals: RemovalLimits & StatedLimits
  /** True if the configuration has the guard `blackout` switched on. */
  readonly blackout: boolean
  readonly productVersion: string
}

export interface Checked {
  /** Findings. The first finding is the finding that is nearest to the cause. */
  readonly hits: readonly GuardFinding[]
  readonly notes: readonly string[]
}

/**
 * Runs every guard (a check that can hold a plan) on a plan with changes, in the transaction that stored the
 * plan. The guards run in the order from causes to consequences, because the cause of one finding is often
 * the cause of the next findings too.
 *
 * @param sourceGuard finding of the guard that the source itself has; null if it found nothing
 */
export async function checkPlan(
  db: Db,
  plan: GuardedPlan,
  sourceGuard: GuardFinding | null,
): Promise<Checked> {
  const { integrationId } = plan
  const applied = await lastApplied(db, integrationId)
  const live = await countLive(db, plan)
  const hits: (GuardFinding | null)[] = []
  if (applied !== null) {
    // Only a full reading can show that a resource is empty.
    const whole = plan.resources.filter(({ table }) => !plan.readByChanges.has(table))
    hits.push(await findEmptied(db, integrationId, applied.runId, whole))
  }
  hits.push(sourceGuard)
  if (applied !== null && plan.blackout) {
    // A custom field cannot be compared if the earlier run read it from another key or in another form.
    const lasting = plan.custom.filter(({ content, field: { name, from, as } }) => {
      const then = applied.custom[content]?.[name]
      return then?.from === from && then.as === as
    })
    const left = ([content, items]: readonly [Content, number]) => {
      const { create, remove } = plan.changes[content] ?? { create: 0, remove: 0 }
      return items - remove + create
    }
    const emptied = new Set([...live].flatMap((one) => (left(one) === 0 ? one[0] : [])))
    hits.push(await findBlackout(db, applied.runId, { ...plan, custom: lasting, emptied }))
  }
  hits.push(await findPreexisting(db, plan))
  hits.push(await findStatedRemovals(db, plan, live, plan.removals))
  hits.push(await findRemovals(db, plan, live, plan.removals))
  hits.push(findManyHandovers(plan.changes, live))
  const massUpdate = await findMassUpdate(db, plan, live, applied)
  const notes: string[] = []
  if (massUpdate !== null && applied === null) {
    notes.push(`massUpdate lets this pass, because it is a first run: ${massUpdate.detail}`)
  } else if (massUpdate !== null && applied?.productVersion !== plan.productVersion) {
    notes.push(
      `massUpdate lets this pass, because it is the first run after version ${applied?.productVersion}: ${massUpdate.detail}`,
    )
  } else hits.push(massUpdate)
  return { hits: hits.filter((hit) => hit !== null), notes }
}

/** The plan of a rollback, with the limits from the configuration. */
export interface RolledBackPlan extends Omit<UpdatingPlan, 'lookups'> {
  readonly contents: readonly Content[]
  readonly removals: StatedLimits
}

/**
 * Runs the guards on the plan of a rollback that has changes. Four guards do not run. The guards `emptied`,
 * `blackout` and the guard of the source check staged records, which a rollback does not use. The guard
 * `removals` checks removals that nobody asked for.
 */
export async function checkRollback(db: Db, plan: RolledBackPlan): Promise<Checked> {
  const live = await countLive(db, plan)
  // A rollback takes its values from the history, so no value comes from a joined record or from a column.
  const asked = { ...plan, lookups: new Map(), read: [] }
  const hits = [
    await findPreexisting(db, plan),
    await findStatedRemovals(db, asked, live, plan.removals),
    findManyHandovers(plan.changes, live),
    await findMassUpdate(db, asked, live, await lastApplied(db, plan.integrationId)),
  ]
  const todo =
    'Look at a few of these items in the plan: approve it if the platform should have them as it had them after that run.'
  return { hits: hits.filter((hit) => hit !== null).map((hit) => ({ ...hit, todo })), notes: [] }
}

async function countLive(
  db: Db,
  { integrationId, contents }: Pick<GuardedPlan, 'integrationId' | 'contents'>,
): Promise<ReadonlyMap<Content, number>> {
  const rows = await db
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .groupBy('content')
    .select(['content', sql<string>`count(*)`.as('count')])
    .execute()
  return new Map(
    contents.map((content) => [content, Number(rows.find((row) => row.content === content)?.count ?? 0)]),
  )
}

/**
 * Finds the run with which a plan is compared: the last run that was applied as a whole. Either no guard held
 * the last applied run, or a user approved it. A hold is therefore repeated in every run, until someone
 * approves a plan or the source recovers.
 *
 * After a rollback, it is the run with which the platform agrees again. A rollback reads nothing: if plans were
 * compared with it, they would be compared with the newest staged records, which a guard may have held.
 *
 * @param upTo newest run that counts; null if all count
 * @returns null on a first run. Also null if no item is known to be on the platform, for example after a
 *   rebind to another platform event
 */
export async function lastApplied(db: Db, integrationId: string, upTo: string | null = null) {
  let found = await findApplied(db, integrationId, upTo)
  // The run to which a rollback goes back is older than the rollback, so this ends.
  while (found?.rollbackTo != null) found = await findApplied(db, integrationId, found.rollbackTo)
  if (found === undefined) return null
  const { rollbackTo: _, ...run } = found
  return run
}

/** Finds the last run that was applied as a whole. */
function findApplied(db: Db, integrationId: string, upTo: string | null) {
  return (
    db
      .selectFrom('sync.runs as run')
      .where('run.integration_id', '=', integrationId)
      .where('run.applied_at', 'is not', null)
      .$if(upTo !== null, (query) => query.where('run.run_id', '<=', upTo))
      .where((eb) => eb.or([eb('run.held', 'is', null), eb('run.approved_at', 'is not', null)]))
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('sync.platform_items as item')
            .select('item.unique_id')
            .whereRef('item.integration_id', '=', 'run.integration_id'),
        ),
      )
      // Ordering by run id alone would be wrong, because a user may approve a plan after later runs that
      // changed nothing.
      .orderBy('run.applied_at', 'desc')
      .orderBy('run.run_id', 'desc')
      .limit(1)
      .select(['run.run_id as runId', 'run.product_version as productVersion', 'run.custom'])
      .select(['run.rollback_to as rollbackTo', 'run.purged_at as purgedAt'])
      .executeTakeFirst()
  )
}

export interface GuardedResource {
  readonly name: string
  readonly table: keyof StagingTables
  readonly contents: readonly Content[]
}

/**
 * Holds a plan for approval if a resource had records before and has none now. The usual cause is a faulty
 * source that answers 200 with an empty list.
 *
 * @param appliedRunId id of the run that was applied last (see `lastApplied`)
 */
export async function findEmptied(
  db: Db,
  integrationId: string,
  appliedRunId: string,
  resources: readonly GuardedResource[],
): Promise<GuardFinding | null> {
  const emptied: { readonly resource: GuardedResource; readonly former: number }[] = []
  for (const resource of resources) {
    const versions = () =>
      db.selectFrom(`${asAny(resource.table)} as staged`).where('staged.integration_id', '=', integrationId)
    const current = await versions()
      .where('staged.valid_to_run', 'is', null)
      .select('staged.source_id')
      .limit(1)
      .executeTakeFirst()
    if (current !== undefined) continue
    const { count } = await versions()
      .where(currentAsOf('staged', appliedRunId))
      // Records of forgotten people are left out here, because a user has requested their removal.
      .where(({ selectFrom }) =>
        notExists(
          selectFrom('sync.forgotten as gone')
            .whereRef('gone.integration_id', '=', 'staged.integration_id')
            .whereRef('gone.token', '=', 'staged.source_id')
            .select('gone.token'),
        ),
      )
      .select(sql<string>`count(*)`.as('count'))
      .executeTakeFirstOrThrow()
    if (Number(count) > 0) emptied.push({ resource, former: Number(count) })
  }
  if (emptied.length === 0) return null
  const seen = emptied.map(
    ({ resource, former }) => `${resource.name} had ${counted(former, 'record')} and has none now`,
  )
  return {
    guard: 'emptied',
    detail: seen.join(', '),
    todo: 'Check whether the source still has them, and check its address, event id and permissions: a source that refuses quietly, or was asked for another event, looks like that.',
    // An empty lookup resource only removes fields from items that stay; no content is made from its records.
    onlyRemovals: emptied.every(({ resource }) => resource.contents.length > 0),
  }
}
