import { column, flag, id, ids, option, socialUrl, staged, text, time, url } from '../declare/column.ts'
import { type Keys, resource } from '../declare/resource.ts'
import { addressKey } from '../rules/addresses.ts'
import { foldTitle } from '../rules/one-to-one.ts'
import { readReferences } from '../rules/references.ts'
import { readTimeOfA, readTimesOfA } from '../rules/times.ts'
import { readLinks } from '../rules/urls.ts'
import { hasValue, type Json, type JsonObject, readText, toList, valueByKey } from '../rules/values.ts'

/** Advice for a value that may be hidden because the source treats this product as an anonymous reader. */
export const VISIBLE = 'if it is filled in, set it to View for Anonymous (Admin → Users → Profile Fields)'

const idOf = (element: JsonObject) => valueByKey(element, 'id')
const namedIn = (value: Json | undefined) => readReferences(value, idOf)

/**
 * Compares keys of records in lower case. If a record has a key in several spellings, the first spelling with
 * a value is used.
 */
const FOLDED: Keys = { keyOf: foldKey, prepare: foldKeys }

/** The sessions of the source, as the request `GET Sessions?$expand=Speakers` returns them. */
export const sessions = resource('sessions', 'a_sessions', FOLDED, id('Id'), {
  title: text('Title'),
  description: text('Description', { meaning: 'the text as received, with its HTML' }),
  enabled: flag('Enabled', { meaning: 'if false, the session is excluded as not_published' }),
  visible_to_anonymous_users: flag('VisibleToAnonymousUsers', {
    meaning: 'if false, the session is excluded as not_published',
  }),
  status: text('Status', {
    meaning: 'the status of the session, for example Accepted; see source.sessionStatuses',
  }),
  time_slot_id: id('TimeSlotId'),
  room_id: id('RoomId'),
  track_id: id('TrackId'),
  session_type_id: id('SessionTypeId'),
  speaker_ids: column<readonly string[]>(
    'ids',
    ['Speakers', 'SpeakerOrder'],
    ([speakers, order]) => {
      const { ids, warnings } = namedIn(speakers)
      return staged(inOrderOf(namedIn(order).ids, ids), warnings)
    },
    {
      isNullable: false,
      meaning:
        'ids of speakers, without repeats. Ids that SpeakerOrder names come first, in the order of SpeakerOrder',
    },
  ),
  link_urls: column<readonly string[]>('texts', ['Links'], ([value]) => readLinks(value), {
    isNullable: false,
    meaning: 'http(s) addresses in the order of the source, without repeats',
  }),
})

/**
 * Sorts `ids`: first the ids that occur in `order`, in the order of that list, and then all other ids. An id
 * that is only in `order` is dropped.
 */
function inOrderOf(order: readonly string[], ids: readonly string[]): readonly string[] {
  const named = new Set(ids)
  return [...new Set([...order.filter((one) => named.has(one)), ...ids])]
}

/** Time slots. A time without an offset is a local time in the zone `source.timeZone`. */
export const timeSlots = resource('time_slots', 'a_time_slots', FOLDED, id('Id'), {
  ...time('start_time', ['StartTime'], ([start], timeZone) => readTimeOfA(start, timeZone)),
  ...time(
    'end_time',
    ['EndTime', 'StartTime'],
    ([end, start], timeZone) => readTimesOfA(start, end, timeZone).end,
    { shown: ['EndTime'] },
  ),
})

export const rooms = resource('rooms', 'a_rooms', FOLDED, id('Id'), {
  name: text('Name'),
  location: text('Location'),
})

export const tracks = resource('tracks', 'a_tracks', FOLDED, id('Id'), { title: text('Title') })

/**
 * Reads the title of a session; some accounts of the source use the key `Name` for it. If the record has no
 * title and `Name` is used, the warnings about both keys are kept.
 */
function readTitle([title, name]: readonly (Json | undefined)[]) {
  const [read, other] = [readText(title), readText(name)]
  const noticed = read.value === null ? [read.warning, other.warning] : [read.warning]
  return { value: read.value ?? other.value, warnings: noticed.filter((warning) => warning !== null) }
}

export const sessionTypes = resource('session_types', 'a_session_types', FOLDED, id('Id'), {
  title: column<string | null>('text', ['Title', 'Name'], readTitle),
  title_folded: column<string | null>(
    'id',
    ['Title', 'Name'],
    (values) => {
      const { value } = readTitle(values)
      return staged(value === null ? null : foldTitle(value))
    },
    {
      meaning:
        'the title or, if there is none, the name, in lower case. The product compares this column with source.oneToOneTypes to find 1:1 meetings. All usual spellings of "1:1 meeting" are stored as "1:1 meeting"',
    },
  ),
})

/** The users of the source; a user may be a speaker, an attendee or both. */
export const users = resource(
  'users',
  'a_users',
  FOLDED,
  column<string | null>(
    'id',
    ['Id', 'EmailAddress'],
    ([own, address]) => {
      const { value, warning } = readText(own)
      if (value !== null) return staged(value, warning)
      const { value: written } = readText(address)
      return staged(written === null ? null : addressKey(written), warning)
    },
    {
      meaning:
        'the id of the user, with all digits as the source writes them. For a user without an id, source_id is the e-mail address in lower case and NFC',
    },
  ),
  {
    id: id('Id', {
      isPlain: true,
      meaning: 'the id from the source; null if the source gave no id and source_id is the e-mail address',
    }),
    first_name: text('FirstName'),
    last_name: text('LastName'),
    email_address: text('EmailAddress'),
    title: text('Title'),
    company: text('Company'),
    biography: text('Biography'),
    photo_link: url('PhotoLink', { meaning: 'an address that begins with http:// or https://' }),
    facebook_url: socialUrl(
      option('facebook', 'Facebook', 'Key of a user that holds the Facebook URL or handle.'),
      'facebook',
    ),
    linkedin_url: socialUrl(
      option('linkedin', 'LinkedIn', 'Key of a user that holds the LinkedIn URL or handle.'),
      'linkedin',
    ),
    has_speaker_role: column<boolean>('flag', ['Roles'], ([value]) => staged(hasSpeakerRole(value)), {
      isNullable: false,
      isPlain: true,
      meaning:
        'true if Speaker is one of the roles. The product uses this column only if source.speakers is role or both',
    }),
    is_pending: flag('IsPending', { isPlain: true, meaning: 'if true, the user is not a speaker yet' }),
    speaking_at: ids('SpeakingAt', idOf, { isPlain: true, meaning: 'ids of sessions, in byte order' }),
  },
)

/**
 * Returns true if `Roles` contains the role Speaker. `Roles` is a list, or a text such as `Admin|Speaker`.
 */
function hasSpeakerRole(value: Json | undefined): boolean {
  const roles = toList(value) ?? readText(value).value?.split(/[|,;]/) ?? []
  return roles.some((role: Json) => readText(role).value?.toLowerCase() === 'speaker')
}

function foldKeys(record: JsonObject): JsonObject {
  const folded: { [key: string]: Json } = {}
  for (const key of Object.keys(record)) {
    const value = record[key] ?? null
    const name = foldKey(key)
    // `hasOwn` is needed because every object inherits keys such as `constructor`.
    if (!Object.hasOwn(folded, name) || !hasValue(folded[name])) folded[name] = value
  }
  return folded
}

const foldedKeys = new Map<string, string>()
function foldKey(key: string): string {
  const known = foldedKeys.get(key)
  if (known !== undefined) return known
  const lower = key.toLowerCase()
  const folded = lower === '__proto__' ? lower.toUpperCase() : lower
  if (foldedKeys.size < 1000) foldedKeys.set(key, folded)
  return folded
}
