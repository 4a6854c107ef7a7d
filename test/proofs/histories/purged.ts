import type { Database } from '../../../sql/database.ts'
import type { Difference } from '../../harness/compare.ts'
import type { HistoryModel } from './model-history.ts'
import type { Run } from './model-report.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Returns the runs whose history the database no longer has, and which of the rules for a purge were broken.
 * Source: pipeline/people/README.md#retention.
 */
export async function findPurged(
  { kysely }: Database,
  model: HistoryModel,
  nowMs: number,
  keepRuns: number,
): Promise<{ readonly purged: readonly Run[]; readonly found: readonly Difference[] }> {
  const all = await kysely
    .selectFrom('sync.runs')
    .where('integration_id', '=', model.ids.stored)
    .orderBy('run_id')
    .select(['run_id as id', 'started_at as startedAt', 'purged_at as purgedAt'])
    .execute()
  const isKept = [model.reference(), model.onItsWay()].map((run) => run?.id)
  const broken = all.flatMap(({ id, startedAt, purgedAt }, index) => {
    if (purgedAt === null) return []
    return [
      ...(nowMs - startedAt.getTime() < DAY_MS ? ['is younger than a day'] : []),
      ...(index >= all.length - keepRuns ? ['is one of the last'] : []),
      ...(isKept.includes(id) ? ['is compared by guards, or unfinished'] : []),
      ...(all.slice(0, index).some((earlier) => earlier.purgedAt === null)
        ? ['is after one that is kept']
        : []),
    ].map((why) => ({ path: `purged run ${id}`, expected: 'a run that may be purged', actual: why }))
  })
  const gone = new Set(all.flatMap(({ id, purgedAt }) => (purgedAt === null ? [] : id)))
  return { purged: model.runs.filter(({ id }) => id !== null && gone.has(id)), found: broken }
}
