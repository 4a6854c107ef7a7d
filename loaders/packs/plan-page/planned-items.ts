import type { Action, Content, Db, RunKey } from '../../../sql/tables.ts'
import type { Mask } from '../csv-files/csv.ts'
import { type ChangedItem, changedItems } from '../csv-files/rows.ts'
import { countPlanned, type PlannedCount } from '../plan-changes.ts'

/** Actions in the order of the page: actions that take something away come first. */
export const ACTIONS_BY_WEIGHT: readonly Action[] = ['remove', 'handover', 'update', 'create']

/** Reads the items that a plan changes, page by page, sorted by action, content and unique ID. */
export async function* plannedItems(db: Db, run: RunKey, contents: readonly Content[], mask: Mask) {
  for (const action of ACTIONS_BY_WEIGHT)
    for (const content of contents)
      for await (const items of changedItems(db, run, content, mask, action))
        if (items.length > 0) yield { action, content, items }
}

/** The first items of a plan with the same action and content. */
export interface PlannedList {
  readonly action: Action
  readonly content: Content
  readonly total: number
  readonly items: readonly ChangedItem[]
}

export interface PlanToShow {
  readonly counts: readonly PlannedCount[]
  readonly lists: readonly PlannedList[]
}

/**
 * Maximum number of removals shown per content. Each removal needs a decision, so this limit is the higher
 * one.
 */
const MOST_REMOVALS = 400
const MOST_OTHERS = 100

/** Reads the data of a plan's page: all counts, and the first items of each action and content. */
export async function readPlan(
  db: Db,
  run: RunKey,
  contents: readonly Content[],
  mask: Mask,
  share = 1,
): Promise<PlanToShow> {
  const counts = await countPlanned(db, run)
  const lists: PlannedList[] = []
  for (const action of ACTIONS_BY_WEIGHT) {
    for (const content of contents) {
      const of = counts.filter((row) => row.action === action && row.content === content)
      const total = of.reduce((sum, { count }) => sum + count, 0)
      const most = Math.ceil((action === 'remove' ? MOST_REMOVALS : MOST_OTHERS) * share)
      const items: ChangedItem[] = []
      for await (const page of changedItems(db, run, content, mask, action)) {
        items.push(...page.slice(0, most - items.length))
        if (items.length === most) break
      }
      if (total > 0) lists.push({ action, content, total, items })
    }
  }
  return { counts, lists }
}
