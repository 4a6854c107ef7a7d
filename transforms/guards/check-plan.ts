import { type Kysely, sql } from 'kysely'
import type { Content, Tables } from '../../sql/tables.ts'
import type { Plan } from '../plan.ts'
import { blackoutTrip, type MappedContent } from './blackout.ts'
import { emptiedTrip, type GuardedResource } from './emptied.ts'
import { lastApplied } from './last-applied.ts'
import { massUpdateTrip } from './mass-update.ts'
import { type RemovalLimits, removalsTrip } from './removals.ts'
import type { Trip } from './trip.ts'

/** A stored plan, what it was made of, and what the configuration lets pass. */
export interface GuardedPlan {
  readonly integrationId: string
  readonly runId: string
  readonly contents: readonly Content[]
  readonly changes: Plan['changes']
  /** Resources that the contents need. */
  readonly resources: readonly GuardedResource[]
  /** Tables that fields of the contents come from. */
  readonly mapped: readonly MappedContent[]
  readonly removals: RemovalLimits
  /** Whether fields that lost their values are looked for. */
  readonly blackout: boolean
  /** Largest share of a content's live items that may change in one field, 0 to 1. */
  readonly massUpdate: number
  readonly productVersion: string
}

/** What the guards have to say to a plan. */
export interface Checked {
  readonly trips: readonly Trip[]
  /** What was seen and passes, as on a first run. */
  readonly notes: readonly string[]
}

/**
 * Asks every guard that works for both sources about a plan that changes something.
 *
 * Runs in the transaction that stored the plan. Source: design 11.
 */
export async function checkPlan(db: Kysely<Tables>, plan: GuardedPlan): Promise<Checked> {
  const { integrationId } = plan
  const applied = await lastApplied(db, integrationId)
  const live = await countLive(db, plan)
  const trips: (Trip | null)[] = []
  if (applied !== null) {
    trips.push(await emptiedTrip(db, integrationId, applied.runId, plan.resources))
    if (plan.blackout) {
      trips.push(await blackoutTrip(db, integrationId, applied.runId, plan.mapped, plan.removals.minCount))
    }
  }
  const massUpdate = await massUpdateTrip(db, plan, live, plan.massUpdate)
  const notes: string[] = []
  if (massUpdate !== null && applied === null) {
    notes.push(`massUpdate lets this pass, since it is a first run: ${massUpdate.detail}`)
  } else if (massUpdate !== null && applied?.productVersion !== plan.productVersion) {
    notes.push(
      `massUpdate lets this pass, since it is the first run after version ${applied?.productVersion}: ${massUpdate.detail}`,
    )
  } else trips.push(massUpdate)
  trips.push(await removalsTrip(db, plan, live, plan.removals))
  return { trips: trips.filter((trip) => trip !== null), notes }
}

/** Items on the platform before this run, of every content of the plan. */
async function countLive(
  db: Kysely<Tables>,
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
