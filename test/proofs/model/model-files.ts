import type { Value } from './model-draft.ts'
import type { Decision } from './model-items.ts'
import type { PlannedItem } from './model-plan.ts'
import { foldAddress } from './model-read.ts'
import { byBytes } from './model-text.ts'
import { localText, zoneText } from './model-times.ts'
import type { Content, OptionsOfBoth } from './options.ts'

/** The columns of the CSV files that contain the platform fields of each content. */
const FIELDS = {
  agenda: split(
    'name startTime endTime description location sessionTracks filterGroup subFilters speakerIds linkUrls',
  ),
  speakers: split(
    'firstName lastName title company description imageUrl sessionIds attendeeId facebookUrl linkedinUrl twitter',
  ),
  attendees: split('firstName lastName emailAddress title company biography phone personalAgenda'),
}

function split(names: string): readonly string[] {
  return names.split(' ')
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The cells of one row of a CSV file; an absent value is an empty text. */
export type FileRow = readonly string[]

function cell(value: Value | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if ('digits' in value) return value.digits
  return value.map((element) => element.replaceAll('\\', '\\\\').replaceAll(';', '\\;')).join('; ')
}

/**
 * Interpretation of the rules: the CSV files do not contain an item that only remains because it is not
 * removed, or whose removal is withheld.
 */
function isDesired({ action }: PlannedItem): boolean {
  return action !== 'remove' && action !== 'kept' && action !== 'withheld'
}

/** Returns the rows of `agenda.csv`, `speakers.csv` or `attendees.csv`; the first row is the header. */
export function itemRows(
  content: Content,
  planned: readonly PlannedItem[],
  zoneOfItem: ZoneOfItem,
  options: Pick<OptionsOfBoth, 'content' | 'custom'> = { content: [] },
): readonly FileRow[] {
  const own = options.content.includes(content) ? Object.keys(options.custom?.[content] ?? {}) : []
  const custom = own.map((name) => `custom.${name}`).sort(byBytes)
  const items = planned.filter((item) => item.content === content && isDesired(item))
  return [
    [
      ...['unique_id', 'action', ...FIELDS[content].map(snakeCase), ...custom],
      ...(content === 'agenda' ? ['local_start', 'local_end', 'zone'] : []),
    ],
    ...items.map((item) => [
      item.uniqueId,
      item.action,
      ...[...FIELDS[content], ...custom].map((field) => cell(item.after[field])),
      ...(content === 'agenda' ? localCells(item, zoneOfItem(item.uniqueId)) : []),
    ]),
  ]
}

/** Returns the zone of an agenda item; undefined if no zone is known. */
export type ZoneOfItem = (uniqueId: string) => string | undefined

function localCells({ after }: PlannedItem, zone: string | undefined): FileRow {
  if (zone === undefined) return ['', '', '']
  return [localText(cell(after.startTime), zone), localText(cell(after.endTime), zone), zoneText(zone)]
}

export function decisionRows(
  decisions: readonly Decision[],
  planned: readonly PlannedItem[],
): readonly FileRow[] {
  const actions = new Map(planned.map((item) => [`${item.content} ${item.uniqueId}`, item]))
  return [
    ['content', 'resource', 'source_id', 'unique_id', 'decision', 'reason', 'action', 'detail'],
    ...decisions.map((each) => {
      const item = each.counts ? actions.get(`${each.content} ${each.uniqueId}`) : undefined
      const shown =
        item !== undefined && (each.decision === 'synced' || item.action === 'remove') ? item.action : ''
      return [
        each.content,
        each.resource,
        each.sourceId ?? '',
        each.uniqueId ?? '',
        each.decision,
        each.reason ?? '',
        shown,
        each.detail,
      ]
    }),
  ]
}

/**
 * Returns the rows of `changes.csv`. A creation or removal has a row for every field of the item, with the
 * field's name on the platform.
 */
export function changeRows(planned: readonly PlannedItem[]): readonly FileRow[] {
  const rows = planned
    .filter(({ action }) => ['create', 'update', 'handover', 'remove'].includes(action))
    .flatMap((item) => {
      const after = item.action === 'remove' ? {} : item.after
      const own = [...Object.keys(item.before), ...Object.keys(after)].filter((name) =>
        name.startsWith('custom.'),
      )
      return [...FIELDS[item.content], ...new Set(own)].flatMap((field) => {
        const [from, to] = [cell(item.before[field]), cell(after[field])]
        const reason = item.action === 'remove' ? (item.reason ?? '') : ''
        return from === to ? [] : [[item.content, item.uniqueId, item.action, field, from, to, reason]]
      })
    })
  const order = (one: FileRow, other: FileRow) =>
    byBytes(one[0] ?? '', other[0] ?? '') ||
    byBytes(one[1] ?? '', other[1] ?? '') ||
    byBytes(one[3] ?? '', other[3] ?? '')
  return [['content', 'unique_id', 'action', 'field', 'before', 'after', 'reason'], ...rows.sort(order)]
}

/** Moves custom fields into an object of their own, as operations contain them. */
function nested(fields: PlannedItem['after']): object {
  const [own, others] = [true, false].map((isOwn) =>
    Object.entries(fields).filter(([name]) => name.startsWith('custom.') === isOwn),
  )
  const custom = (own ?? []).map(([name, value]) => [
    name.slice('custom.'.length),
    typeof value === 'object' && 'digits' in value ? Number(value.digits) : value,
  ])
  return {
    ...Object.fromEntries(others ?? []),
    ...(custom.length === 0
      ? {}
      : { custom: Object.fromEntries(custom.sort(([a], [b]) => byBytes(String(a), String(b)))) }),
  }
}

const SENDING_ORDER: readonly Content[] = ['attendees', 'speakers', 'agenda']

/** Returns the addresses that the plan gives to attendees who did not have them before. */
function takenAddresses(planned: readonly PlannedItem[]): ReadonlySet<string> {
  return new Set(
    planned
      .filter(
        ({ content, action }) => content === 'attendees' && (action === 'create' || action === 'update'),
      )
      .filter(({ before, after }) => addressIn(before) !== addressIn(after))
      .flatMap(({ after }) => addressIn(after) ?? []),
  )
}

/**
 * Sorts each attendee after the attendee whose old address it takes. Attendees who wait for each other in a
 * chain are placed together, at the position of the first attendee. In a circle, the attendee for whom the
 * first one waits comes first.
 */
function inAddressOrder(upserts: readonly PlannedItem[]): readonly PlannedItem[] {
  const moves = upserts.filter(
    ({ content, before, after }) => content === 'attendees' && addressIn(before) !== addressIn(after),
  )
  const waitsFor = (one: PlannedItem) =>
    moves.filter(
      (other) =>
        other !== one &&
        moves.includes(one) &&
        addressIn(other.before) !== null &&
        addressIn(other.before) === addressIn(one.after),
    )
  const ordered = new Set<PlannedItem>()
  for (const first of upserts) {
    if (ordered.has(first)) continue
    const linked = new Set([first])
    for (const member of linked)
      for (const other of moves)
        if (waitsFor(member).includes(other) || waitsFor(other).includes(member)) linked.add(other)
    const add = (one: PlannedItem, path: readonly PlannedItem[]) => {
      for (const other of waitsFor(one))
        if (!ordered.has(other) && !path.includes(other)) add(other, [...path, other])
      ordered.add(one)
    }
    for (const member of upserts.filter((one) => linked.has(one)))
      if (!ordered.has(member)) add(member, [member])
  }
  return [...ordered]
}

function addressIn({ emailAddress }: PlannedItem['after']): string | null {
  return typeof emailAddress === 'string' ? foldAddress(emailAddress) : null
}

/**
 * Returns the operations of a plan in the order of sending: removals that free an address for another
 * attendee, upserts, other removals. Source: transforms/RULES.md#r48. A removal that is withheld keeps its
 * number, under which `load_results.csv` has it.
 */
export function operations(planned: readonly PlannedItem[]): readonly object[] {
  const of = (content: Content, ...actions: readonly string[]) =>
    planned.filter((item) => item.content === content && actions.includes(item.action))
  const upserts = SENDING_ORDER.flatMap((content) =>
    inAddressOrder(of(content, 'create', 'update')).map(({ uniqueId, after }) => ({
      op: 'upsert',
      content,
      uniqueId,
      fields: nested(after),
      isSent: true,
    })),
  )
  const taken = takenAddresses(planned)
  const isFreeing = ({ content, before }: PlannedItem) =>
    content === 'attendees' && taken.has(addressIn(before) ?? '')
  const removals = (items: readonly PlannedItem[]) =>
    items.map(({ content, uniqueId, reason, action }) => {
      return { op: 'remove', content, uniqueId, reason, isSent: action === 'remove' }
    })
  const removed = SENDING_ORDER.flatMap((content) => of(content, 'remove', 'withheld'))
  const [freeing, others] = [true, false].map((isSo) => removed.filter((item) => isFreeing(item) === isSo))
  return [...removals(freeing ?? []), ...upserts, ...removals(others ?? [])].flatMap(
    ({ isSent, ...operation }, index) => (isSent ? [{ seq: index + 1, ...operation }] : []),
  )
}
