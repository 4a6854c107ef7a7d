import { isDeepStrictEqual } from 'node:util'
import type { Decision, Fields, Items } from './model-items.ts'
import type { Seen } from './model-run.ts'
import { allAsCompared } from './model-signed.ts'
import { byBytes } from './model-text.ts'
import type { Content, OptionsOfBoth } from './options.ts'

/** The items that are on the platform according to the integration. */
export type Platform = ReadonlyMap<Content, Items>

export interface PlannedItem {
  readonly content: Content
  readonly uniqueId: string
  /**
   * The action for the item. `kept`: no record makes the item any more, but it is not removed. `withheld`:
   * the item is not removed in this run.
   */
  readonly action: 'create' | 'update' | 'handover' | 'unchanged' | 'remove' | 'kept' | 'withheld'
  readonly before: Fields
  readonly after: Fields
  /** The reason why the item is removed; null for other actions. */
  readonly reason: string | null
  /** True if the removal is inferred: no record of this run asks for it. */
  readonly isInferred: boolean
}

/**
 * Reasons of removals for which a record of this run asks, or a person with the command `suppress`. Source:
 * transforms/RULES.md#r45.
 */
const ATTESTED = ['cancelled', 'not_published', 'one_to_one_meeting', 'suppressed']

/**
 * Returns the reason why an item without a synced record is removed, and if this reason is inferred. Returns
 * null if the item is not removed.
 *
 * A removal may be inferred only if all resources that the content needs were read completely.
 */
function reasonOfRemoval(
  decision: Decision | undefined,
  source: 'a' | 'b',
  removals: 'remove' | 'keep',
  isComplete: boolean,
): { readonly reason: string; readonly isInferred: boolean } | null {
  // A record that this run did not see cannot ask for a removal, but it does not count as removed either.
  if (removals === 'keep' || decision?.seen === false) return null
  const reason = decision?.reason ?? 'removed_at_source'
  const isInferred = !ATTESTED.includes(reason) && !(source === 'b' && reason === 'not_a_speaker')
  return isInferred && !isComplete ? null : { reason, isInferred }
}

/**
 * Returns true if the item now belongs to another person. In the data of this model, no two names are similar.
 * If only one of the names is new, or the local part of the address stays, the new person is in doubt. Source:
 * transforms/RULES.md#r76.
 */
function isOther(before: Fields, after: Fields): boolean {
  const differs = (field: string) =>
    String(before[field]).toLowerCase() !== String(after[field]).toLowerCase()
  const localPart = (fields: Fields) => String(fields.emailAddress).toLowerCase().split('@')[0]
  return differs('firstName') && differs('lastName') && localPart(before) !== localPart(after)
}

/**
 * Plans the changes that lead from the items on the platform to the desired items, for every content of the
 * integration.
 */
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
          // If only the signature in a URL is new, nothing is sent, and the item on the platform remains
          // unchanged.
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

/**
 * Returns the items on the platform after the plan was applied. Contents that the plan does not include
 * remain unchanged.
 */
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
 * Returns the plan without its removals. The rest of the plan is applied if the guards object only to
 * removals. Source: transforms/README.md#what-holds-a-plan.
 */
export function withoutRemovals(planned: readonly PlannedItem[]): readonly PlannedItem[] {
  return planned.map((item) =>
    item.action === 'remove' ? { ...item, action: 'withheld', after: item.before, isInferred: false } : item,
  )
}
