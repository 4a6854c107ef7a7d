import { wallMsAt } from '../../../transforms/rules/zones.ts'
import type { AgendaItem } from './figures.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** An agenda item on the clock on the wall. */
export interface Slot {
  readonly item: AgendaItem
  /** Zone of its times; null where none is known, and the times are UTC. */
  readonly timeZone: string | null
  readonly start: number
  /** May be on a later day; always after the start. */
  readonly end: number
}

export interface Day {
  readonly wallMs: number
  readonly slots: readonly Slot[]
}

/** The zone of most items; of several, the first by name. Null where none is known. */
export function mainZone(items: readonly AgendaItem[], timeZone: string | null): string | null {
  const byZone = Map.groupBy(items, (item) => zoneOf(item, timeZone))
  const [most] = [...byZone].sort(
    ([one, first], [other, second]) => second.length - first.length || ((one ?? '') < (other ?? '') ? -1 : 1),
  )
  return most?.[0] ?? null
}

/** Sorts items into days by the clock on the wall where they take place. @param timeZone of the event */
export function toDays(items: readonly AgendaItem[], timeZone: string | null): readonly Day[] {
  const days = new Map<number, Slot[]>()
  for (const item of items) {
    const zone = zoneOf(item, timeZone)
    const [start, end] = [wallMs(item.startTime, zone), wallMs(item.endTime, zone)]
    const midnight = Math.floor(start / DAY_MS) * DAY_MS
    const startMinute = Math.floor((start - midnight) / MINUTE_MS)
    // At a clock change, the clock on the wall may show an earlier time at the end.
    const endMinute = Math.max(startMinute + 1, Math.floor((end - midnight) / MINUTE_MS))
    const slots = days.get(midnight) ?? []
    days.set(midnight, slots)
    slots.push({ item, timeZone: zone, start: startMinute, end: endMinute })
  }
  return [...days]
    .sort(([one], [other]) => one - other)
    .map(([midnight, slots]) => ({ wallMs: midnight, slots: slots.toSorted((a, b) => a.start - b.start) }))
}

/** `09:05`, and `09:05 +1` on the day after. */
export function clock(minutes: number): string {
  const [day, minute] = [Math.floor(minutes / 1440), minutes % 1440]
  const text = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
  return day === 0 ? text : `${text} +${day}`
}

function zoneOf(item: AgendaItem, timeZone: string | null): string | null {
  const zone = item.timeZone ?? timeZone
  return zone !== null && wallMsAt(0, zone) !== null ? zone : null
}

function wallMs(instant: string, zone: string | null): number {
  const ms = Date.parse(instant)
  return zone === null ? ms : (wallMsAt(ms, zone) ?? ms)
}
