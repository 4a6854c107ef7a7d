import { isDeepStrictEqual } from 'node:util'
import { type Filled, fieldsOf, namingIn, type WatchedField } from './model-filled.ts'
import type { Decision, Fields } from './model-items.ts'
import type { PlannedItem, Platform } from './model-plan.ts'
import { keyInAnyCase } from './model-read.ts'
import type { Current } from './model-resource.ts'
import { asCompared } from './model-signed.ts'
import { readText } from './model-text.ts'
import type { Content, OptionsA, OptionsB, OptionsOfBoth } from './options.ts'

/** The last applied run. The guards (checks that can hold a plan) compare a new plan with this run. */
export interface Applied {
  readonly filled: Readonly<Record<string, Filled>>
  readonly resources: Readonly<Record<string, Current>>
  readonly decisions: readonly Decision[]
}

export interface Judgement {
  /** Names of the guards that hold the plan. The guard that is closest to the cause comes first. */
  readonly guards: readonly string[]
  /** True if the guards object only to removals, so that the other changes could be applied. */
  readonly onlyRemovals: boolean
}

/** Items that were removed. */
export type Removed = ReadonlyMap<Content, ReadonlySet<string>>

interface Given {
  readonly type: 'a' | 'b'
  readonly options: OptionsOfBoth
  readonly sourceOptions: OptionsA | OptionsB
  readonly planned: readonly PlannedItem[]
  readonly platform: Platform
  readonly filled: Readonly<Record<string, Filled>>
  readonly resources: Readonly<Record<string, Current>>
  /** The last applied run; null if no run was applied before, or if the platform is empty. */
  readonly applied: Applied | null
  /**
   * Items that were removed for an inferred reason during the last day. Removals before the last approval of
   * such removals are left out.
   */
  readonly recent: Removed
  /**
   * Items whose removal was stated (a record asked for it) and applied during the last day. Removals before
   * the last approval of such removals are left out.
   */
  readonly recentlyStated: Removed
  /** Removals of the plan that was approved last, as far as they were not applied. */
  readonly approved: Removed
  /**
   * Items that the platform had before the first plan, and that no plan has created or updated since then.
   */
  readonly preexisting: Removed
  readonly lacksSpeakerType: boolean
}

/** Resources whose records become items of a content. */
const OF_ITEMS = ['Sessions', 'Users', 'sessions', 'registrants']

const isOfItems = (resource: string) => OF_ITEMS.includes(resource)

const RECORDS: Readonly<Record<string, readonly string[]>> = {
  agenda: ['Sessions', 'sessions'],
  speakers: ['Users', 'registrants'],
  attendees: ['Users', 'registrants'],
}

/** Source: transforms/README.md#what-holds-a-plan. */
export function judgePlan(given: Given): Judgement {
  const changes = given.planned.filter(({ action }) =>
    ['create', 'update', 'handover', 'remove'].includes(action),
  )
  if (changes.length === 0) return { guards: [], onlyRemovals: true }
  const emptied = emptiedResources(given)
  const tripped = {
    emptied: emptied.length > 0,
    speakerType: given.lacksSpeakerType,
    blackout: given.options.blackout && hasBlackout(given),
    preexisting: removesPreexisting(given),
    statedRemovals: hasTooManyStated(given),
    removals: hasTooManyRemovals(given),
    handovers: hasManyHandovers(given),
    massUpdate: given.applied !== null && hasMassUpdate(given),
  }
  const named = (guard: string) => (guard === 'handovers' ? 'massUpdate' : guard)
  return {
    guards: Object.entries(tripped).flatMap(([guard, trips]) => (trips ? named(guard) : [])),
    onlyRemovals:
      !tripped.speakerType &&
      !tripped.blackout &&
      !tripped.handovers &&
      !tripped.massUpdate &&
      emptied.every(isOfItems),
  }
}

function emptiedResources({ applied, filled }: Given): readonly string[] {
  return Object.entries(filled).flatMap(([name, records]) =>
    records.size === 0 && (applied?.filled[name]?.size ?? 0) > 0 ? name : [],
  )
}

/**
 * A record that was read in the last applied run and in this run: its fields with a value in each run, and
 * the id of its item.
 */
interface Both {
  readonly id: string
  readonly then: ReadonlySet<string>
  readonly now: ReadonlySet<string>
}

function hasBlackout(given: Given): boolean {
  const { type, options, sourceOptions, applied, filled, resources } = given
  return Object.entries(filled).some(([name, records]) => {
    const both = [...records].flatMap(([id, now]): readonly Both[] => {
      const then = applied?.filled[name]?.get(id)
      return then === undefined ? [] : [{ id, then, now }]
    })
    const own = Object.entries(options.custom ?? {})
      .filter(([content]) => options.content.includes(content as Content) && RECORDS[content]?.includes(name))
      .flatMap(([content, fields]) =>
        Object.keys(fields).map((field): WatchedField => {
          return { name: `${content} custom.${field}`, isRequired: false, decides: [] }
        }),
      )
    const fields = [...fieldsOf(type, name, options.content, sourceOptions), ...own]
    // If a field of a lookup record can exclude other records, the field is also checked for each record that
    // refers to the lookup record.
    const joined = namingIn(name, resources).flatMap(({ id, named }) =>
      both.filter((one) => one.id === named).map((one) => ({ ...one, id })),
    )
    // A lookup record has no item of its own, so its id is left empty.
    const themselves = isOfItems(name) ? both : both.map((one) => ({ ...one, id: '' }))
    return (
      fields.some((field) => isLost(given, field, themselves) || showsHidden(given, field, themselves)) ||
      fields.some((field) => field.decides.length > 0 && isLost(given, field, joined)) ||
      fields.some((field) => showsHiddenByLookup(given, name, field))
    )
  })
}

/**
 * Returns true if this field excluded the record in the applied run, and the plan now creates the record's
 * item.
 */
function isShown({ planned, applied }: Given, { decides }: WatchedField, id: string): boolean {
  const then = (applied?.decisions ?? []).filter(({ sourceId }) => sourceId === id)
  return then.some(
    ({ content, uniqueId, reason }) =>
      decides.some((one) => one.content === content && one.reason === reason) &&
      planned.some(
        (item) => item.content === content && item.uniqueId === uniqueId && item.action === 'create',
      ),
  )
}

function showsHidden(given: Given, field: WatchedField, both: readonly Both[]): boolean {
  if (field.decides.length === 0 || both.some(({ now }) => now.has(field.name))) return false
  return both.filter(({ id, then }) => then.has(field.name) && isShown(given, field, id)).length >= 5
}

/**
 * Returns true if the plan creates items of records that a lookup record excluded before. The lookup record
 * to which such a record now refers lacks the field, or has disappeared.
 */
function showsHiddenByLookup(given: Given, lookup: string, field: WatchedField): boolean {
  const { applied, resources, filled } = given
  if (field.decides.length === 0 || applied === null) return false
  const before = new Map(namingIn(lookup, applied.resources).map(({ id, named }) => [id, named]))
  const lost = namingIn(lookup, resources).filter(({ id, named }) => {
    const had = applied.filled[lookup]?.get(before.get(id) ?? '')?.has(field.name) ?? false
    return named !== null && had && !(filled[lookup]?.get(named)?.has(field.name) ?? false)
  })
  return lost.filter(({ id }) => isShown(given, field, id)).length >= 5
}

function isLost({ options, planned, platform }: Given, field: WatchedField, both: readonly Both[]): boolean {
  const count = (is: (one: Both) => boolean) => both.filter(is).length
  const hasNow = (name: string) => count(({ now }) => now.has(name))
  const has = hasNow(field.name)
  const gone = both.filter(({ then, now }) => then.has(field.name) && !now.has(field.name))
  if (both.length === 0) return false
  const goFor = planned.filter(
    ({ content, uniqueId, action, reason }) =>
      action === 'remove' &&
      gone.some(({ id }) => id === uniqueId) &&
      field.decides.some((one) => one.content === content && one.reason === reason),
  )
  if (has === 0 && new Set(goFor.map(({ uniqueId }) => uniqueId)).size >= 5) return true
  const isEmptied = (content: Content) =>
    (platform.get(content)?.size ?? 0) > 0 &&
    planned.every((item) => item.content !== content || item.action === 'remove')
  if (has === 0 && goFor.some(({ content, isInferred }) => !isInferred && isEmptied(content))) return true
  const isOtherwiseThere = field.beside !== undefined && hasNow(field.beside) * 10 >= both.length
  if (isOtherwiseThere || has * 10 >= both.length) return false
  // Interpretation of the rule: even if minCount is 0, at least one record must have lost the field.
  if (field.isRequired && gone.length > 0 && gone.length >= options.minCount) return true
  if (gone.length >= 20 && has === 0) return true
  const hadMost = count(({ then }) => then.has(field.name)) * 2 > both.length
  return hadMost && (both.length >= 20 || (field.decides.length > 0 && gone.length >= 5))
}

/** Fields whose values are ids of items, with the content of these items. */
const REFERS_TO: Readonly<Record<string, Content>> = {
  speakerIds: 'speakers',
  sessionIds: 'agenda',
  personalAgenda: 'agenda',
  attendeeId: 'attendees',
}

/**
 * For fields of a Source A session that come from another resource: that resource, and the session's key that
 * refers to it.
 */
const LOOKED_UP: Readonly<Record<string, readonly [string, string]>> = {
  startTime: ['TimeSlots', 'TimeSlotId'],
  endTime: ['TimeSlots', 'TimeSlotId'],
  location: ['Rooms', 'RoomId'],
  sessionTracks: ['Tracks', 'TrackId'],
  subFilters: ['SessionTypes', 'SessionTypeId'],
}

/**
 * Returns the sessions that refer to the edited record of a lookup resource. Returns none if not exactly one
 * record was edited.
 */
function followingOneEdit({ resources, applied }: Given, field: string): ReadonlySet<string> {
  const [resource, key] = LOOKED_UP[field] ?? ['', '']
  const edited = [...(resources[resource] ?? [])].flatMap(([id, record]) => {
    const then = applied?.resources[resource]?.get(id)
    return then === undefined || isDeepStrictEqual(then, record) ? [] : id
  })
  if (edited.length !== 1) return new Set()
  const naming = [...(resources.Sessions ?? [])].filter(
    ([, session]) => readText(keyInAnyCase(session, key)).text === edited[0],
  )
  return new Set(naming.map(([id]) => id))
}

/** Fields with a list in which an additional entry is no sign of a fault. */
const GROWING = [...Object.keys(REFERS_TO), 'linkUrls']

function hasGrown(before: readonly unknown[], after: readonly unknown[]): boolean {
  return after.length > before.length && before.every((each) => after.includes(each))
}

function hasMassUpdate(given: Given): boolean {
  const { options, planned, platform } = given
  return options.content.some((content) => {
    const updates = planned.filter(
      (item) => item.content === content && (item.action === 'update' || item.action === 'handover'),
    )
    const live = platform.get(content)?.size ?? 0
    const fields = new Set(
      updates.flatMap(({ before, after }) => [...Object.keys(before), ...Object.keys(after)]),
    )
    return [...fields].some((field) => {
      const comesOrGoes = new Set(
        planned
          .filter((item) => item.content === REFERS_TO[field] && ['create', 'remove'].includes(item.action))
          .map(({ uniqueId }) => uniqueId),
      )
      // Fields that contain no ids of items are compared unchanged.
      const lasting = (value: Fields[string] | undefined) =>
        [value ?? []].flat().filter((each) => typeof each !== 'string' || !comesOrGoes.has(each))
      const changed = updates.filter(({ before, after }) => {
        const [then, now] = [before, after].map((side) =>
          lasting(asCompared(content, field, side[field], options.custom)),
        ) as [unknown[], unknown[]]
        if (before[field] === undefined || isDeepStrictEqual(then, now)) return false
        return !(GROWING.includes(field) && hasGrown(then, now))
      })
      const isTooMany = (count: number) => {
        const removed = planned.filter((item) => item.content === content && item.action === 'remove').length
        const isAll = ['startTime', 'endTime'].includes(field) && count === live - removed
        return count >= (isAll ? 5 : 20) && count > options.massUpdate * live
      }
      const excused = content === 'agenda' ? followingOneEdit(given, field) : new Set()
      return isTooMany(changed.filter(({ uniqueId }) => !excused.has(uniqueId)).length)
    })
  })
}

function hasManyHandovers({ planned, platform }: Given): boolean {
  const count = planned.filter(({ action }) => action === 'handover').length
  return count >= 5 && count >= 0.1 * (platform.get('attendees')?.size ?? 0)
}

/** Returns true if a removal is stated, which means that a record of this run asks for it. */
export function isStated({
  action,
  isInferred,
  reason,
}: Pick<PlannedItem, 'action' | 'isInferred' | 'reason'>) {
  return action === 'remove' && !isInferred && reason !== 'suppressed'
}

function removesPreexisting({ planned, preexisting, approved }: Given): boolean {
  return planned.some(
    ({ content, uniqueId, action, reason }) =>
      action === 'remove' &&
      reason !== 'suppressed' &&
      (preexisting.get(content)?.has(uniqueId) ?? false) &&
      !approved.get(content)?.has(`${reason} ${uniqueId}`),
  )
}

function hasTooManyStated({ options, planned, platform, recentlyStated, approved }: Given): boolean {
  return options.content.some((content) => {
    const live = platform.get(content) ?? new Map()
    const count = planned.filter(
      (item) =>
        item.content === content &&
        isStated(item) &&
        !approved.get(content)?.has(`${item.reason} ${item.uniqueId}`),
    ).length
    const before = [...(recentlyStated.get(content) ?? [])].filter((uniqueId) => !live.has(uniqueId)).length
    const all = live.size + before
    return count > 0 && all >= 20 && count + before > options.maxStatedShare * all
  })
}

function hasTooManyRemovals({ options, planned, platform, recent }: Given): boolean {
  return options.content.some((content) => {
    const ofContent = planned.filter((item) => item.content === content)
    const count = ofContent.filter(({ isInferred }) => isInferred).length
    if (count === 0) return false
    const isLive = (uniqueId: string) => platform.get(content)?.has(uniqueId) ?? false
    const before = [...(recent.get(content) ?? [])].filter((uniqueId) => !isLive(uniqueId)).length
    const live = platform.get(content)?.size ?? 0
    const isTooMuch =
      count + before >= options.minCount && count + before > options.maxShare * (live + before)
    return isTooMuch || ofContent.every(({ action }) => action === 'remove')
  })
}
