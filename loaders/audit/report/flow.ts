import type { Content } from '../../../sql/tables.ts'
import type { Figure } from '../../../transforms/reconciliation/figure.ts'

/** How many records of a content came how far, and how many items are on the platform then. */
export type Flow = NonNullable<ReturnType<typeof flowOf>>

const EXCLUDED = 'excluded:'

/**
 * Follows the records of a content through the figures of a run.
 *
 * @returns null where the run was not reconciled, as before version 0.2
 */
export function flowOf(figures: readonly Figure[], content: Content) {
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
    // Staged before and kept, since the read was not proved complete.
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
