import { type RawBuilder, sql } from 'kysely'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../declare/resource.ts'
import { currentAsOf } from '../history/as-of.ts'

/** A plan, and the run that was applied last, with which the plan is compared. */
export interface PlanOverApplied extends RunKey {
  readonly appliedRunId: string
}

interface ReasonOf {
  readonly content: Content
  readonly reason: string
}

type IsFilled = (alias: string) => RawBuilder<boolean>

/** Returns the reasons why the last applied run left out records whose items the plan now creates. */
export function reasonsOfShown(db: Db, plan: PlanOverApplied): Promise<readonly ReasonOf[]> {
  return shownRecords(db, plan)
    .clearSelect()
    .select(['change.content', 'decision.reason'])
    .distinct()
    .execute()
}

/**
 * Counts the records whose items the plan creates although the last applied run left the records out for one
 * of the reasons. A record is counted only if it has lost a value of its own.
 */
export async function countShown(
  db: Db,
  plan: PlanOverApplied,
  table: string,
  reasons: readonly ReasonOf[],
  isFilled: IsFilled,
): Promise<number> {
  const staged = asAny(table as keyof StagingTables)
  const { count } = await shownFor(db, plan, reasons)
    .innerJoin(`${staged} as former`, 'former.source_id', 'shown.source_id')
    .innerJoin(`${staged} as current`, 'current.source_id', 'shown.source_id')
    .where(ofIntegration(plan, 'former', 'current'))
    .where(currentAsOf('former', plan.appliedRunId))
    .where('current.valid_to_run', 'is', null)
    .where(sql<boolean>`${isFilled('former')} and not ${isFilled('current')}`)
    .select(COUNT)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Counts the records whose items the plan creates although the last applied run left the records out for one
 * of the reasons. A record is counted only if its joined record is gone or has lost the value. A record is
 * counted only if it still refers to a joined record.
 */
export async function countShownByJoin(
  db: Db,
  plan: PlanOverApplied,
  table: string,
  { records, by }: { readonly records: string; readonly by: string },
  reasons: readonly ReasonOf[],
  isFilled: IsFilled,
): Promise<number> {
  const [staged, joined] = [asAny(records as keyof StagingTables), asAny(table as keyof StagingTables)]
  const { count } = await shownFor(db, plan, reasons)
    .innerJoin(`${staged} as before`, 'before.source_id', 'shown.source_id')
    .innerJoin(`${staged} as record`, 'record.source_id', 'shown.source_id')
    .innerJoin(`${joined} as former`, (on) =>
      on.on(sql<boolean>`former.source_id = ${sql.ref(`before.${by}`)}`),
    )
    .leftJoin(`${joined} as current`, (on) =>
      on
        .on(sql<boolean>`current.source_id = ${sql.ref(`record.${by}`)}`)
        .on('current.integration_id', '=', plan.integrationId)
        .on('current.valid_to_run', 'is', null),
    )
    .where(ofIntegration(plan, 'before', 'record', 'former'))
    .where(currentAsOf('before', plan.appliedRunId))
    .where('record.valid_to_run', 'is', null)
    .where(currentAsOf('former', plan.appliedRunId))
    // A record that no longer refers to a joined record is left out: the record itself has changed, so
    // nothing was lost.
    .where(
      sql<boolean>`${sql.ref(`record.${by}`)} is not null and ${isFilled('former')} and (${isFilled('current')}) is not true`,
    )
    .select(COUNT)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Selects the items that a plan creates, with the decisions that the last applied run made about their
 * records. The decisions of the last applied run are no longer current, because the records are synced now.
 */
function shownRecords(db: Db, { integrationId, runId, appliedRunId }: PlanOverApplied) {
  return db
    .selectFrom('sync.changes as change')
    .innerJoin('sync.decisions as decision', (on) =>
      on
        .onRef('decision.integration_id', '=', 'change.integration_id')
        .onRef('decision.content', '=', 'change.content')
        .onRef('decision.unique_id', '=', 'change.unique_id'),
    )
    .where('change.integration_id', '=', integrationId)
    .where('change.run_id', '=', runId)
    .where('change.action', '=', 'create')
    .where('decision.integration_id', '=', integrationId)
    .where('decision.valid_from_run', '<=', appliedRunId)
    .where('decision.valid_to_run', '>', appliedRunId)
    .where('decision.reason', '<>', '')
    .select('decision.source_id')
}

function shownFor(db: Db, plan: PlanOverApplied, reasons: readonly ReasonOf[]) {
  const shown = shownRecords(db, plan)
    .where(({ or, and }) =>
      or(
        reasons.map(({ content, reason }) => and({ 'decision.content': content, 'decision.reason': reason })),
      ),
    )
    .distinct()
  return db.selectFrom(shown.as('shown'))
}

function ofIntegration({ integrationId }: RunKey, ...aliases: readonly string[]): RawBuilder<boolean> {
  return sql`(${sql.join(
    aliases.map((alias) => sql`${sql.ref(`${alias}.integration_id`)} = ${integrationId}`),
    sql` and `,
  )})`
}

const COUNT = sql<string>`count(distinct shown.source_id)`.as('count')
