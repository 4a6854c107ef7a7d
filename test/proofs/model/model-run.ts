import { isObject, type Json, type JsonObject } from '../../harness/json.ts'
import { withCustom } from './model-custom.ts'
import type { Draft } from './model-draft.ts'
import { changeRows, decisionRows, type FileRow, itemRows, operations } from './model-files.ts'
import { type Filled, filledOf, readFilledA, readFilledB } from './model-filled.ts'
import { type Applied, isStated, judgePlan, type Removed } from './model-guards.ts'
import { type Decision, type Judged, resolve } from './model-items.ts'
import { comesAgain, type Paging } from './model-pages.ts'
import { applyPlan, type PlannedItem, type Platform, planItems, withoutRemovals } from './model-plan.ts'
import { exactKey, keyInAnyCase } from './model-read.ts'
import {
  type Current,
  type Memory,
  NO_MEMORY,
  type Reading,
  type Row,
  readResource,
} from './model-resource.ts'
import { zoneOfSession } from './model-session-times.ts'
import { attendeeOfA, idOfA, idOfUser, sessionOfA, speakerOfA } from './model-source-a.ts'
import { attendeeOfB, hasSpeakerType, idOfB, sessionOfB, speakerOfB } from './model-source-b.ts'
import type { Content, OptionsA, OptionsB, OptionsOfBoth } from './options.ts'

export type ReadSource = OptionsOfBoth & {
  readonly elements: Readonly<Record<string, readonly Json[]>>
  /** Resources that were read, but whose reading was not proved complete. */
  readonly uncertified?: readonly string[]
  /** The pages of each resource; default: each resource is one page. */
  readonly pages?: Readonly<Record<string, Paging>>
} & ({ readonly type: 'a'; readonly options: OptionsA } | { readonly type: 'b'; readonly options: OptionsB })

export interface State {
  readonly resources: Readonly<Record<string, Current>>
  readonly memories: Readonly<Record<string, Memory>>
  readonly platform: Platform
  /** The fields of each record that had a value when the record was last read. */
  readonly filled: Readonly<Record<string, Filled>>
  readonly applied: Applied | null
  /** Items that were removed for an inferred reason (no record asked for the removal). */
  readonly recent: Removed
  /** Items that were removed for a stated reason (a record asked for the removal). */
  readonly recentlyStated: Removed
}

export const NO_STATE: State = {
  resources: {},
  memories: {},
  platform: new Map(),
  filled: {},
  applied: null,
  recent: new Map(),
  recentlyStated: new Map(),
}

/** The expected result of a run. */
export interface Expected {
  /** Names of the guards that hold the plan; the first is reported as the cause. */
  readonly guards: readonly string[]
  readonly status: 'finished' | 'held'
  readonly changes: Readonly<Record<Content, Readonly<Record<string, number>>>>
  readonly excluded: Readonly<Record<string, number>>
  readonly quarantined: number
  /** True if every reading was proved complete. */
  readonly certified: boolean
  readonly operations: readonly object[]
  readonly files: Readonly<Record<string, readonly FileRow[]>>
  readonly decisions: readonly Decision[]
  /** Number of items, by content, that remain on the platform although no record makes the item. */
  readonly kept: Readonly<Record<string, number>>
}

/** Facts that a run knows after it has read its source. */
export type Seen = ReturnType<typeof see>

const NOTHING: Current = new Map()
const ALL: readonly Content[] = ['agenda', 'speakers', 'attendees']

/** Reads the source as a run does, and makes the decisions on its records. */
export function see(source: ReadSource, before: Pick<State, 'resources' | 'memories' | 'filled'>) {
  const readings = readAll(source, before)
  const of = <Value>(value: (reading: Reading) => Value) =>
    Object.fromEntries(Object.entries(readings).map(([name, reading]) => [name, value(reading)]))
  const read = of(({ current }) => current)
  const judged = judge(source, readings, read).filter(({ content }) => source.content.includes(content))
  const { desired, decisions } = resolve(judged, source)
  const reasons = decisions.flatMap(({ decision, reason }) =>
    decision === 'excluded' && reason ? reason : [],
  )
  return {
    resources: { ...before.resources, ...read },
    memories: { ...before.memories, ...of(({ memory }) => memory) },
    filled: readFilled(source, readings, before),
    desired,
    decisions,
    complete: completeContents(source, readings),
    /**
     * Returns true if the record of the item was never read, and a record of its resource is now unreadable.
     */
    isUnread(content: Content, uniqueId: string) {
      const reading = readings[NEEDED[source.type][content][0] ?? '']
      const isUnreadable = reading?.rows.some(isInvalid) ?? false
      return isUnreadable && reading?.memory.ever.has(uniqueId) === false
    },
    lacksSpeakerType: lacksSpeakerType(source, read),
    zoneOfItem: (uniqueId: string) =>
      zoneOfSession(source.type, read.sessions?.get(uniqueId), source.options.timeZone),
    excluded: countBy(reasons),
    // Each quarantined record is counted once, even if several contents use the record. Records of lookup
    // resources are counted too.
    quarantined: Object.values(readings).flatMap(({ rows }) => rows.filter(isInvalid)).length,
    certified: Object.keys(readings).every((name) => isProved(source, name)),
    /** Number of elements that were read, by resource; rows with the status `unseen` were not read. */
    read: of(({ rows }) => {
      const count = (status: Row['status']) => rows.filter((row) => row.status === status).length
      return {
        elements: rows.length - count('unseen'),
        staged: count('counts'),
        repeated: count('repeated'),
        quarantined: count('invalid'),
        unseen: count('unseen'),
      }
    }),
  }
}

const isInvalid = ({ status }: Row) => status === 'invalid'

/** Computes the expected result of a run with this source, and the state for the next run. */
export function foretell(
  source: ReadSource,
  before: State,
): { readonly expected: Expected; readonly after: State } {
  const { resources, memories, filled, desired, decisions, ...seen } = see(source, before)
  const full = planItems({ ...seen, desired, decisions }, before.platform, source.type, source)
  const isAnythingLive = [...before.platform.values()].some((items) => items.size > 0)
  const { guards, onlyRemovals } = judgePlan({
    type: source.type,
    options: source,
    sourceOptions: source.options,
    planned: full,
    platform: before.platform,
    filled,
    resources,
    applied: isAnythingLive ? before.applied : null,
    recent: before.recent,
    recentlyStated: before.recentlyStated,
    approved: new Map(),
    preexisting: new Map(),
    lacksSpeakerType: seen.lacksSpeakerType,
  })
  const withholds = guards.length > 0 && onlyRemovals && source.onHold === 'withholdRemovals'
  const planned = withholds ? withoutRemovals(full) : full
  const status = guards.length === 0 || withholds ? 'finished' : 'held'
  const expected: Expected = {
    guards,
    status,
    changes: countChanges(full),
    excluded: seen.excluded,
    quarantined: seen.quarantined,
    certified: seen.certified,
    operations: operations(planned),
    files: {
      ...Object.fromEntries(
        ALL.map((content) => [`${content}.csv`, itemRows(content, planned, seen.zoneOfItem, source)]),
      ),
      'decisions.csv': decisionRows(decisions, planned),
      'changes.csv': changeRows(planned),
    },
    decisions,
    kept: countBy(planned.flatMap(({ action, content }) => (action === 'kept' ? content : []))),
  }
  if (status === 'held') return { expected, after: { ...before, resources, memories, filled } }
  const after: State = {
    resources,
    memories,
    platform: applyPlan(before.platform, planned),
    filled,
    // If a run is held and nobody approves it, the next run is not compared with this run, but with an
    // earlier run.
    applied: guards.length === 0 ? { filled, resources, decisions } : before.applied,
    recent: addRemovals(before.recent, planned, ({ isInferred }) => isInferred),
    recentlyStated: addRemovals(before.recentlyStated, planned, isStated),
  }
  return { expected, after }
}

/**
 * The resources that each content needs. Interpretation of the rules: a resource that no content needs is not
 * read, so its records cannot be quarantined.
 */
export const NEEDED: Readonly<Record<ReadSource['type'], Readonly<Record<Content, readonly string[]>>>> = {
  a: {
    agenda: ['Sessions', 'TimeSlots', 'Rooms', 'Tracks', 'SessionTypes'],
    speakers: ['Users', 'Sessions', 'SessionTypes'],
    attendees: ['Users'],
  },
  b: { agenda: ['sessions'], speakers: ['registrants', 'reg-types'], attendees: ['registrants'] },
}

type Readings = Readonly<Record<string, Reading>>

function isProved(source: ReadSource, name: string): boolean {
  const { uncertified = [], pages = {} } = source
  const paging = pages[name]
  if (uncertified.includes(name)) return false
  const idOf = idOfIn(source, name)
  const idOfElement = (element: Json) => (isObject(element) ? idOf(element) : null)
  return paging === undefined || !comesAgain(elementsOf(source, name), idOfElement, paging)
}

function idOfIn({ type }: ReadSource, name: string): (record: JsonObject) => string | null {
  return type === 'b' ? idOfB : name === 'Users' ? idOfUser : idOfA
}

/** Returns the elements as the source serves them to the product. */
function elementsOf(source: ReadSource, name: string): readonly Json[] {
  const list = source.elements[name] ?? []
  return source.type === 'b' ? list.map((element) => onlyAsked(source, name, element)) : list
}

function readAll(source: ReadSource, before: Pick<State, 'resources' | 'memories'>): Readings {
  const { type, elements, content } = source
  const needed = new Set(content.flatMap((each) => NEEDED[type][each]))
  const read = Object.keys(elements).filter((name) => needed.has(name))
  return Object.fromEntries(
    read.map((name) => {
      const hasOwnId = type === 'a' ? (record: JsonObject) => idOfA(record) !== null : undefined
      return [
        name,
        readResource(
          elementsOf(source, name),
          {
            idOf: idOfIn(source, name),
            ...(hasOwnId && { hasOwnId }),
            shape: shapeOf(source, name),
            isProved: isProved(source, name),
          },
          before.resources[name] ?? NOTHING,
          before.memories[name] ?? NO_MEMORY,
        ),
      ]
    }),
  )
}

/**
 * The fields that the product requests from Source B, which returns only requested fields. Source:
 * transforms/RULES.md#r13.
 */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  sessions: ['id', 'name', 'description', 'date', 'start_time', 'end_time', 'timezone'],
  registrants: [
    ...['id', 'first_name', 'last_name', 'job_title', 'company', 'bio', 'mobile_phone', 'twitter_handle'],
    ...['reg_type_id', 'session_ids', 'cancelled_at'],
  ],
  'reg-types': ['id', 'name'],
}

function onlyAsked({ content, custom, options }: ReadSource, name: string, element: Json): Json {
  if (!isObject(element)) return element
  const contents = content.filter((each) => (each === 'agenda') === (name === 'sessions'))
  const own = contents.flatMap((each) =>
    Object.values(custom?.[each] ?? {}).map(({ from }) => from.split('.')[0]),
  )
  const asked = new Set([
    ...(ASKED[name] ?? []),
    ...(name === 'reg-types' ? [] : own),
    ...(name === 'registrants' ? Object.values(options.fields ?? { email: 'email' }) : []),
  ])
  return { members: element.members.filter(([key]) => asked.has(key)) }
}

/** Returns the options that influence how a record is read, as one text. */
function shapeOf({ options }: ReadSource, name: string): string {
  if (name === 'TimeSlots' || name === 'sessions') return options.timeZone ?? ''
  return name === 'Users' || name === 'registrants' ? JSON.stringify(options.fields ?? {}) : ''
}

function judge(source: ReadSource, readings: Readings, resources: State['resources']): readonly Judged[] {
  const memberOf = source.type === 'a' ? keyInAnyCase : exactKey
  const judged = (
    content: Content,
    name: string,
    toDraft: (id: string, record: JsonObject) => Draft,
  ): Judged => ({
    content,
    resource: name.toLowerCase(),
    rows: readings[name]?.rows ?? [],
    drafts: new Map(
      [...(resources[name] ?? [])].map(([id, record]) => [
        id,
        withCustom(toDraft(id, record), content, record, source.custom ?? {}, memberOf),
      ]),
    ),
  })
  if (source.type === 'a') {
    const { options } = source
    return [
      judged('agenda', 'Sessions', (id, session) => sessionOfA(id, session, resources, options)),
      judged('speakers', 'Users', (_, user) => speakerOfA(user, resources, options)),
      judged('attendees', 'Users', (_, user) => attendeeOfA(user)),
    ]
  }
  const { options } = source
  const types = resources['reg-types'] ?? NOTHING
  return [
    judged('agenda', 'sessions', (id, session) => sessionOfB(id, session, options)),
    judged('speakers', 'registrants', (id, registrant) => speakerOfB(id, registrant, types, options)),
    judged('attendees', 'registrants', (id, registrant) => attendeeOfB(id, registrant, options)),
  ]
}

function lacksSpeakerType(source: ReadSource, resources: State['resources']): boolean {
  if (source.type === 'a' || !source.content.includes('speakers')) return false
  const { 'reg-types': types = NOTHING, registrants = NOTHING } = resources
  return !hasSpeakerType(types, registrants, source.options)
}

/**
 * Returns the contents for which removals may be inferred. A content is in the list if every record of its
 * resources was seen, and resources other than its own have no new unreadable record.
 */
function completeContents(source: ReadSource, readings: Readings): readonly Content[] {
  return source.content.filter((each) =>
    NEEDED[source.type][each].every(
      (name, place) => isProved(source, name) && (place === 0 || readings[name]?.hasNewUnreadable !== true),
    ),
  )
}

function readFilled(source: ReadSource, readings: Readings, before: Pick<State, 'filled'>): State['filled'] {
  const read = readFilledOf(source)
  return Object.fromEntries(
    Object.entries(readings).map(([name, { current, rows }]) => [
      name,
      filledOf(name, current, rows, before.filled[name] ?? new Map(), read),
    ]),
  )
}

/** Reads which fields have a value. Custom fields are included, with their content in the name. */
function readFilledOf({ custom = {}, ...source }: ReadSource) {
  const read = source.type === 'a' ? readFilledA(source.options) : readFilledB(source.options)
  const memberOf = source.type === 'a' ? keyInAnyCase : exactKey
  return (resource: string, record: JsonObject) => ({
    ...read(resource, record),
    ...Object.fromEntries(
      source.content
        .filter((content) => NEEDED[source.type][content][0] === resource)
        .flatMap((content) => {
          const { fields } = withCustom(BARE, content, record, custom, memberOf)
          return Object.keys(fields).map((name) => [`${content} ${name}`, true])
        }),
    ),
  })
}

const BARE: Draft = { uniqueId: null, reason: null, marks: new Set(), fields: {}, references: [] }

function addRemovals(
  recent: Removed,
  planned: readonly PlannedItem[],
  counts: (item: PlannedItem) => boolean,
): Removed {
  const removed = new Map(recent)
  for (const item of planned) {
    const { content, uniqueId } = item
    if (counts(item)) removed.set(content, new Set([...(removed.get(content) ?? []), uniqueId]))
  }
  return removed
}

/** Counts changes. An item that remains without a record counts neither as changed nor as unchanged. */
export function countChanges(planned: readonly PlannedItem[]): Expected['changes'] {
  const of = (content: Content) => {
    const count = (action: string) =>
      planned.filter((item) => item.content === content && item.action === action).length
    return {
      create: count('create'),
      update: count('update'),
      ...(count('handover') > 0 && { handover: count('handover') }),
      remove: count('remove'),
      unchanged: count('unchanged'),
    }
  }
  return { agenda: of('agenda'), speakers: of('speakers'), attendees: of('attendees') }
}

function countBy(values: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
