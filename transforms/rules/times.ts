import { isJsonObject, type Json, readText, type Text, valueByKey, type Warning } from './values.ts'
import { findZone, type Instants, instantsOf, isClockChange, type Zone } from './zones.ts'

/**
 * A time that was read from a record.
 *
 * `instant` is a time in UTC with years from 0001 to 9999, in the form `YYYY-MM-DDTHH:MM:SSZ`. `ambiguous`
 * means that the local time occurs twice because clocks were set back. `unreadable` means that the record has
 * a value that is not a time (reason `bad_time`). `warnings` can have the warnings of the text rule about the
 * texts of the time, and `skipped_time` and `unknown_zone`.
 */
export type Time =
  | { readonly status: 'absent' | 'unreadable'; readonly warnings: readonly Warning[] }
  | {
      readonly status: 'read' | 'ambiguous'
      readonly instant: string
      readonly warnings: readonly Warning[]
    }

/** The start and the end of a session. */
export interface Times {
  readonly start: Time
  readonly end: Time
}

/** The values of a Source B session from which its times are read, as the source sent them. */
type TimeFieldsOfB = Readonly<Record<'date' | 'start_time' | 'end_time' | 'timezone', Json | undefined>>

/**
 * Reads a time of Source A.
 *
 * @param value a text or an object. In an object, `EventTime` is read if it has an offset. If `EventTime` has
 * no offset, `UTC` is read. If `UTC` is missing too, `EventTime` is read without an offset. If the selected
 * value cannot be read, the time is unreadable
 * @param timeZone time zone for times without an offset; if null, such times are unreadable
 */
export function readTimeOfA(value: Json | undefined, timeZone: string | null): Time {
  return startOf(readingOfA(value, timeZone))
}

/**
 * Reads the start and the end of a time slot of Source A. If the local end time occurs twice because clocks
 * were set back, the function uses the first instant that is not before the start.
 */
export function readTimesOfA(start: Json | undefined, end: Json | undefined, timeZone: string | null): Times {
  const from = readingOfA(start, timeZone)
  return { start: startOf(from), end: endOf(readingOfA(end, timeZone), from) }
}

/**
 * Reads the start and the end of a Source B session: the start from `date` and `start_time`, the end from
 * `date` and `end_time`.
 *
 * If the end is before the start, both as an instant and as a local time, then the end is on the next day.
 * Without `date`, start and end are absent, because a time of day alone is not a time.
 *
 * @param timeZone time zone that is used if the session's own `timezone` does not name a zone; if null, the
 * times of such sessions are unreadable
 * @returns the times, and the zone in which they were read
 */
export function readTimesOfB(
  fields: TimeFieldsOfB,
  timeZone: string | null,
): Times & { readonly timeZone: string | null } {
  const own = readText(fields.timezone)
  const ownZone = own.value === null ? null : findZone(own.value)
  const isUnknown = ownZone === null && (own.value !== null || own.warning === 'not_text')
  const zone = ownZone ?? zoneOf(timeZone)

  const date = readText(fields.date)
  const read = (time: Text) => reading(combined(date, time), zone, time.warning ?? date.warning, isUnknown)
  const [from, to] = [read(readText(fields.start_time)), read(readText(fields.end_time))]
  const end = isBefore(to, from) ? onNextDay(to) : to
  return { start: startOf(from), end: endOf(end, from), timeZone: zone?.name ?? null }
}

/**
 * A UTC offset that the source states, and the instant for which the source states it. Both are in
 * milliseconds.
 */
export interface StatedOffset {
  readonly instantMs: number
  readonly offsetMs: number
}

/**
 * Reads the UTC offset of the event's clocks from a time of Source A. The offset is in the text or in
 * `EventTime`, or it is the difference between `EventTime` and `UTC`.
 *
 * @returns null if the value does not show the offset of the event's clocks. `Z` and +00:00 in a text do not
 *   show the offset, because sources write them for events in any place
 */
export function statedOffsetOfA(value: Json | undefined): StatedOffset | null {
  if (value === undefined || !isJsonObject(value)) {
    const stated = statedOffset(readText(value).value)
    return stated?.offsetMs === 0 ? null : stated
  }
  const eventTime = readText(valueByKey(value, 'eventtime')).value
  const local = eventTime === null ? null : readClock(eventTime)
  if (eventTime === null || local === null) return null
  if (local.offsetMs !== null) return statedOffset(eventTime)
  const utc = readText(valueByKey(value, 'utc')).value
  const clock = utc === null ? null : readClock(utc)
  if (clock === null) return null
  const instantMs = clock.wallMs - (clock.offsetMs ?? 0)
  return { instantMs, offsetMs: local.wallMs - instantMs }
}

/**
 * Reads the UTC offset from the text of a time. Returns null if the text has no offset, ends in `Z`, or is
 * not a time.
 */
export function statedOffset(text: string | null): StatedOffset | null {
  const clock = text === null || text.endsWith('Z') ? null : readClock(text)
  if (clock === null || clock.offsetMs === null) return null
  return { instantMs: clock.wallMs - clock.offsetMs, offsetMs: clock.offsetMs }
}

/**
 * Finds the UTC offsets in all texts of a value, also inside of lists and objects. An offset of 0 is left
 * out, because many sources give all times in UTC.
 */
export function offsetsIn(value: Json | undefined): readonly StatedOffset[] {
  if (Array.isArray(value)) return value.flatMap((one) => offsetsIn(one))
  if (value !== undefined && isJsonObject(value)) return Object.values(value).flatMap(offsetsIn)
  const stated = typeof value === 'string' ? statedOffset(readText(value).value) : null
  return stated === null || stated.offsetMs === 0 ? [] : [stated]
}

function combined({ value: date }: Text, { value: time }: Text): string | null {
  return date === null || time === null ? null : `${date}T${time}`
}

/**
 * A time before a time zone is applied. A `Clock` has the local time, in milliseconds as if it were UTC, and
 * the offset if the text has an offset.
 */
interface Clock {
  readonly wallMs: number
  readonly offsetMs: number | null
}

// The time of these regular expressions grows at most linearly with the length of the text. Linear time is
// important, because a text may have megabytes.
const ENDS_IN_ZONE = /(?:Z|[+-]\d{2}:\d{2})$/
const ENDS_IN_FOUR_DIGITS = /[+-]\d{4}$/

/**
 * Returns true if a text ends with a UTC offset. An offset without a colon is recognised only after a time of
 * day on the same line. Without the rule about the colon, the year of `04-05-2031` would be an offset.
 */
function endsInOffset(text: string): boolean {
  if (ENDS_IN_ZONE.test(text)) return true
  if (!ENDS_IN_FOUR_DIGITS.test(text)) return false
  const before = text.slice(0, -'+0200'.length)
  return /:\d{2}/.test(before.split(/[\n\r\u2028\u2029]/).at(-1) ?? '')
}

const FORM =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:\.\d+)?)?(?:(Z)|([+-])([01]\d|2[0-3]):?([0-5]\d))?$/

/** Reads a time in the only form that is accepted (transforms/RULES.md#r66). */
export function readClock(text: string): Clock | null {
  const [, date, minute, second = '00', utc, sign, hours, minutes] = FORM.exec(text) ?? []
  if (date === undefined) return null
  const shown = `${date}T${minute}:${second}.000Z`
  const wallMs = Date.parse(shown)
  // `Date.parse` accepts February 30 as March 2, and 24:00 as the next day, so the result is compared with
  // the text.
  if (Number.isNaN(wallMs) || new Date(wallMs).toISOString() !== shown) return null
  if (utc !== undefined) return { wallMs, offsetMs: 0 }
  if (sign === undefined) return { wallMs, offsetMs: null }
  const sizeMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  return { wallMs, offsetMs: sign === '-' ? -sizeMs : sizeMs }
}

/** The state of reading a text as a time. */
interface Reading {
  readonly isAbsent: boolean
  readonly clock: Clock | null
  readonly zone: Zone | null
  /**
   * The instants that the text can mean (two if the local time occurs twice); null if the text cannot be
   * read.
   */
  readonly instants: Instants | null
  readonly warnings: readonly Warning[]
}

function readingOfA(value: Json | undefined, timeZone: string | null): Reading {
  if (value === undefined || !isJsonObject(value)) {
    const { value: text, warning } = readText(value)
    return reading(text, zoneOf(timeZone), warning)
  }
  const eventTime = readText(valueByKey(value, 'eventtime'))
  if (eventTime.value !== null && endsInOffset(eventTime.value)) {
    return reading(eventTime.value, null, eventTime.warning)
  }
  const utc = readText(valueByKey(value, 'utc'))
  const warning = eventTime.warning ?? utc.warning
  return utc.value === null
    ? reading(eventTime.value, zoneOf(timeZone), warning)
    : reading(utc.value, zoneOf('UTC'), warning)
}

function zoneOf(timeZone: string | null): Zone | null {
  return timeZone === null ? null : findZone(timeZone)
}

/** @param isUnknown true if the record names a time zone that this product does not know */
function reading(
  text: string | null,
  zone: Zone | null,
  warning: Warning | null,
  isUnknown = false,
): Reading {
  const clock = text === null ? null : readClock(text)
  const isLocal = text !== null && (clock?.offsetMs ?? null) === null
  return {
    isAbsent: text === null,
    clock,
    zone,
    instants: clock === null ? null : instantsOfClock(clock, zone),
    warnings: [
      ...(warning === null ? [] : [warning]),
      ...(isLocal && isUnknown ? (['unknown_zone'] as const) : []),
    ],
  }
}

function instantsOfClock({ wallMs, offsetMs }: Clock, zone: Zone | null): Instants | null {
  if (offsetMs !== null) return { all: [wallMs - offsetMs], isSkipped: false }
  return zone === null ? null : instantsOf(wallMs, zone)
}

/**
 * Returns true if the end is before the start in two ways: as a local time, and at every instant that the end
 * can mean.
 */
function isBefore(end: Reading, start: Reading): boolean {
  if (end.clock === null || start.clock === null || end.clock.wallMs >= start.clock.wallMs) return false
  const from = start.instants?.all[0]
  return from === undefined || end.instants === null || end.instants.all.every((instant) => instant < from)
}

function onNextDay(end: Reading): Reading {
  if (end.clock === null) return end
  const clock = { ...end.clock, wallMs: end.clock.wallMs + 86_400_000 }
  return { ...end, clock, instants: instantsOfClock(clock, end.zone) }
}

function startOf(start: Reading): Time {
  const instant = start.instants?.all[0]
  return toTime(start, instant, start.instants?.isSkipped === true)
}

/**
 * Returns the first instant of the end that is not before the start. If every instant of the end is before
 * the start, returns its first instant.
 */
function endOf(end: Reading, start: Reading): Time {
  const from = start.instants?.all[0] ?? Number.NEGATIVE_INFINITY
  const { all = [], isSkipped = false } = end.instants ?? {}
  const instant = all.find((one) => one >= from) ?? all[0]
  // The first local time that a clock change skips is the moment of the change itself. A session may end at
  // the moment of a clock change, so an end at this moment gets no warning.
  const isInside =
    isSkipped && instant !== undefined && end.zone !== null && !isClockChange(instant, end.zone)
  return toTime(end, instant, isInside)
}

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59Z')

function toTime(
  { isAbsent, instants, warnings }: Reading,
  instantMs: number | undefined,
  isSkipped: boolean,
): Time {
  if (isAbsent) return { status: 'absent', warnings }
  if (instantMs === undefined || instantMs < FIRST_MS || instantMs > LAST_MS) {
    return { status: 'unreadable', warnings }
  }
  return {
    status: (instants?.all.length ?? 0) > 1 ? 'ambiguous' : 'read',
    instant: `${new Date(instantMs).toISOString().slice(0, 19)}Z`,
    warnings: isSkipped ? [...warnings, 'skipped_time'] : warnings,
  }
}
