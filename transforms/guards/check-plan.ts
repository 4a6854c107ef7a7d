import { sql } from 'kysely'
import type { Content, Db } from '../../sql/tables.ts'
import type { StagingTables } from '../resources/staging-tables.ts'
import { findBlackout, type MappedContent, type StagedCustomField } from './blackout.ts'
import { findEmptied, type GuardedResource } from './emptied.ts'
import type { GuardFinding } from './guard-finding.ts'
import { lastApplied } from './last-applied.ts'
import { findMassUpdate, type UpdatingPlan } from './mass-update.ts'
import { findRemovals, type RemovalLimits } from './removals.ts'

/** A stored plan, what it was made of, and what the configuration lets pass. */
export interface GuardedPlan extends UpdatingPlan {
  readonly contents: readonly Content[]
  readonly resources: readonly GuardedResource[]
  readonly readByChanges: ReadonlySet<keyof StagingTables>
  readonly mapped: readonly MappedContent[]
  readonly custom: readonly StagedCustomField[]
  readonly removals: RemovalLimits
  /** Whether fields that lost their values are looked for. */
  readonly blackout: boolean
  readonly productVersion: string
}

export interface Checked {
  readonly trips: readonly GuardFinding[]
  readonly notes: readonly string[]
}

/** Asks every guard that works for both sources about a plan that changes something, in the transaction that stored it. */
export async function checkPlan(db: Db, plan: GuardedPlan): Promise<Checked> {
  const { integrationId } = plan
  const applied = await lastApplied(db, integrationId)
  const live = await countLive(db, plan)
  const trips: (GuardFinding | null)[] = []
  if (applied !== null) {
    // What was not looked through cannot be seen to be empty.
    const whole = plan.resources.filter(({ table }) => !plan.readByChanges.has(table))
    trips.push(await findEmptied(db, integrationId, applied.runId, whole))
    if (plan.blackout) {
      // Of a field that was read elsewhere, or otherwise, nothing can be said.
      const lasting = plan.custom.filter(({ content, field: { name, from, as } }) => {
        const then = applied.custom[content]?.[name]
        return then?.from === from && then.as === as
      })
      trips.push(await findBlackout(db, applied.runId, { ...plan, custom: lasting }))
    }
  }
  const massUpdate = await findMassUpdate(db, plan, live, applied?.runId ?? null)
  const notes: string[] = []
  if (massUpdate !== null && applied === null) {
    notes.push(`massUpdate lets this pass, since it is a first run: ${massUpdate.detail}`)
  } else if (massUpdate !== null && applied?.productVersion !== plan.productVersion) {
    notes.push(
      `massUpdate lets this pass, since it is the first run after version ${applied?.productVersion}: ${massUpdate.detail}`,
    )
  } else trips.push(massUpdate)
  trips.push(await findRemovals(db, plan, live, plan.removals))
  return { trips: trips.filter((trip) => trip !== null), notes }
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
