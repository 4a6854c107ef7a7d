import type { Phase } from '../../sql/tables.ts'
import type { Batch, BatchLimits, Outbox, PlanHeader } from './target.ts'

const PHASES: readonly Phase[] = ['upserts', 'removals']

/**
 * Takes the outbox to a platform in batches: upserts, then removals, unless an upsert was rejected.
 *
 * @param deliver resolves when the outbox has what became of the batch
 */
export async function inBatches(
  outbox: Outbox,
  header: PlanHeader,
  most: BatchLimits,
  deliver: (batch: Batch) => Promise<void>,
): Promise<void> {
  for (const phase of PHASES) {
    if (phase === 'removals' && (await outbox.withholdRemovalsAfterFailures())) return
    for (;;) {
      const batch = await outbox.nextBatch(header, phase, most)
      if (batch === null) break
      await deliver(batch)
    }
  }
}
