import type { Json, JsonObject } from '../../harness/json.ts'
import { Collector, type Draft, firstReason, missing } from './model-draft.ts'
import { readFlag } from './model-flags.ts'
import { foldAddress, keyInAnyCase as key, listIn, readId, readIdList, readReference } from './model-read.ts'
import type { Current } from './model-resource.ts'
import { timesOfA } from './model-session-times.ts'
import { byBytes, readText } from './model-text.ts'
import { readLinks, readProfile, readUrl } from './model-urls.ts'
import type { OptionsA } from './options.ts'

/** The records of Source A, by the name of the resource in the paths of requests. */
export type WorldA = Readonly<Record<string, Current>>

const NOTHING: Current = new Map()

export function idOfA(record: JsonObject): string | null {
  return readId(key(record, 'Id'))
}

/** Returns the id of a user. If the user has no id, returns the e-mail address in lower case. */
export function idOfUser(user: JsonObject): string | null {
  const given = readText(key(user, 'Id')).text
  return given === null ? foldAddress(readId(key(user, 'EmailAddress'))) : readId(given)
}

export function sessionOfA(id: string, session: JsonObject, world: WorldA, options: OptionsA): Draft {
  const seen = new Collector()
  seen.mark('uniqueId', readText(key(session, 'Id')).faults)
  const name = seen.text('name', key(session, 'Title'))
  seen.text('description', key(session, 'Description'))

  // If a session refers to a missing time slot, its decision has a reason, but no warning. Interpretation of
  // the rule: a fault in the id of the time slot is reported only for the field startTime.
  const slotId = readReference(key(session, 'TimeSlotId'))
  seen.mark('startTime', slotId.faults)
  const slot = slotId.text === null ? undefined : world.TimeSlots?.get(slotId.text)
  const badTimes = seen.times(timesOfA(slot ?? null, options.timeZone))

  const room = lookUp(seen, 'location', key(session, 'RoomId'), world.Rooms)
  if (room !== null) location(seen, room, options.locationSeparator ?? ' - ')
  const track = lookUp(seen, 'sessionTracks', key(session, 'TrackId'), world.Tracks)
  const trackTitle = track === null ? null : titleOf(seen, 'sessionTracks', track, ['Title'])
  seen.list('sessionTracks', trackTitle === null ? [] : [trackTitle])
  const type = lookUp(seen, 'subFilters', key(session, 'SessionTypeId'), world.SessionTypes)
  const typeTitle = type === null ? null : titleOf(seen, 'subFilters', type, ['Title', 'Name'])
  seen.list('subFilters', typeTitle === null ? [] : [typeTitle])
  seen.set('filterGroup', typeTitle === null ? null : 'Types')

  const { urls, faults } = readLinks(key(session, 'Links'))
  seen.mark('linkUrls', faults)
  seen.list('linkUrls', urls)
  const reason = firstReason(
    isPublished(seen, session, options) ? null : 'not_published',
    isOneToOne(typeTitle, options) ? 'one_to_one_meeting' : null,
    missing('name', name),
    badTimes,
  )
  return {
    uniqueId: id,
    reason,
    marks: seen.marks,
    fields: seen.fields,
    references: [{ field: 'speakerIds', to: 'speakers', ids: speakersInOrder(seen, session) }],
  }
}

function lookUp(
  seen: Collector,
  field: string,
  value: Json | undefined,
  held: Current = NOTHING,
): JsonObject | null {
  const { text, faults } = readReference(value)
  seen.mark(field, faults)
  if (text === null) return null
  const found = held.get(text)
  if (found === undefined) seen.mark(field, ['dangling_reference'])
  return found ?? null
}

/**
 * Returns the text of the first of these keys that has a text. Adds warnings for faults in the keys before
 * that key.
 */
function titleOf(seen: Collector, field: string, record: JsonObject, keys: readonly string[]): string | null {
  for (const name of keys) {
    const { text, faults } = readText(key(record, name))
    seen.mark(field, faults)
    if (text !== null) return text
  }
  return null
}

function location(seen: Collector, room: JsonObject, separator: string): void {
  const parts = ['Location', 'Name'].flatMap((name) => {
    const { text, faults } = readText(key(room, name))
    seen.mark('location', faults)
    return text ?? []
  })
  const kept = [...new Set(parts)]
  if (kept.length > 0) seen.set('location', kept.join(separator))
}

function speakersInOrder(seen: Collector, session: JsonObject): readonly string[] {
  const listed = readIdList(key(session, 'Speakers'), key, 'Id')
  const order = readIdList(key(session, 'SpeakerOrder'), key, 'Id')
  // The list SpeakerOrder cannot add speakers, so unreadable elements of this list need no warning.
  seen.mark('speakerIds', listed.faults)
  const first = order.ids.filter((id) => listed.ids.includes(id))
  return [...first, ...listed.ids.filter((id) => !first.includes(id))]
}

function isPublished(
  seen: Collector,
  session: JsonObject,
  { sessionStatuses, includeHidden }: OptionsA,
): boolean {
  const flags = ['Enabled', 'VisibleToAnonymousUsers'].map((name) => flagOf(seen, session, name))
  const hidden = flags.includes(false)
  if (hidden && includeHidden !== true) return false
  return (
    sessionStatuses === undefined || sessionStatuses.includes(readText(key(session, 'Status')).text ?? '')
  )
}

/**
 * Reads a yes-or-no value that does not become a platform field. The warning about such a value names the
 * record's key instead of a field. Source: transforms/RULES.md#r58.
 */
function flagOf(seen: Collector, record: JsonObject, name: string): boolean | null {
  const flag = readFlag(key(record, name))
  if (flag === 'left out') seen.mark(name, ['left_out'])
  return flag === 'left out' ? null : flag
}

/** Source: transforms/RULES.md#r30. */
function isOneToOne(title: string | null, { oneToOneTypes = ['1:1 Meeting'] }: OptionsA): boolean {
  if (title === null) return false
  const spelled = (text: string) => (isUsualSpelling(text) ? '1:1' : text.trim().toLowerCase())
  return oneToOneTypes.some((name) => spelled(name) === spelled(title))
}

function isUsualSpelling(title: string): boolean {
  const plain = title
    .trim()
    .toLowerCase()
    .replaceAll(/\p{Pd}/gu, '-')
    .replaceAll(/\s/g, ' ')
  const words = plain
    .replace(/[- ]*meetings?$/, '')
    .replaceAll(/one/g, '1')
    .replaceAll(' ', '')
  if (words === '1:1' || words === '1-1') return true
  return ['1on1', '1to1'].includes(words.replaceAll('-', ''))
}

/**
 * Returns true if the session exists and is a 1:1 meeting. A 1:1 meeting does not make its participants
 * speakers. Source: transforms/RULES.md#r25.
 */
function isMeeting(sessionId: string, { Sessions, SessionTypes }: WorldA, options: OptionsA): boolean {
  const session = Sessions?.get(sessionId)
  const typeId = session === undefined ? null : readText(key(session, 'SessionTypeId')).text
  const type = typeId === null ? undefined : SessionTypes?.get(typeId)
  return type !== undefined && isOneToOne(titleOf(new Collector(), '', type, ['Title', 'Name']), options)
}

/**
 * Returns the sessions at which a user speaks: sessions that the user's record lists, even unknown ones, and
 * sessions that list the user.
 */
function sessionsOf(user: JsonObject, world: WorldA): readonly string[] {
  const own = readIdList(key(user, 'SpeakingAt'), key, 'Id').ids
  const id = idOfA(user)
  const naming = [...(world.Sessions ?? NOTHING)].flatMap(([sessionId, session]) =>
    id !== null && readIdList(key(session, 'Speakers'), key, 'Id').ids.includes(id) ? sessionId : [],
  )
  return [...new Set([...own, ...naming])].sort(byBytes)
}

/**
 * Returns true if a user has the role Speaker. The roles are a text with `|` between two roles, or a list.
 * Interpretation of the rule: upper and lower case do not matter.
 */
export function hasSpeakerRole(user: JsonObject): boolean {
  const value = key(user, 'Roles')
  const roles = (listIn(value) ?? [value]).flatMap((role) => readText(role).text?.split('|') ?? [])
  return roles.some((role) => role.trim().toLowerCase() === 'speaker')
}

export function speakerOfA(user: JsonObject, world: WorldA, options: OptionsA): Draft {
  const seen = new Collector()
  const id = idOfA(user)
  seen.mark('uniqueId', readText(key(user, 'Id')).faults)
  const firstName = seen.text('firstName', key(user, 'FirstName'))
  const lastName = seen.text('lastName', key(user, 'LastName'))
  seen.text('title', key(user, 'Title'))
  seen.text('company', key(user, 'Company'))
  seen.text('description', key(user, 'Biography'))
  const { facebook = 'Facebook', linkedin = 'LinkedIn' } = options.fields ?? {}
  for (const [field, read] of [
    ['imageUrl', readUrl(key(user, 'PhotoLink'))],
    ['facebookUrl', readProfile(key(user, facebook), 'facebook.com', '/')],
    ['linkedinUrl', readProfile(key(user, linkedin), 'linkedin.com', '/in/')],
  ] as const) {
    seen.mark(field, read.faults)
    seen.set(field, read.url)
  }
  const sessionIds = sessionsOf(user, world)
  seen.mark('sessionIds', readIdList(key(user, 'SpeakingAt'), key, 'Id').faults)
  const listed = sessionIds.some((session) => !isMeeting(session, world, options))
  const { speakers = 'listed' } = options
  // Interpretation of the rule: the option `both` requires the role and a listed session, not only one of the
  // two.
  const isSpeaker = (speakers === 'role' || listed) && (speakers === 'listed' || hasSpeakerRole(user))
  const isPending = flagOf(seen, user, 'IsPending') === true && options.includePending !== true
  const reason = firstReason(
    isSpeaker ? null : 'not_a_speaker',
    isPending ? 'not_published' : null,
    missing('firstName', firstName),
    missing('lastName', lastName),
    missing('uniqueId', id),
  )
  const references = [
    { field: 'sessionIds', to: 'agenda', ids: sessionIds },
    { field: 'attendeeId', to: 'attendees', ids: id === null ? [] : [id] },
  ] as const
  return { uniqueId: id, reason, marks: seen.marks, fields: seen.fields, references }
}

export function attendeeOfA(user: JsonObject): Draft {
  const seen = new Collector()
  seen.mark('uniqueId', readText(key(user, 'Id')).faults)
  const firstName = seen.text('firstName', key(user, 'FirstName'))
  const lastName = seen.text('lastName', key(user, 'LastName'))
  const emailAddress = seen.text('emailAddress', key(user, 'EmailAddress'))
  seen.text('title', key(user, 'Title'))
  seen.text('company', key(user, 'Company'))
  const reason = firstReason(
    missing('firstName', firstName),
    missing('lastName', lastName),
    missing('emailAddress', emailAddress),
  )
  return { uniqueId: idOfUser(user), reason, marks: seen.marks, fields: seen.fields, references: [] }
}
