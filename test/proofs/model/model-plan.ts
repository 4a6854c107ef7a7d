import { isDeepStrictEqual } from 'node:util'
import type { Decision, Fields, Items } from './model-items.ts'
import type { Seen } from './model-run.ts'
import { allAsCompared } from './model-signed.ts'
import { byBytes } from './model-text.ts'
import type { Content, OptionsOfBoth } from './options.ts'

/** The items of the platform, as far as the integration knows them. */
export type Platform = ReadonlyMap<Content, Items>

export interface PlannedItem {
  readonly content: Content
  readonly uniqueId: string
  /**
   * `kept`: no record makes this item any more, but it is not removed. `withheld`: it is not removed in this
   * run.
   */
  readonly action: 'create' | 'update' | 'handover' | 'unchanged' | 'remove' | 'kept' | 'withheld'
  readonly before: Fields
  readonly after: Fields
  /** The reason of a removal. */
  readonly reason: string | null
  /** True for a removal that no record of this run states. */
  readonly isInferred: boolean
}

/** Reasons that a record of this run states, or someone by `suppress`. Source: transforms/RULES.md#r45. */
const ATTESTED = ['cancelled', 'not_published', 'one_to_one_meeting', 'suppressed']

/**
 * Returns why an item without a synced record is removed, and if the removal is inferred; null if the item is
 * kept.
 *
 * An inferred removal requires a complete read of everything that the content needs.
 */
function reasonOfRemoval(
  decision: Decision | undefined,
  source: 'a' | 'b',
  removals: 'remove' | 'keep',
  isComplete: boolean,
): { readonly reason: string; readonly isInferred: boolean } | null {
  // A record that was not read in this run states nothing, but is not gone either.
  if (removals === 'keep' || decision?.seen === false) return null
  const reason = decision?.reason ?? 'removed_at_source'
  const isInferred = !ATTESTED.includes(reason) && !(source === 'b' && reason === 'not_a_speaker')
  return isInferred && !isComplete ? null : { reason, isInferred }
}

/**
 * Returns true if the item now belongs to another person. In this model no two people share a name. Source:
 * transforms/RULES.md#r76.
 */
function isOther(before: Fields, after: Fields): boolean {
  const differs = (field: string) =>
    String(before[field]).toLowerCase() !== String(after[field]).toLowerCase()
  return differs('firstName') && differs('lastName') && differs('emailAddress')
}

/** Plans the differences between the desired items and the platform, for every content of the integration. */
export function planItems(
  { desired, decisions, complete, isUnread }: Pick<Seen, 'desired' | 'decisions' | 'complete' | 'isUnread'>,
  platform: Platform,
  source: 'a' | 'b',
  { removals, custom, handover }: Pick<OptionsOfBoth, 'removals' | 'custom' | 'handover'>,
): readonly PlannedItem[] {
  const planned: PlannedItem[] = []
  for (const [content, items] of desired) {
    const live: Items = platform.get(content) ?? new Map()
    const deciding = new Map(
      decisions
        .filter((each) => each.content === content && each.counts)
        .map((each) => [each.uniqueId, each]),
    )
    for (const uniqueId of [...new Set([...items.keys(), ...live.keys()])].sort(byBytes)) {
      const after = items.get(uniqueId)
      const before = live.get(uniqueId)
      const common = {
        content,
        uniqueId,
        before: before ?? {},
        after: after ?? {},
        isInferred: false,
      }
      if (after !== undefined) {
        const compared = (fields: Fields) => allAsCompared(content, fields, custom)
        if (before === undefined) planned.push({ ...common, action: 'create', reason: null })
        else if (isDeepStrictEqual(compared(before), compared(after)))
          // A new signature alone is not sent: the item stays as it is on the platform.
          planned.push({ ...common, action: 'unchanged', after: before, reason: null })
        else if (handover === 'replace' && content === 'attendees' && isOther(before, after))
          planned.push({ ...common, action: 'handover', reason: null })
        else planned.push({ ...common, action: 'update', reason: null })
        continue
      }
      const decision = deciding.get(uniqueId)
      const isSure = complete.includes(content) && !(decision === undefined && isUnread(content, uniqueId))
      const why = reasonOfRemoval(decision, source, removals, isSure)
      if (why !== null) planned.push({ ...common, action: 'remove', ...why })
      else planned.push({ ...common, action: 'kept', after: before ?? {}, reason: null })
    }
  }
  return planned
}

/** Returns the items of the platform after the plan was applied; contents without a plan stay as they are. */
export function applyPlan(platform: Platform, planned: readonly PlannedItem[]): Platform {
  const after = new Map([...platform].map(([content, items]) => [content, new Map(items)]))
  for (const { content, uniqueId, action, after: fields } of planned) {
    const items = after.get(content) ?? new Map<string, Fields>()
    after.set(content, items)
    if (action === 'remove') items.delete(uniqueId)
    else items.set(uniqueId, fields)
  }
  return after
}

/**
 * Returns the plan without its removals, as it is applied if only these are in doubt. Source:
 * transforms/README.md#what-holds-a-plan.
 */
export function withoutRemovals(planned: readonly PlannedItem[]): readonly PlannedItem[] {
  return planned.map((item) =>
    item.action === 'remove' ? { ...item, action: 'withheld', after: item.before, isInferred: false } : item,
  )
}
