import type { Json, JsonObject } from './json.ts'
import type { Draft } from './model-draft.ts'
import { changeRows, decisionRows, type FileRow, itemRows, operations } from './model-files.ts'
import { type Filled, filledOf, readFilledA, readFilledB } from './model-filled.ts'
import { type Applied, judgePlan } from './model-guards.ts'
import { type Decision, type Items, type Judged, resolve } from './model-items.ts'
import { applyPlan, type PlannedItem, type Platform, planItems, withoutRemovals } from './model-plan.ts'
import { type Current, type Reading, type Row, readResource } from './model-resource.ts'
import { attendeeOfA, idOfA, idOfUser, sessionOfA, speakerOfA } from './model-source-a.ts'
import { attendeeOfB, hasSpeakerType, idOfB, sessionOfB, speakerOfB } from './model-source-b.ts'
import type { Content, OptionsA, OptionsB, OptionsOfBoth } from './options.ts'

/** An event as it is read in one run. */
export type ReadSource = OptionsOfBoth & {
  readonly elements: Readonly<Record<string, readonly Json[]>>
  /** Resources that could be read, but not to their proved end. */
  readonly uncertified?: readonly string[]
} & ({ readonly type: 'a'; readonly options: OptionsA } | { readonly type: 'b'; readonly options: OptionsB })

/** What is left of the runs before. */
export interface State {
  readonly resources: Readonly<Record<string, Current>>
  readonly platform: Platform
  /** What of the records had a value when they were read last. */
  readonly filled: Readonly<Record<string, Filled>>
  readonly applied: Applied | null
  /** Inferred removals that were applied. */
  readonly recent: ReadonlyMap<Content, number>
}

export const NO_STATE: State = {
  resources: {},
  platform: new Map(),
  filled: {},
  applied: null,
  recent: new Map(),
}

/** What a run must leave. */
export interface Expected {
  /** Guards that tripped, the one that holds the plan first. */
  readonly guards: readonly string[]
  readonly status: 'finished' | 'held'
  readonly changes: Readonly<Record<Content, Readonly<Record<string, number>>>>
  readonly excluded: Readonly<Record<string, number>>
  readonly quarantined: number
  readonly operations: readonly object[]
  readonly files: Readonly<Record<string, readonly FileRow[]>>
  readonly decisions: readonly Decision[]
  /** Items that stay on the platform though nothing stands for them, by content. */
  readonly kept: Readonly<Record<string, number>>
}

/** What a run knows when it has read its source. */
export interface Seen {
  readonly resources: State['resources']
  /** Of the resources that were read. */
  readonly filled: State['filled']
  readonly desired: ReadonlyMap<Content, Items>
  readonly decisions: readonly Decision[]
  /** Contents of which everything was seen. */
  readonly complete: readonly Content[]
  readonly lacksSpeakerType: boolean
  readonly excluded: Readonly<Record<string, number>>
  readonly quarantined: number
  readonly certified: boolean
  /** What became of the elements of each resource that was read. */
  readonly read: Readonly<Record<string, ReadCounts>>
}

/** Elements of a resource = staged + repeated + quarantined; `unseen` are records of before that may still be there. */
export interface ReadCounts {
  readonly elements: number
  readonly staged: number
  readonly repeated: number
  readonly quarantined: number
  readonly unseen: number
}

const NOTHING: Current = new Map()
const ALL: readonly Content[] = ['agenda', 'speakers', 'attendees']

/** Reads the source as a run does, and decides on its records. */
export function see(source: ReadSource, before: Pick<State, 'resources' | 'filled'>): Seen {
  const readings = readAll(source, before)
  const read = Object.fromEntries(Object.entries(readings).map(([name, { current }]) => [name, current]))
  const judged = judge(source, readings, read).filter(({ content }) => source.content.includes(content))
  const { desired, decisions } = resolve(judged)
  return {
    resources: { ...before.resources, ...read },
    filled: readFilled(source, readings, before),
    desired,
    decisions,
    complete: completeContents(source, readings),
    lacksSpeakerType: lacksSpeakerType(source, read),
    excluded: countBy(
      decisions.flatMap(({ decision, reason }) => (decision === 'excluded' && reason !== null ? reason : [])),
    ),
    quarantined: countQuarantined(readings),
    certified: Object.keys(readings).every((name) => isProved(source, name)),
    read: Object.fromEntries(
      Object.entries(readings).map(([name, { rows }]) => {
        const count = (status: Row['status']) => rows.filter((row) => row.status === status).length
        const counts = { staged: count('counts'), repeated: count('repeated'), unseen: count('unseen') }
        return [
          name,
          { ...counts, elements: source.elements[name]?.length ?? 0, quarantined: count('invalid') },
        ]
      }),
    ),
  }
}

/** Foretells a run over this source, and what it leaves for the next. */
export function foretell(
  source: ReadSource,
  before: State,
): { readonly expected: Expected; readonly after: State } {
  const { resources, filled, desired, decisions, complete, ...seen } = see(source, before)
  const full = planItems(desired, before.platform, decisions, source.type, source.removals, complete)
  const isAnythingLive = [...before.platform.values()].some((items) => items.size > 0)
  const { guards, onlyRemovals } = judgePlan({
    type: source.type,
    options: source,
    planned: full,
    platform: before.platform,
    filled,
    applied: isAnythingLive ? before.applied : null,
    recent: before.recent,
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
    operations: operations(planned),
    files: {
      ...Object.fromEntries(ALL.map((content) => [`${content}.csv`, itemRows(content, planned)])),
      'decisions.csv': decisionRows(decisions, planned),
      'changes.csv': changeRows(planned),
    },
    decisions,
    kept: countBy(planned.flatMap(({ action, content }) => (action === 'kept' ? content : []))),
  }
  if (status === 'held') return { expected, after: { ...before, resources, filled } }
  const after: State = {
    resources,
    platform: applyPlan(before.platform, planned),
    filled,
    // A run with a hold that nobody approved is not what the next one is compared with.
    applied: guards.length === 0 ? { filled } : before.applied,
    recent: addRemovals(before.recent, planned),
  }
  return { expected, after }
}

/** Reading: what none of the contents needs is not read, and so not quarantined either. */
export const NEEDED: Readonly<Record<ReadSource['type'], Readonly<Record<Content, readonly string[]>>>> = {
  a: {
    agenda: ['Sessions', 'TimeSlots', 'Rooms', 'Tracks', 'SessionTypes'],
    speakers: ['Users', 'Sessions'],
    attendees: ['Users'],
  },
  b: { agenda: ['sessions'], speakers: ['registrants', 'reg-types'], attendees: ['registrants'] },
}

type Readings = Readonly<Record<string, Reading>>

function isProved({ uncertified = [] }: ReadSource, name: string): boolean {
  return !uncertified.includes(name)
}

function readAll(source: ReadSource, before: Pick<State, 'resources'>): Readings {
  const { type, elements, content } = source
  const needed = new Set(content.flatMap((each) => NEEDED[type][each]))
  const read = Object.entries(elements).filter(([name]) => needed.has(name))
  return Object.fromEntries(
    read.map(([name, list]) => {
      const idOf = type === 'b' ? idOfB : name === 'Users' ? idOfUser : idOfA
      const hasOwnId = type === 'a' ? (record: JsonObject) => idOfA(record) !== null : undefined
      return [
        name,
        readResource(list, idOf, before.resources[name] ?? NOTHING, hasOwnId, isProved(source, name)),
      ]
    }),
  )
}

function judge(source: ReadSource, readings: Readings, resources: State['resources']): readonly Judged[] {
  const judged = (
    content: Content,
    name: string,
    toDraft: (id: string, record: JsonObject) => Draft,
  ): Judged => ({
    content,
    resource: name.toLowerCase(),
    rows: readings[name]?.rows ?? [],
    drafts: new Map([...(resources[name] ?? [])].map(([id, record]) => [id, toDraft(id, record)])),
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

/** Whether there is no registrant type of the configured name. */
function lacksSpeakerType(source: ReadSource, resources: State['resources']): boolean {
  if (source.type === 'a' || !source.content.includes('speakers')) return false
  const { 'reg-types': types = NOTHING, registrants = NOTHING } = resources
  return !hasSpeakerType(types, registrants, source.options)
}

/** Contents of whose resources every record was seen and could be read. */
function completeContents(source: ReadSource, readings: Readings): readonly Content[] {
  return source.content.filter((each) =>
    NEEDED[source.type][each].every(
      (name) =>
        isProved(source, name) && !(readings[name]?.rows ?? []).some(({ status }) => status === 'invalid'),
    ),
  )
}

function readFilled(source: ReadSource, readings: Readings, before: Pick<State, 'filled'>): State['filled'] {
  const read = source.type === 'a' ? readFilledA(source.options) : readFilledB(source.options)
  return Object.fromEntries(
    Object.entries(readings).map(([name, { current, rows }]) => [
      name,
      filledOf(name, current, rows, before.filled[name] ?? new Map(), read),
    ]),
  )
}

function addRemovals(recent: State['recent'], planned: readonly PlannedItem[]): State['recent'] {
  const counts = new Map(recent)
  for (const { content, isInferred } of planned) {
    if (isInferred) counts.set(content, (counts.get(content) ?? 0) + 1)
  }
  return counts
}

/** Items that are kept though nothing stands for them are no change, and are not counted as unchanged either. */
export function countChanges(planned: readonly PlannedItem[]): Expected['changes'] {
  const of = (content: Content) => {
    const count = (action: string) =>
      planned.filter((item) => item.content === content && item.action === action).length
    return {
      create: count('create'),
      update: count('update'),
      remove: count('remove'),
      unchanged: count('unchanged'),
    }
  }
  return { agenda: of('agenda'), speakers: of('speakers'), attendees: of('attendees') }
}

/** Records, each once however many contents it could serve; those of lookups too. */
function countQuarantined(readings: Readings): number {
  return Object.values(readings).flatMap(({ rows }) => rows.filter(({ status }) => status === 'invalid'))
    .length
}

function countBy(values: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
