import { isJsonObject, type Json, readText, type TextWarning, valueByKey } from './values.ts'

/**
 * A time as it was read.
 *
 * `instant` is UTC, `YYYY-MM-DDTHH:MM:SSZ`, years 0001 to 9999; `ambiguous` means that the local time occurs
 * twice, and `instant` is the earlier. `unreadable` is there but no time: `bad_time`. `warning` is what the text
 * rule says of the texts that it was read from.
 */
export type Time =
  | { readonly status: 'absent' | 'unreadable'; readonly warning: TextWarning | null }
  | { readonly status: 'read' | 'ambiguous'; readonly instant: string; readonly warning: TextWarning | null }

/** The fields of a session of Source B that make its times, as received. */
type TimeFieldsOfB = Readonly<Record<'date' | 'start_time' | 'end_time' | 'timezone', Json | undefined>>

/**
 * Reads a time of Source A.
 *
 * @param value a text, or an object: its `EventTime` if that has an offset, else its `UTC`, else its
 * `EventTime`. What is chosen is not replaced when it cannot be read
 * @param timeZone where a time without offset is local; null makes such a time unreadable
 */
export function readTimeOfA(value: Json | undefined, timeZone: string | null): Time {
  if (value === undefined || !isJsonObject(value)) {
    const { value: text, warning } = readText(value)
    return toTime(text, timeZone, warning)
  }
  const eventTime = readText(valueByKey(value, 'eventtime'))
  if (eventTime.value !== null && endsInOffset(eventTime.value)) {
    return toTime(eventTime.value, null, eventTime.warning)
  }
  const utc = readText(valueByKey(value, 'utc'))
  const warning = eventTime.warning ?? utc.warning
  return utc.value === null ? toTime(eventTime.value, timeZone, warning) : toTime(utc.value, 'UTC', warning)
}

/**
 * Reads the start and the end of a session of Source B, `date` with `start_time` and with `end_time`.
 *
 * An end that is before the start by the clock on the wall is on the next day. Without `date` both are absent:
 * a time of day alone is no time.
 *
 * @param timeZone used where the session's own `timezone` is no IANA name; null makes its times unreadable
 * @returns `timeZone` is the one that was used, spelled as it was given
 */
export function readTimesOfB(
  fields: TimeFieldsOfB,
  timeZone: string | null,
): { readonly start: Time; readonly end: Time; readonly timeZone: string | null } {
  const ownZone = readText(fields.timezone).value
  const zone = ownZone !== null && isTimeZone(ownZone) ? ownZone : timeZone

  const date = readText(fields.date)
  const startTime = readText(fields.start_time)
  const endTime = readText(fields.end_time)
  const start = combined(date.value, startTime.value)
  const end = combined(date.value, endTime.value)
  const startClock = start === null ? null : readClock(start)
  const endClock = end === null ? null : readClock(end)
  const isNextDay = startClock !== null && endClock !== null && endClock.wallMs < startClock.wallMs
  const endsAt = isNextDay ? { ...endClock, wallMs: endClock.wallMs + 86_400_000 } : endClock

  const startWarning = startTime.warning ?? date.warning
  const endWarning = endTime.warning ?? date.warning
  return {
    start: start === null ? absent(startWarning) : atZone(startClock, zone, startWarning),
    end: end === null ? absent(endWarning) : atZone(endsAt, zone, endWarning),
    timeZone: zone,
  }
}

function combined(date: string | null, time: string | null): string | null {
  return date === null || time === null ? null : `${date}T${time}`
}

/** What a time says before its zone is known: the wall clock as if it were UTC, and the offset if it has one. */
interface Clock {
  readonly wallMs: number
  readonly offsetMs: number | null
}

// Each of these looks at a few characters before the end, or at a character once: a text may be megabytes long.
const ENDS_IN_ZONE = /(?:Z|[+-]\d{2}:\d{2})$/
const ENDS_IN_FOUR_DIGITS = /[+-]\d{4}$/

/** Without a colon only after a time of day, on the same line: the year of `04-05-2031` is no offset. */
function endsInOffset(text: string): boolean {
  if (ENDS_IN_ZONE.test(text)) return true
  if (!ENDS_IN_FOUR_DIGITS.test(text)) return false
  const before = text.slice(0, -'+0200'.length)
  return /:\d{2}/.test(before.split(/[\n\r\u2028\u2029]/).at(-1) ?? '')
}

const FORM =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:\.\d+)?)?(?:(Z)|([+-])([01]\d|2[0-3]):?([0-5]\d))?$/

/** Reads the only form that counts: transforms/RULES.md#r66 */
function readClock(text: string): Clock | null {
  const [, date, minute, second = '00', utc, sign, hours, minutes] = FORM.exec(text) ?? []
  if (date === undefined) return null
  const shown = `${date}T${minute}:${second}.000Z`
  const wallMs = Date.parse(shown)
  // Date.parse takes February 30 for March 2, and 24:00 for the next day.
  if (Number.isNaN(wallMs) || new Date(wallMs).toISOString() !== shown) return null
  if (utc !== undefined) return { wallMs, offsetMs: 0 }
  if (sign === undefined) return { wallMs, offsetMs: null }
  const sizeMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  return { wallMs, offsetMs: sign === '-' ? -sizeMs : sizeMs }
}

function absent(warning: TextWarning | null): Time {
  return { status: 'absent', warning }
}

function toTime(text: string | null, timeZone: string | null, warning: TextWarning | null): Time {
  return text === null ? absent(warning) : atZone(readClock(text), timeZone, warning)
}

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59Z')

function atZone(clock: Clock | null, timeZone: string | null, warning: TextWarning | null): Time {
  const instants = clock === null ? [] : instantsOfClock(clock, timeZone)
  const [earliest] = instants
  if (earliest === undefined || earliest < FIRST_MS || earliest > LAST_MS) {
    return { status: 'unreadable', warning }
  }
  const instant = `${new Date(earliest).toISOString().slice(0, 19)}Z`
  return { status: instants.length > 1 ? 'ambiguous' : 'read', instant, warning }
}

function instantsOfClock({ wallMs, offsetMs }: Clock, timeZone: string | null): readonly number[] {
  if (offsetMs !== null) return [wallMs - offsetMs]
  return timeZone === null ? [] : instantsOf(wallMs, timeZone)
}

const DAY_MS = 86_400_000

// ICU also takes names of old Java and System V that IANA does not have; to it, BST is the time of Dhaka.
const OF_ICU_ONLY =
  /^(?:ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i

const NAME = /^[a-z][a-z0-9._+/-]*$/i

/** Formatters by zone name in lower case, known zones only; building one takes a thousand times its use. */
const formatters = new Map<string, Intl.DateTimeFormat>()

/** Whether a name is an IANA time zone or link that `Intl` knows, in any case: `US/Eastern`, `UTC`, but not `+02:00`. */
export function isTimeZone(name: string): boolean {
  return formatterOf(name) !== null
}

/**
 * Finds the instants at which the clocks of a zone show a time.
 *
 * @param wallMs the time shown, in milliseconds since 1970 as if it were UTC; whole seconds
 * @returns milliseconds since 1970 in UTC, earlier first: none where a clock change skips the time or the
 * zone is unknown, two where it occurs twice
 */
export function instantsOf(wallMs: number, timeZone: string): readonly number[] {
  const formatter = formatterOf(timeZone)
  if (formatter === null) return []
  // No zone is a day or more off UTC, and none has ever changed its clocks twice within two days. A time that
  // occurs twice had the larger offset first, so the earlier instant comes first too.
  const offsets = new Set([offsetMsAt(formatter, wallMs - DAY_MS), offsetMsAt(formatter, wallMs + DAY_MS)])
  return [...offsets]
    .map((offsetMs) => wallMs - offsetMs)
    .filter((instant) => instant + offsetMsAt(formatter, instant) === wallMs)
}

/**
 * Finds what the clocks of a zone show at an instant.
 *
 * @param instant milliseconds since 1970 in UTC
 * @returns milliseconds since 1970 as if the time shown were UTC; null where the zone is unknown
 */
export function wallMsAt(instant: number, timeZone: string): number | null {
  const formatter = formatterOf(timeZone)
  return formatter === null ? null : instant + offsetMsAt(formatter, instant)
}

function formatterOf(name: string): Intl.DateTimeFormat | null {
  if (!NAME.test(name) || OF_ICU_ONLY.test(name)) return null
  const key = name.toLowerCase()
  const known = formatters.get(key)
  if (known !== undefined) return known
  try {
    const formatter = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
    formatters.set(key, formatter)
    return formatter
  } catch {
    return null
  }
}

// The formatter prints `11/7/2010, GMT-05:00`, `GMT-04:56:02` before standard time, and for UTC, in some
// versions, `GMT` alone.
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/

function offsetMsAt(formatter: Intl.DateTimeFormat, instant: number): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(formatter.format(instant)) ?? []
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -size : size
}
