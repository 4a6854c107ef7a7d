import type { Content } from '../../../sql/tables.ts'
import type { Figure } from '../../../transforms/reconciliation/figure.ts'

/** How many records of a content came how far, and how many items stand on the platform then. */
export interface Flow {
  readonly content: Content
  readonly resource: string
  readonly read: number
  /** Read, but not staged. */
  readonly repeated: number
  readonly quarantined: number
  /** Staged before and kept, since the read was not proved complete. */
  readonly unseen: number
  readonly staged: number
  /** Staged records that are no item, by reason. */
  readonly excluded: readonly (readonly [reason: string, count: number])[]
  readonly excludedTotal: number
  readonly synced: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly failed: number
  readonly removed: number
  readonly removalsFailed: number
  readonly removalsWithheld: number
  readonly kept: number
  /** Items on the platform, as this database knows. */
  readonly live: number
}

/** Begins the measure of records that are excluded; their reason follows. */
const EXCLUDED = 'excluded:'

/**
 * Follows the records of a content through the figures of a run.
 *
 * @returns null where the run was not reconciled, as before version 0.2
 */
export function flowOf(figures: readonly Figure[], content: Content): Flow | null {
  const own = figures.filter((figure) => figure.content === content)
  const resource = own[0]?.resource
  if (resource === undefined) return null
  const records = figures.filter((figure) => figure.content === '' && figure.resource === resource)
  const of = (measure: string) => numberOf(own, measure)
  // A repeated record was left behind before there was anything to decide.
  const excluded = own.flatMap(({ measure, count }) =>
    measure.startsWith(EXCLUDED) && measure !== `${EXCLUDED}duplicate_id`
      ? [[measure.slice(EXCLUDED.length), Number(count)] as const]
      : [],
  )
  const unseen = numberOf(records, 'unseen')
  return {
    content,
    resource,
    read: numberOf(records, 'read'),
    repeated: numberOf(records, 'repeated'),
    quarantined: numberOf(records, 'quarantined'),
    unseen,
    staged: numberOf(records, 'staged') + unseen,
    excluded: excluded.toSorted(([, one], [, other]) => other - one),
    excludedTotal: excluded.reduce((sum, [, count]) => sum + count, 0),
    synced: of('synced'),
    created: of('created'),
    updated: of('updated'),
    unchanged: of('unchanged'),
    failed: of('failed'),
    removed: of('removed'),
    removalsFailed: of('removals_failed'),
    removalsWithheld: of('removals_withheld'),
    kept: of('kept'),
    live: of('live'),
  }
}

function numberOf(figures: readonly Figure[], measure: string): number {
  return Number(figures.find((figure) => figure.measure === measure)?.count ?? 0n)
}
