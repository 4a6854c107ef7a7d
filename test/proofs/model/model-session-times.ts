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
  /** True if both are right but not one after the other. */
  readonly unordered: boolean
}

const DAY_MS = 86_400_000
const MISSING: ReadTime = { state: 'missing', faults: [] }

/** @param slot null where the session names none that is there */
export function timesOfA(slot: JsonObject | null, zone: string | undefined): SessionTimes {
  if (slot === null) return ordered(MISSING, MISSING)
  const read = (key: string) => readTimeOfA(keyInAnyCase(slot, key), zone)
  const start = read('StartTime')
  return ordered(start, endAfter(start, read('EndTime')))
}

/** Reading: an end that clocks show twice is the later one only if the earlier is before the start. Source: transforms/RULES.md#r40. */
function endAfter(start: ReadTime, end: ReadTime): ReadTime {
  if (end.state !== 'read') return end
  // The first time that is skipped is the moment of the change itself.
  const read = end.gapSeconds === 0 ? { ...end, gapSeconds: null } : end
  if (start.state !== 'read' || end.laterMs === null) return read
  const isLater = end.instantMs < start.instantMs && end.laterMs >= start.instantMs
  return isLater ? { ...read, instantMs: end.laterMs } : read
}

function ordered(start: ReadTime, end: ReadTime): SessionTimes {
  const unordered = start.state === 'read' && end.state === 'read' && end.instantMs <= start.instantMs
  return { start, end, unordered }
}

/** Date and times of a session of B. Source: transforms/RULES.md#r66. */
export function timesOfB(session: JsonObject, sourceZone: string | undefined): SessionTimes {
  const date = readText(exactKey(session, 'date'))
  const startClock = readText(exactKey(session, 'start_time'))
  const endClock = readText(exactKey(session, 'end_time'))
  const ownZone = exactKey(session, 'timezone')
  const zone = zoneOf(ownZone, sourceZone)
  // Without a date the start is missing, and so is the end, which has no other.
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
  // Reading: equal is reported by the instants, which differ from the clocks only where one of them carries an offset.
  const isBefore = start.state !== 'read' || sameDay.instantMs < start.instantMs
  if (!isBefore || endWall.wallMs >= startWall.wallMs) return ordered(start, sameDay)
  const day = new Date(endWall.wallMs + DAY_MS).toISOString().slice(0, 10)
  return ordered(start, endAfter(start, readTimeText(joined(day, endClock.text), zone, endFaults)))
}

/** Reading: of date and time of day together one fault is noted, and no text before a character that was dropped. */
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

/** Says if a record names a zone that is not known. */
function isUnknown(value: Json | undefined): boolean {
  const { text, faults } = readText(value)
  return text === null ? faults.includes('not_text') : zoneNamed(text) === null
}
