import type { RuleOptions } from './custom-options.ts'
import { excludedBy } from './model-custom.ts'
import type { Draft, Value } from './model-draft.ts'
import type { Row } from './model-resource.ts'
import { byBytes } from './model-text.ts'
import type { Content } from './options.ts'
import type { Suppressed } from './suppressions.ts'

/** The drafts (items before references are checked) that the records of one resource make for one content. */
export interface Judged {
  readonly content: Content
  readonly resource: string
  /**
   * The draft of each valid record, by source id. If several records have one id, only the last record has a
   * draft.
   */
  readonly drafts: ReadonlyMap<string, Draft>
  readonly rows: readonly Row[]
}

export type Fields = Readonly<Record<string, Value>>

export type Items = ReadonlyMap<string, Fields>

/** One row of `decisions.csv`, without the column for the action. */
export interface Decision {
  readonly content: Content
  readonly resource: string
  readonly sourceId: string | null
  readonly uniqueId: string | null
  readonly decision: 'synced' | 'excluded' | 'quarantined'
  readonly reason: string | null
  readonly detail: string
  /** True if this record is used; false if it is invalid, or if another record with the same id is used. */
  readonly counts: boolean
  readonly seen: boolean
}

interface LeftOut {
  readonly exclude?: readonly RuleOptions[]
  readonly suppressed?: readonly Suppressed[]
}

/** Returns the items that the platform should have, by content, and the decision on each record. */
export function resolve(
  before: readonly Judged[],
  { exclude = [], suppressed = [] }: LeftOut = {},
): {
  readonly desired: ReadonlyMap<Content, Items>
  readonly decisions: readonly Decision[]
} {
  const judged = leaveOut(before, { exclude, suppressed })
  const synced = syncedOf(judged)
  const desired = new Map<Content, Items>()
  const decisions: Decision[] = []
  for (const { content, resource, drafts, rows } of judged) {
    const items = new Map<string, Fields>()
    const details = new Map<string, string>()
    for (const [sourceId, draft] of drafts) {
      const { fields, marks } = withReferences(draft, synced)
      details.set(sourceId, [...marks].sort(byBytes).join('; '))
      if (draft.reason === null && draft.uniqueId !== null) items.set(draft.uniqueId, fields)
    }
    desired.set(content, items)
    decisions.push(...decide(content, resource, rows, drafts, details))
  }
  return { desired, decisions: decisions.sort(inFileOrder) }
}

function syncedOf(judged: readonly Judged[]): ReadonlyMap<Content, ReadonlySet<string>> {
  return new Map(
    judged.map(({ content, drafts }) => [
      content,
      new Set(
        [...drafts.values()].flatMap(({ reason, uniqueId }) =>
          reason === null && uniqueId !== null ? uniqueId : [],
        ),
      ),
    ]),
  )
}

/**
 * Excludes suppressed items and items that match a configured rule. Each rule is applied to the items as they
 * were before any rule excluded one.
 */
function leaveOut(judged: readonly Judged[], { exclude, suppressed }: Required<LeftOut>): readonly Judged[] {
  const named = new Set(
    suppressed
      .filter(({ by }) => by !== 'another source event')
      .map(({ content, uniqueId }) => `${content} ${uniqueId}`),
  )
  const synced = syncedOf(judged)
  return judged.map((one) => ({
    ...one,
    drafts: new Map(
      [...one.drafts].map(([id, draft]) => {
        if (draft.reason !== null || draft.uniqueId === null) return [id, draft]
        if (named.has(`${one.content} ${draft.uniqueId}`)) return [id, { ...draft, reason: 'suppressed' }]
        const { fields } = withReferences(draft, synced)
        const rule = excludedBy(one.content, draft.uniqueId, fields, exclude)
        return [id, rule === null ? draft : { ...draft, reason: `excluded_by_rule:${rule}` }]
      }),
    ),
  }))
}

/**
 * Resolves references to items. If the integration syncs the referenced content, only ids of synced items
 * remain; otherwise all ids remain.
 */
function withReferences(draft: Draft, synced: ReadonlyMap<Content, ReadonlySet<string>>) {
  const fields: Record<string, Value> = { ...draft.fields }
  const marks = new Set(draft.marks)
  for (const { field, to, ids } of draft.references) {
    const named = ids.filter((id) => synced.get(to)?.has(id) ?? true)
    // Interpretation of the rules: an item that is not synced gets no warning about references that were left
    // out.
    if (named.length < ids.length && draft.reason === null)
      marks.add(`not_synced:${field}=${ids.length - named.length}`)
    const [first] = named
    if (first !== undefined) fields[field] = field === 'attendeeId' ? first : named
  }
  return { fields, marks }
}

function decide(
  content: Content,
  resource: string,
  rows: readonly Row[],
  drafts: Judged['drafts'],
  details: ReadonlyMap<string, string>,
): readonly Decision[] {
  return rows.map(({ id, isOwnId, status }): Decision => {
    const draft = id === null ? undefined : drafts.get(id)
    const place = {
      content,
      resource,
      sourceId: id,
      uniqueId: draft?.uniqueId ?? null,
      seen: status !== 'unseen',
    }
    // Interpretation of the rules: invalid and repeated records get no warnings.
    if (status === 'invalid')
      return { ...place, decision: 'quarantined', reason: 'invalid_record', detail: '', counts: false }
    if (status === 'repeated') {
      // The unique ID is stated only if the record itself has an id field. A repeated record has the id of
      // another record. The other record may be identified by its e-mail address.
      const uniqueId = isOwnId || content === 'attendees' ? id : null
      return { ...place, uniqueId, decision: 'excluded', reason: 'duplicate_id', detail: '', counts: false }
    }
    const reason = draft?.reason ?? null
    return {
      ...place,
      decision: reason === null ? 'synced' : 'excluded',
      reason,
      detail: details.get(id ?? '') ?? '',
      counts: true,
    }
  })
}

/**
 * Compares decisions by content, resource and source id. Decisions with equal values remain in the order of
 * the source.
 */
function inFileOrder(one: Decision, other: Decision): number {
  return (
    byBytes(one.content, other.content) ||
    byBytes(one.resource, other.resource) ||
    byBytes(one.sourceId ?? '', other.sourceId ?? '')
  )
}
