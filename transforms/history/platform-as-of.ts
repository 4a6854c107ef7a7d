import { sql } from 'kysely'
import type { Selection } from '../../sql/insert-from.ts'
import type { Content, Db, Fields, RunKey } from '../../sql/tables.ts'

/** A run whose plan was applied. */
export interface LandedRun extends RunKey {
  /** Revision of the known items from which the run planned, as in `sync.runs.base`. */
  readonly base: string
}

/**
 * Selects the items that the platform had after a run had landed, from the changes of all runs that wrote to
 * the platform event of the integration:
 *
 * - the fields that the newest change up to this run left, if there is such a change;
 * - otherwise the fields that the oldest later change found;
 * - otherwise the fields that are known now.
 *
 * The function orders the runs by the revision from which they planned. The revision grows with each change
 * that lands. Therefore at most one other run with landed changes has the same revision as the given run, and
 * this other run landed later. The order of run ids is not used, because a plan may be applied long after it
 * was made. The order of times is not used, because a clock may have been set back.
 */
export function platformAsOf(
  db: Db,
  run: LandedRun,
  contents: readonly Content[],
): Selection<{ readonly content: Content; readonly unique_id: string; readonly fields: Fields }> {
  const { integrationId, runId, base } = run
  const isUpToRun = sql<boolean>`(ran.base < ${base}::bigint or ran.run_id = ${runId}::uuid)`
  const nearest = db
    .selectFrom('sync.changes as change')
    .innerJoin('sync.runs as ran', (join) =>
      join
        .onRef('ran.integration_id', '=', 'change.integration_id')
        .onRef('ran.run_id', '=', 'change.run_id'),
    )
    .innerJoin('sync.integrations as bound', 'bound.integration_id', 'ran.integration_id')
    .where('ran.integration_id', '=', integrationId)
    .whereRef('ran.base', '>=', 'bound.platform_base')
    .where('change.content', 'in', [...contents])
    // In a handover, the platform may have removed the former person and then rejected the new person.
    .where((eb) => eb.or([eb('change.state', '=', 'applied'), eb('change.freed', '=', true)]))
    .distinctOn(['change.content', 'change.unique_id'])
    .orderBy('change.content')
    .orderBy('change.unique_id')
    .orderBy(isUpToRun, 'desc')
    .orderBy(sql`case when ${isUpToRun} then -ran.base else ran.base end`)
    // The fields are joined only below, so that the sort need not move them.
    .select(['change.run_id', 'change.seq', isUpToRun.as('is_up_to_run')])
  const told = db
    .selectFrom(nearest.as('nearest'))
    .innerJoin('sync.changes as change', (join) =>
      join
        .on('change.integration_id', '=', integrationId)
        .onRef('change.run_id', '=', 'nearest.run_id')
        .onRef('change.seq', '=', 'nearest.seq'),
    )
    .select(['change.content', 'change.unique_id'])
    .select(
      sql<Fields | null>`case
        when not nearest.is_up_to_run then change.before
        when change.state = 'applied' then change.after
      end`.as('fields'),
    )
  const known = db
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .where('content', 'in', [...contents])
    .select(['content', 'unique_id', 'fields'])
  const fields = sql<Fields>`case when told.content is null then known.fields else told.fields end`
  return db
    .selectFrom(told.as('told'))
    .fullJoin(known.as('known'), (join) =>
      join.onRef('known.content', '=', 'told.content').onRef('known.unique_id', '=', 'told.unique_id'),
    )
    .where(sql<boolean>`${fields} is not null`)
    .select([
      sql<Content>`coalesce(told.content, known.content)`.as('content'),
      sql<string>`coalesce(told.unique_id, known.unique_id)`.as('unique_id'),
      fields.as('fields'),
    ])
}
