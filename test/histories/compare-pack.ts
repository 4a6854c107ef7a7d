import { compareRows, type Difference } from '../model/compare.ts'
import { changeRows, decisionRows, itemRows } from '../model/model-files.ts'
import type { PlannedItem } from '../model/model-plan.ts'
import { readCsv } from '../model/read-pack.ts'
import { compareReconciliation } from './compare-reconciliation.ts'
import type { Run } from './model-report.ts'

/**
 * Compares the CSV files that a run has left with its plan, whenever that was made: what was staged or planned since
 * is not told. Source: design 9.
 */
export function comparePack(folder: string, run: Run): readonly Difference[] {
  const planned = asSent(run)
  const files = {
    ...Object.fromEntries(
      (['agenda', 'speakers', 'attendees'] as const).map((content) => [
        `${content}.csv`,
        itemRows(content, planned),
      ]),
    ),
    'decisions.csv': decisionRows(run.seen.decisions, planned),
    'changes.csv': changeRows(planned),
  }
  return [
    ...Object.entries(files).flatMap(([file, rows]) => compareRows(file, rows, readCsv(folder, file))),
    ...compareReconciliation(folder, run.figures),
  ]
}

/** The plan without the removals that were left out; what the platform rejected was sent. */
function asSent({ planned, outbox }: Run): readonly PlannedItem[] {
  const left = new Set(
    outbox.changes.flatMap(({ state, content, uniqueId }) =>
      state === 'withheld' ? `${content} ${uniqueId}` : [],
    ),
  )
  return planned.map((item) =>
    left.has(`${item.content} ${item.uniqueId}`) ? { ...item, action: 'withheld', after: item.before } : item,
  )
}
