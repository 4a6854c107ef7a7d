import { type Judgement, judgePlan, type Removed } from '../model/model-guards.ts'
import type { Decision, Fields, Items } from '../model/model-items.ts'
import { type PlannedItem, planItems } from '../model/model-plan.ts'
import { NEEDED, type Seen } from '../model/model-run.ts'
import { byBytes } from '../model/model-text.ts'
import type { Content } from '../model/options.ts'
import type { Settings } from './settings.ts'

/** What a rollback goes back to, and what it must leave out. */
export interface WayBack {
  readonly type: 'a' | 'b'
  /** The contents that the rollback brings back. */
  readonly contents: readonly Content[]
  /** The items of the platform after the earlier run. */
  readonly former: ReadonlyMap<Content, Items>
  readonly live: ReadonlyMap<Content, Items>
  readonly keptOut: KeptOut
  readonly settings: Settings
  readonly recentlyStated: Removed
  readonly approved: Removed
  readonly preexisting: Removed
}

/** Returns the reason why an item is kept out by hand; null if it is not. */
export type KeptOut = (content: Content, uniqueId: string) => string | null

export interface PlannedWayBack extends Judgement {
  readonly planned: readonly PlannedItem[]
  readonly desired: ReadonlyMap<Content, Items>
  readonly decisions: readonly Decision[]
}

/** Source: pipeline/commands/README.md#bring-the-platform-back. */
export function planWayBack(given: WayBack): PlannedWayBack {
  const { type, contents, live, settings } = given
  const desired = wantedOf(given)
  const decisions = contents.flatMap((content) => decide(content, given, desired)).sort(inFileOrder)
  // Removals need no reading, and `removals.action: keep` does not apply.
  const planned = planItems({ desired, decisions, complete: contents, isUnread: () => false }, live, type, {
    ...settings,
    removals: 'remove',
  }).map((item) => ({ ...item, isInferred: false }))
  // Only three guards examine a rollback: transforms/README.md#what-holds-a-plan. The others compare readings,
  // of which a rollback has none.
  const judgement = judgePlan({
    type,
    options: { ...settings, content: contents },
    sourceOptions: {},
    planned,
    platform: live,
    filled: {},
    resources: {},
    applied: { filled: {}, resources: {}, decisions: [] },
    recent: new Map(),
    recentlyStated: given.recentlyStated,
    approved: given.approved,
    preexisting: given.preexisting,
    lacksSpeakerType: false,
  })
  return { planned, desired, decisions, ...judgement }
}

/** Returns a rollback in the form of what a run has seen: it reads nothing, so it stages nothing. */
export function seenOf(
  { desired, decisions }: PlannedWayBack,
  before: Pick<Seen, 'resources' | 'memories' | 'filled'>,
  zoneOfItem: Seen['zoneOfItem'],
): Seen {
  const excluded: Record<string, number> = {}
  for (const { reason } of decisions) if (reason !== null) excluded[reason] = (excluded[reason] ?? 0) + 1
  return {
    ...before,
    zoneOfItem,
    desired: new Map(desired),
    decisions: [...decisions],
    complete: [...desired.keys()],
    isUnread: () => false,
    lacksSpeakerType: false,
    excluded,
    quarantined: 0,
    certified: true,
    read: {},
  }
}

/** Fields that name other items, with the content of these items. */
const REFERENCES: Readonly<Record<string, Content>> = {
  speakerIds: 'speakers',
  sessionIds: 'agenda',
  personalAgenda: 'agenda',
  attendeeId: 'attendees',
}

/** Returns the items to which the rollback leads: those of then, without what is kept out. */
export function wantedOf({
  contents,
  former,
  keptOut,
}: Pick<WayBack, 'contents' | 'former' | 'keptOut'>): ReadonlyMap<Content, Items> {
  const items = new Map(
    contents.map((content) => {
      const left = [...(former.get(content) ?? [])].filter(([id]) => keptOut(content, id) === null)
      return [content, new Map(left)] as const
    }),
  )
  // A reference to an item that is not synced is left out: transforms/RULES.md#r33, #r68.
  const isThere = (content: Content, id: string) => items.get(content)?.has(id) ?? true
  return new Map(
    [...items].map(([content, ofContent]) => [
      content,
      new Map([...ofContent].map(([id, fields]) => [id, withReferences(fields, isThere).fields])),
    ]),
  )
}

/** Leaves out references to items that are not there. `detail` counts them: transforms/RULES.md#r65. */
function withReferences(fields: Fields, isThere: (content: Content, id: string) => boolean) {
  const left: Record<string, Fields[string]> = {}
  const detail: string[] = []
  for (const [field, value] of Object.entries(fields)) {
    const to = REFERENCES[field]
    if (to === undefined) {
      left[field] = value
      continue
    }
    const ids = [value].flat().map(String)
    const there = ids.filter((id) => isThere(to, id))
    if (there.length < ids.length) detail.push(`not_synced:${field}=${ids.length - there.length}`)
    if (there.length > 0) left[field] = Array.isArray(value) ? there : value
  }
  return { fields: left, detail: detail.sort(byBytes).join('; ') }
}

/** Decides on each item of then and of now. Source: transforms/RULES.md#r64. */
function decide(
  content: Content,
  { type, former, live, keptOut }: WayBack,
  desired: ReadonlyMap<Content, Items>,
): readonly Decision[] {
  const reasonOf = (of: Content, id: string) =>
    former.get(of)?.has(id) === true ? (keptOut(of, id) ?? 'rolled_back') : 'rolled_back'
  const ids = [former, live].flatMap((items) => [...(items.get(content)?.keys() ?? [])])
  return [...new Set(ids)].map((uniqueId): Decision => {
    const isWanted = desired.get(content)?.has(uniqueId) === true
    const isThere = (to: Content, id: string) => desired.get(to)?.has(id) ?? true
    const { detail } = withReferences(former.get(content)?.get(uniqueId) ?? {}, isThere)
    return {
      content,
      resource: NEEDED[type][content][0]?.toLowerCase() ?? '',
      sourceId: uniqueId,
      uniqueId,
      decision: isWanted ? 'synced' : 'excluded',
      reason: isWanted ? null : reasonOf(content, uniqueId),
      detail: isWanted ? detail : '',
      counts: true,
      seen: true,
    }
  })
}

function inFileOrder(one: Decision, other: Decision): number {
  return byBytes(one.content, other.content) || byBytes(one.uniqueId ?? '', other.uniqueId ?? '')
}
