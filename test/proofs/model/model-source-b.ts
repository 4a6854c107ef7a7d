import { isObject, type Json, type JsonObject } from '../../harness/json.ts'
import { Collector, type Draft, firstReason, missing } from './model-draft.ts'
import { exactKey as key, type ReadList, readId, readIdList, readReference } from './model-read.ts'
import type { Current } from './model-resource.ts'
import { timesOfB } from './model-session-times.ts'
import { byBytes, readText } from './model-text.ts'
import { readWall } from './model-times.ts'
import { readTwitter } from './model-urls.ts'
import type { OptionsB } from './options.ts'

export function idOfB(record: JsonObject): string | null {
  return readId(key(record, 'id'))
}

export function sessionOfB(id: string, session: JsonObject, { timeZone }: OptionsB): Draft {
  const seen = new Collector()
  seen.mark('uniqueId', readText(key(session, 'id')).faults)
  const name = seen.text('name', key(session, 'name'))
  seen.text('description', key(session, 'description'))
  const badTimes = seen.times(timesOfB(session, timeZone))
  return {
    uniqueId: id,
    reason: firstReason(missing('name', name), badTimes),
    marks: seen.marks,
    fields: seen.fields,
    references: [],
  }
}

const sameName = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase()

/** Returns true if a registrant type is the configured speaker type, which is given by name or by id. */
function isConfigured(
  id: string | null,
  name: string | null,
  { speakerRegistrantType = 'Speaker' }: OptionsB,
): boolean {
  return id === speakerRegistrantType.trim() || (name !== null && sameName(name, speakerRegistrantType))
}

/**
 * Returns true if the configured speaker type exists in the source. If the speaker type does not exist, the
 * plan is held.
 *
 * Interpretation of the rule: the type exists if a registrant has it, even if the list of types does not
 * contain it.
 */
export function hasSpeakerType(types: Current, registrants: Current, options: OptionsB): boolean {
  const isListed = [...types].some(([id, type]) =>
    isConfigured(id, readText(key(type, 'name')).text, options),
  )
  return isListed || [...registrants.values()].some((registrant) => isSpeakerOfB(registrant, types, options))
}

/**
 * Returns the id and the name of the type in the registrant's own record. Source: transforms/RULES.md#r18.
 */
export function typeOf(registrant: JsonObject): { readonly id: string | null; readonly name: string | null } {
  const given = key(registrant, 'reg_type_id')
  return {
    id: readReference(isObject(given) ? key(given, 'id') : given).text,
    name: isObject(given) ? readText(key(given, 'value')).text : null,
  }
}

/** Source: transforms/RULES.md#r37, #r62. */
function isSpeakerOfB(registrant: JsonObject, types: Current, options: OptionsB): boolean {
  const { id, name: own } = typeOf(registrant)
  const type = id === null ? undefined : types.get(id)
  const listed = type === undefined ? null : readText(key(type, 'name')).text
  return isConfigured(id, own ?? listed ?? id, options)
}

const NEVER = [
  ...['0000-00-00', '-0001-11-30', '-001-11-30', '-000001-11-30', '0001-01-01', '0000-12-31', '0000-01-01'],
  ...['-0001-11-29', '-62135596800', '/Date(0)/', '1970/01/01', '01.01.1970', '1/1/1970'],
]

/** Source: transforms/RULES.md#r67. */
export function isCancelled(value: Json | undefined): boolean {
  if (value === null || value === undefined || value === false) return false
  const { text } = readText(value)
  if (text === null) return typeof value !== 'string'
  const digits = text.replaceAll(/\D/g, '')
  const hasOtherWords = /[^\d\s.:/TZ+-]/.test(text)
  if (digits !== '' && Number(digits) === 0 && !hasOtherWords) return false
  if (NEVER.some((date) => text.startsWith(date))) return false
  if (text === '1970-01-01' || text === '1969-12-31') return false
  const wall = readWall(text)
  if (wall === null) return true
  const hours = (wall.wallMs - (wall.offsetMs ?? 0)) / 3_600_000
  return wall.offsetMs === null ? hours < -12 || hours > 14 : hours !== 0
}

function sessionIdsOf(registrant: JsonObject): ReadList {
  return readIdList(key(registrant, 'session_ids'), key, 'id')
}

export function speakerOfB(id: string, registrant: JsonObject, types: Current, options: OptionsB): Draft {
  const seen = new Collector()
  const { firstName, lastName } = person(seen, registrant, 'description')
  const twitter = readTwitter(key(registrant, 'twitter_handle'))
  seen.mark('twitter', twitter.faults)
  seen.set('twitter', twitter.url)
  const { ids, faults } = sessionIdsOf(registrant)
  seen.mark('sessionIds', faults)
  // Interpretation of the rule: this option excludes cancelled people for the same reason as attendees. The
  // option is applied before the rules that decide who is a speaker.
  const isExcluded = options.cancelledSpeakers === 'exclude' && isCancelled(key(registrant, 'cancelled_at'))
  const reason = firstReason(
    isExcluded ? 'cancelled' : null,
    isSpeakerOfB(registrant, types, options) ? null : 'not_a_speaker',
    missing('firstName', firstName),
    missing('lastName', lastName),
  )
  const references = [
    { field: 'sessionIds', to: 'agenda', ids: ids.toSorted(byBytes) },
    { field: 'attendeeId', to: 'attendees', ids: [id] },
  ] as const
  return { uniqueId: id, reason, marks: seen.marks, fields: seen.fields, references }
}

export function attendeeOfB(id: string, registrant: JsonObject, options: OptionsB): Draft {
  const seen = new Collector()
  const { firstName, lastName } = person(seen, registrant, 'biography')
  const emailAddress = seen.text('emailAddress', key(registrant, options.fields?.email ?? 'email'))
  seen.text('phone', key(registrant, 'mobile_phone'))
  const { ids, faults } = sessionIdsOf(registrant)
  seen.mark('personalAgenda', faults)
  const reason = firstReason(
    isCancelled(key(registrant, 'cancelled_at')) ? 'cancelled' : null,
    missing('firstName', firstName),
    missing('lastName', lastName),
    missing('emailAddress', emailAddress),
  )
  const references = [{ field: 'personalAgenda', to: 'agenda', ids: ids.toSorted(byBytes) }] as const
  return { uniqueId: id, reason, marks: seen.marks, fields: seen.fields, references }
}

/** Reads the fields that both speakers and attendees have. */
function person(seen: Collector, registrant: JsonObject, biography: string) {
  seen.mark('uniqueId', readText(key(registrant, 'id')).faults)
  seen.text('title', key(registrant, 'job_title'))
  seen.text('company', key(registrant, 'company'))
  seen.text(biography, key(registrant, 'bio'))
  return {
    firstName: seen.text('firstName', key(registrant, 'first_name')),
    lastName: seen.text('lastName', key(registrant, 'last_name')),
  }
}
