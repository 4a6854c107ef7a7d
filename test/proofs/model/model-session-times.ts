import type { Json, JsonObject } from '../../harness/json.ts'
import { exactKey, keyInAnyCase } from './model-read.ts'
import { type Fault, type ReadText, readText } from './model-text.ts'
import {
  type ReadTime,
  readTimeOfA,
  readTimeText,
  readWall,
  type TimeFault,
  type Wall,
  zoneNamed,
} from './model-times.ts'

export interface SessionTimes {
  readonly start: ReadTime
  readonly end: ReadTime
  /** True if start and end are valid times but the end is not after the start. */
  readonly unordered: boolean
}

const DAY_MS = 86_400_000
const MISSING: ReadTime = { state: 'missing', faults: [] }

/** @param slot the time slot to which the session refers; null if there is no such time slot */
export function timesOfA(slot: JsonObject | null, zone: string | undefined): SessionTimes {
  if (slot === null) return ordered(MISSING, MISSING)
  const read = (key: string) => readTimeOfA(keyInAnyCase(slot, key), zone)
  const start = read('StartTime')
  return ordered(start, endAfter(start, read('EndTime')))
}

/**
 * Interpretation of the rule: if clocks show the end time twice, the earlier instant is used. The later
 * instant is used only if the earlier instant is before the start. Source: transforms/RULES.md#r40.
 */
function endAfter(start: ReadTime, end: ReadTime): ReadTime {
  if (end.state !== 'read') return end
  // If the end is the first time that clocks skip, it is the moment of the clock change itself, so it counts
  // as a normal time.
  const read = end.gapSeconds === 0 ? { ...end, gapSeconds: null } : end
  if (start.state !== 'read' || end.laterMs === null) return read
  const isLater = end.instantMs < start.instantMs && end.laterMs >= start.instantMs
  return isLater ? { ...read, instantMs: end.laterMs } : read
}

function ordered(start: ReadTime, end: ReadTime): SessionTimes {
  const unordered = start.state === 'read' && end.state === 'read' && end.instantMs <= start.instantMs
  return { start, end, unordered }
}

/** Reads the date and times of a session of Source B. Source: transforms/RULES.md#r66. */
export function timesOfB(session: JsonObject, sourceZone: string | undefined): SessionTimes {
  const date = readText(exactKey(session, 'date'))
  const startClock = readText(exactKey(session, 'start_time'))
  const endClock = readText(exactKey(session, 'end_time'))
  const ownZone = exactKey(session, 'timezone')
  const zone = zoneOf(ownZone, sourceZone)
  // If the date is missing, both start and end are missing.
  const startText = joined(date.text, startClock.text)
  const endText = joined(date.text, endClock.text)
  const startWall = startText === null ? null : readWall(startText)
  const endWall = endText === null ? null : readWall(endText)
  const faultsWith = (clock: ReadText, text: string | null, wall: Wall | null): readonly TimeFault[] => {
    const isLocal = text !== null && (wall === null || wall.offsetMs === null)
    return [...faultsOf(date, clock), ...(isLocal && isUnknown(ownZone) ? (['unknown_zone'] as const) : [])]
  }
  const start = readTimeText(startText, zone, faultsWith(startClock, startText, startWall))
  const endFaults = faultsWith(endClock, endText, endWall)
  const sameDay = endAfter(start, readTimeText(endText, zone, endFaults))
  if (startWall === null || endWall === null || sameDay.state !== 'read') return ordered(start, sameDay)
  // Interpretation of the rule: start and end are compared as instants. The result can differ from a
  // comparison of the clock times only if one of them has a UTC offset.
  const isBefore = start.state !== 'read' || sameDay.instantMs < start.instantMs
  if (!isBefore || endWall.wallMs >= startWall.wallMs) return ordered(start, sameDay)
  const day = new Date(endWall.wallMs + DAY_MS).toISOString().slice(0, 10)
  return ordered(start, endAfter(start, readTimeText(joined(day, endClock.text), zone, endFaults)))
}

/**
 * Interpretation of the rules: date and time of day together get only one warning. The warning `not_text`
 * takes precedence over the warning about a dropped character.
 */
function faultsOf(date: ReadText, clock: ReadText): readonly Fault[] {
  const faults = [...date.faults, ...clock.faults]
  return faults.includes('not_text') ? ['not_text'] : faults
}

function joined(date: string | null, clock: string | null): string | null {
  return date === null || clock === null ? null : `${date}T${clock}`
}

export function zoneOf(value: Json | undefined, sourceZone: string | undefined): string | undefined {
  const { text } = readText(value)
  return (text === null ? null : zoneNamed(text)) ?? sourceZone
}

/** Returns true if a record contains the name of an unknown time zone. */
function isUnknown(value: Json | undefined): boolean {
  const { text, faults } = readText(value)
  return text === null ? faults.includes('not_text') : zoneNamed(text) === null
}

/** Returns the zone in which `agenda.csv` shows a session: its own or, if it names none, that of the source. */
export function zoneOfSession(
  type: 'a' | 'b',
  session: JsonObject | undefined,
  sourceZone: string | undefined,
): string | undefined {
  // A session of Source A names no zone.
  return type === 'b' && session !== undefined
    ? zoneOf(exactKey(session, 'timezone'), sourceZone)
    : sourceZone
}
