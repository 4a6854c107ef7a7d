import { isJsonObject, type Json, readText, type Text, valueByKey, type Warning } from './values.ts'
import { findZone, type Instants, instantsOf, isClockChange, type Zone } from './zones.ts'

/**
 * A time as it was read.
 *
 * `instant` is UTC, `YYYY-MM-DDTHH:MM:SSZ`, years 0001 to 9999; `ambiguous` means that the local time occurs
 * twice. `unreadable` is there but no time: `bad_time`. `warnings` are what the text rule says of the texts that it was read from,
 * `skipped_time` and `unknown_zone`.
 */
export type Time =
  | { readonly status: 'absent' | 'unreadable'; readonly warnings: readonly Warning[] }
  | {
      readonly status: 'read' | 'ambiguous'
      readonly instant: string
      readonly warnings: readonly Warning[]
    }

/** Start and end of a session. */
export interface Times {
  readonly start: Time
  readonly end: Time
}

/** The fields of a session of Source B that make its times, as received. */
type TimeFieldsOfB = Readonly<Record<'date' | 'start_time' | 'end_time' | 'timezone', Json | undefined>>

/**
 * Reads a time of Source A.
 *
 * @param value a text, or an object: its `EventTime` if that has an offset, else its `UTC`, else its
 * `EventTime`. What is chosen is not replaced when it cannot be read
 * @param timeZone zone of times without offset; null makes such a time unreadable
 */
export function readTimeOfA(value: Json | undefined, timeZone: string | null): Time {
  return startOf(readingOfA(value, timeZone))
}

/** Reads the start and the end of a time slot of Source A. Of a local end that clocks show twice, the start decides which is meant. */
export function readTimesOfA(start: Json | undefined, end: Json | undefined, timeZone: string | null): Times {
  const from = readingOfA(start, timeZone)
  return { start: startOf(from), end: endOf(readingOfA(end, timeZone), from) }
}

/**
 * Reads the start and the end of a session of Source B, `date` with `start_time` and with `end_time`.
 *
 * An end that lies before the start, by the clock on the wall too, is on the next day. Without `date` both are absent:
 * a time of day alone is not a time.
 *
 * @param timeZone used if the session's own `timezone` names no zone; null makes its times unreadable
 * @returns `timeZone` is the one that was used
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

/** An offset that a source gives a time, and when that is; milliseconds. */
export interface StatedOffset {
  readonly instantMs: number
  readonly offsetMs: number
}

/**
 * Reads how far the clocks of the event are ahead of UTC by a time of Source A: the offset of its text or `EventTime`, or what `EventTime` is
 * ahead of `UTC`.
 *
 * @returns null if it does not say: `Z` and a text at +00:00 are UTC, wherever the event is
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

/** Reads the offset of a text that is a time; null if it has none, or `Z`. */
export function statedOffset(text: string | null): StatedOffset | null {
  const clock = text === null || text.endsWith('Z') ? null : readClock(text)
  if (clock === null || clock.offsetMs === null) return null
  return { instantMs: clock.wallMs - clock.offsetMs, offsetMs: clock.offsetMs }
}

function combined({ value: date }: Text, { value: time }: Text): string | null {
  return date === null || time === null ? null : `${date}T${time}`
}

/** Describes what a time says before its zone is known: the wall clock as if it were UTC, and the offset if it has one. */
interface Clock {
  readonly wallMs: number
  readonly offsetMs: number | null
}

// Each of these looks at a few characters before the end, or at a character once: a text may be megabytes long.
const ENDS_IN_ZONE = /(?:Z|[+-]\d{2}:\d{2})$/
const ENDS_IN_FOUR_DIGITS = /[+-]\d{4}$/

/** Without a colon only after a time of day, on the same line: the year of `04-05-2031` is not an offset. */
function endsInOffset(text: string): boolean {
  if (ENDS_IN_ZONE.test(text)) return true
  if (!ENDS_IN_FOUR_DIGITS.test(text)) return false
  const before = text.slice(0, -'+0200'.length)
  return /:\d{2}/.test(before.split(/[\n\r\u2028\u2029]/).at(-1) ?? '')
}

const FORM =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:\.\d+)?)?(?:(Z)|([+-])([01]\d|2[0-3]):?([0-5]\d))?$/

/** Reads the only form that counts: transforms/RULES.md#r66 */
export function readClock(text: string): Clock | null {
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

/** A text that is to be read as a time. */
interface Reading {
  readonly isAbsent: boolean
  readonly clock: Clock | null
  readonly zone: Zone | null
  /** When it is; null if it cannot be read. */
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

/** @param isUnknown the record names a zone that is not known */
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

/** Says if an end lies before its start by all instants that it can mean, and by the clock on the wall. */
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

/** Takes the first instant that is not before the start, else the first. */
function endOf(end: Reading, start: Reading): Time {
  const from = start.instants?.all[0] ?? Number.NEGATIVE_INFINITY
  const { all = [], isSkipped = false } = end.instants ?? {}
  const instant = all.find((one) => one >= from) ?? all[0]
  // The first time that is skipped is the moment of the change, at which a session may end.
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
