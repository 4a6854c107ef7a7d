import type { Content, Db, RunCounts, RunKey } from '../../../sql/tables.ts'
import type { GrowthPoint } from './figures.ts'

const MOST_RUNS = 30

/**
 * Items of each content after the last runs, this one included, the oldest first.
 *
 * None that ended later: a plan that was held may be applied after a later run, and must not slip into the report of
 * that one when it is written again. And none that began later, since a clock that was set back ends it before this one.
 *
 * @param finishedAt when this run ended, ISO-8601; null where it did not yet
 */
export async function readGrowth(db: Db, { integrationId, runId }: RunKey, finishedAt: string | null) {
  if (finishedAt === null) return []
  const rows = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', '<=', runId)
    .where('applied_at', 'is not', null)
    .where('finished_at', '<=', finishedAt as unknown as Date)
    .orderBy('finished_at', 'desc')
    .orderBy('run_id', 'desc')
    .limit(MOST_RUNS)
    .select(['run_id', 'finished_at', 'counts'])
    .execute()
  return rows
    .map(({ run_id, finished_at, counts }) => ({
      runId: run_id,
      finishedAt: finished_at?.toISOString() ?? '',
      items: itemsOf(counts),
    }))
    .toReversed()
    .sort((one, other) => Number(one.runId === runId) - Number(other.runId === runId))
}

function itemsOf(counts: RunCounts | null): GrowthPoint['items'] {
  const changes = Object.entries(counts?.changes ?? {}) as [Content, RunCounts['changes'][Content]][]
  return Object.fromEntries(
    changes.flatMap(([content, of]) =>
      of === undefined ? [] : [[content, of.create + of.update + of.unchanged]],
    ),
  )
}
