import type { Kysely } from 'kysely'
import { findRun } from '../../../loaders/ledger/ledger.ts'
import { findSourceTime } from '../../../loaders/staging/marks.ts'
import type { Tables } from '../../../sql/tables.ts'
import type { RunContext } from '../../context/run-context.ts'
import type { SourceResource } from '../../sources/contract/source.ts'
import { shapeOf } from '../resource/read-resource.ts'

/**
 * A time of change that is further in the future than this, by the source's clock, comes from a wrong clock.
 */
const MOST_AHEAD_MS = 60 * 60 * 1000

/**
 * The limit for a source that does not state its time. The limit is larger than the limit above, because the
 * clock of this machine may differ from the source's clock.
 */
const MOST_AHEAD_OF_US_MS = 24 * MOST_AHEAD_MS

export async function markOf(
  run: RunContext,
  transaction: Kysely<Tables>,
  resource: SourceResource,
  since: string | null,
) {
  const { integrationId, runId } = run
  const sourceTime = await findSourceTime(transaction, { integrationId, runId, resource: resource.name })
  const record = await findRun(transaction, run)
  const latestMs =
    sourceTime === null
      ? (record?.started_at.getTime() ?? run.environment.now()) + MOST_AHEAD_OF_US_MS
      : sourceTime.getTime() + MOST_AHEAD_MS
  const latest = clockText(latestMs)
  return { since, latest, shape: shapeOf(run, resource), askedKeys: stagedKeys(resource) }
}

/** Formats a time in the format of the source, for example `2031-05-04 09:00:00`. */
export function clockText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}

/** Returns the keys of a record whose values are stored in staging. */
export function stagedKeys({ keys, changes }: SourceResource): readonly string[] {
  return changes === undefined || changes.isStaged ? keys : keys.filter((key) => key !== changes.key)
}
