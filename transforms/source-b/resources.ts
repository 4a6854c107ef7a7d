import {
  column,
  folded,
  id,
  ids,
  option,
  type ReadContext,
  readBy,
  staged,
  text,
  time,
} from '../declare/column.ts'
import { EXACT_KEYS, resource } from '../declare/resource.ts'
import { isCancelled } from '../rules/cancelled.ts'
import { readTimesOfB } from '../rules/times.ts'
import { readTwitter } from '../rules/urls.ts'
import { isJsonObject, type Json, readText } from '../rules/values.ts'

/**
 * How keys of sessions and registrants are compared, and the key with the time of the last change. Sessions
 * and registrants can be read by changes, because their records have the key `updated_at`.
 */
const DATED_KEYS = { ...EXACT_KEYS, changedAt: 'updated_at' }

type Values = readonly (Json | undefined)[]

const TIME_KEYS = ['date', 'start_time', 'end_time', 'timezone'] as const

function timesOf([date, start_time, end_time, timezone]: Values, timeZone: string | null) {
  return readTimesOfB({ date, start_time, end_time, timezone }, timeZone)
}

/**
 * Sessions. Times are local times in the session's own zone. The times of a session that names no zone are in
 * the zone `source.timeZone`.
 */
export const sessions = resource('sessions', 'b_sessions', DATED_KEYS, id('id'), {
  name: text('name'),
  description: text('description', { meaning: 'the text as received, with its HTML' }),
  ...time('start_time', TIME_KEYS, (values, timeZone) => timesOf(values, timeZone).start, {
    shown: ['date', 'start_time'],
  }),
  ...time('end_time', TIME_KEYS, (values, timeZone) => timesOf(values, timeZone).end, {
    shown: ['date', 'end_time'],
    meaning: 'the time as an instant. If the end would be before the start, the end is on the next day',
  }),
  time_zone: column<string | null>(
    'text',
    TIME_KEYS,
    (values, { timeZone }: ReadContext) => staged(timesOf(values, timeZone).timeZone),
    {
      shown: ['timezone'],
      meaning:
        'the time zone of the local times, as an IANA name or an offset such as -05:00. If the record names no time zone, the column contains source.timeZone',
    },
  ),
})

/**
 * Declares a column whose value comes from `reg_type_id`. The value is a number, a text, or an object such as
 * `{"id":20,"value":"Speaker"}`.
 */
function ofRegType(
  type: 'id' | 'text',
  pick: (id: string | null, name: string | null) => string | null,
  meaning: string,
) {
  const rule = ([value]: Values) => {
    const isObject = isJsonObject(value)
    return staged(
      pick(readText(isObject ? value.id : value).value, isObject ? readText(value.value).value : null),
    )
  }
  return column<string | null>(type, ['reg_type_id'], rule, { isPlain: true, meaning })
}

/** The registrants of the source; a registrant may be a speaker, an attendee or both. */
export const registrants = resource('registrants', 'b_registrants', DATED_KEYS, id('id', { isPlain: true }), {
  first_name: text('first_name'),
  last_name: text('last_name'),
  email: text(option('email', 'email', 'Key of a registrant that holds the e-mail address.')),
  job_title: text('job_title'),
  company: text('company'),
  bio: text('bio'),
  mobile_phone: text('mobile_phone'),
  twitter_handle: readBy('twitter_handle', readTwitter, {
    meaning: 'the handle, without @ and without the address of the page',
  }),
  reg_type_id: ofRegType(
    'id',
    (id) => id,
    'the id of the registrant type. If the record has a plain text instead, the column contains this text',
  ),
  reg_type_value: ofRegType(
    'text',
    (_, name) => name,
    'the name of the registrant type, if the record states it',
  ),
  reg_type_folded: ofRegType(
    'id',
    (id, name) => (name ?? id)?.toLowerCase() ?? null,
    'the name of the registrant type or, if the record states no name, the text of reg_type_id, both in lower case. The product finds speakers by this column',
  ),
  session_ids: ids('session_ids', (element) => element.id, {
    isPlain: true,
    meaning: 'ids of sessions, in byte order, without repeats',
  }),
  cancelled_at: column<string | null>('text', ['cancelled_at'], ([value]) => staged(cancelledAt(value)), {
    isPlain: true,
    meaning:
      'the value as received; null if the registrant has not cancelled. The values null, blank, false and a zero date mean not cancelled',
  }),
})

/** Returns the date of cancellation as the source sent it; null if the registrant is not cancelled. */
function cancelledAt(value: Json | undefined): string | null {
  if (!isCancelled(value)) return null
  return readText(value).value ?? JSON.stringify(value)
}

export const regTypes = resource('reg_types', 'b_reg_types', EXACT_KEYS, id('id'), {
  name: text('name'),
  name_folded: folded(['name'], ([name]) => readText(name).value, {
    meaning: 'the name in lower case, to compare it with source.speakerRegistrantType',
  }),
})
