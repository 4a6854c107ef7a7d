import type { Json, JsonObject } from '../harness/json.ts'
import { exactKey, keyInAnyCase } from './model-read.ts'
import { type Fault, type ReadText, readText } from './model-text.ts'
import { isZone, type ReadTime, readTimeOfA, readTimeText, readWall } from './model-times.ts'

export interface SessionTimes {
  readonly start: ReadTime
  readonly end: ReadTime
  /** Whether both are right but not one after the other. */
  readonly unordered: boolean
}

const DAY_MS = 86_400_000
const MISSING: ReadTime = { state: 'missing', faults: [] }

/** @param slot null where the session names none that is there */
export function timesOfA(slot: JsonObject | null, zone: string | undefined): SessionTimes {
  if (slot === null) return ordered(MISSING, MISSING)
  const read = (key: string) => readTimeOfA(keyInAnyCase(slot, key), zone)
  return ordered(read('StartTime'), read('EndTime'))
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
  const zone = zoneOf(exactKey(session, 'timezone'), sourceZone)
  const startText = joined(date.text, startClock.text)
  // Without a date the start is missing, and so is the end, which has no other.
  const endText = joined(date.text, endClock.text)
  const startWall = startText === null ? null : readWall(startText)
  const endWall = endText === null ? null : readWall(endText)
  const startFaults = faultsOf(date, startClock)
  const endFaults = faultsOf(date, endClock)
  const start = readTimeText(startText, zone, startFaults)
  if (startWall === null || endWall === null) return ordered(start, readTimeText(endText, zone, endFaults))
  // Reading: equal is told by the instants, which differ from the clocks only where one of them carries an offset.
  const onNextDay = endWall.wallMs < startWall.wallMs
  const day = new Date(endWall.wallMs + (onNextDay ? DAY_MS : 0)).toISOString().slice(0, 10)
  return ordered(start, readTimeText(joined(day, endClock.text), zone, endFaults))
}

/** Reading: of date and time of day together one fault is noted, and no text before a character that was dropped. */
function faultsOf(date: ReadText, clock: ReadText): readonly Fault[] {
  const faults = [...date.faults, ...clock.faults]
  return faults.includes('not_text') ? ['not_text'] : faults
}

function joined(date: string | null, clock: string | null): string | null {
  return date === null || clock === null ? null : `${date}T${clock}`
}

function zoneOf(value: Json | undefined, sourceZone: string | undefined): string | undefined {
  const { text } = readText(value)
  return text !== null && isZone(text) ? text : sourceZone
}
