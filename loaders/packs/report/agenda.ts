import { wallMsAt } from '../../../transforms/rules/zones.ts'
import type { AgendaItem, ReportFigures } from './figures.ts'
import {
  bytesOf,
  dayInWords,
  grouped,
  groupedCount,
  type Html,
  html,
  nothing,
  shortValue,
  table,
} from './html.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** An agenda item in local time. */
export interface Slot {
  readonly item: AgendaItem
  /** Zone of its times. If the zone is null, no zone is known and the times are UTC. */
  readonly timeZone: string | null
  /** Start of the agenda item, in minutes after midnight of its day. */
  readonly start: number
  /**
   * End of the agenda item, in minutes after midnight of the day on which it starts. The end is after the
   * start and may be on a later day.
   */
  readonly end: number
}

export interface Day {
  readonly wallMs: number
  readonly slots: readonly Slot[]
}

/**
 * Returns the zone that most items have. If several zones are equally frequent, the function returns the zone
 * with the first name. The function returns null if most items have no known zone.
 */
export function mainZone(items: readonly AgendaItem[], timeZone: string | null): string | null {
  const byZone = Map.groupBy(items, (item) => zoneOf(item, timeZone))
  const [most] = [...byZone].sort(
    ([one, first], [other, second]) => second.length - first.length || ((one ?? '') < (other ?? '') ? -1 : 1),
  )
  return most?.[0] ?? null
}

/** Groups items by day, in local time. @param timeZone zone of the event, for items without a zone */
export function toDays(items: readonly AgendaItem[], timeZone: string | null): readonly Day[] {
  const days = new Map<number, Slot[]>()
  for (const item of items) {
    const zone = zoneOf(item, timeZone)
    const [start, end] = [wallMs(item.startTime, zone), wallMs(item.endTime, zone)]
    const midnight = Math.floor(start / DAY_MS) * DAY_MS
    const startMinute = Math.floor((start - midnight) / MINUTE_MS)
    // If the clocks change during an item, its local end time may be before its local start time.
    const endMinute = Math.max(startMinute + 1, Math.floor((end - midnight) / MINUTE_MS))
    const slots = days.get(midnight) ?? []
    days.set(midnight, slots)
    slots.push({ item, timeZone: zone, start: startMinute, end: endMinute })
  }
  return [...days]
    .sort(([one], [other]) => one - other)
    .map(([midnight, slots]) => ({ wallMs: midnight, slots: slots.toSorted((a, b) => a.start - b.start) }))
}

/** Formats minutes after midnight: as `09:05`, or as `09:05 +1` on the next day. */
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

const MOST_NAME = 120
const MOST_LOCATION = 80

const OPEN_ITEMS = 400

interface Style {
  /** Time zone that the heading of the agenda names. An agenda item in another zone shows its own zone. */
  readonly zone: string | null
  /**
   * True if the page marks new and changed items. In a first run all items are new, so the page marks no
   * item.
   */
  readonly isLabelled: boolean
  readonly isOpen: boolean
}

/**
 * Makes the section with the agenda in local time, one list per day.
 *
 * @param mostBytes maximum size of the section; items that do not fit are left out, and the section says how
 *   many
 */
export function agendaSection({ agenda, contents, run }: ReportFigures, mostBytes: number): Html {
  if (!contents.includes('agenda')) return html`<p>This integration does not sync an agenda.</p>`
  const { rows: items, total } = agenda
  if (total === 0) return html`<p>There is no agenda item.</p>`
  const zone = mainZone(items, run.timeZone)
  const isLabelled = items.some(({ action }) => action !== 'create')
  const style: Style = { zone, isLabelled, isOpen: items.length <= OPEN_ITEMS }

  let left = mostBytes
  let shown = 0
  const parts: Html[] = []
  for (const day of toDays(items, run.timeZone)) {
    const { part, count } = fitting(day, style, left)
    parts.push(part)
    left -= bytesOf(part)
    shown += count
    if (count < day.slots.length) break
  }
  const clocks =
    zone === null
      ? html`Times are UTC: the time zone of the event is not known.`
      : html`Times are local, in <strong>${zone}</strong>.`
  const cut =
    shown < total
      ? html`<p class="note">${groupedCount(total - shown, 'agenda item')} of ${grouped(total)} ${total - shown === 1 ? 'is' : 'are'} left out here, the latest ones, so that this page stays small; <a href="agenda.csv">agenda.csv</a> has all.</p>`
      : nothing
  return html`<p class="lead">${groupedCount(total, 'item')} that the platform should have. ${clocks}</p>
${cut}${parts}`
}

function fitting(day: Day, style: Style, mostBytes: number): { readonly part: Html; readonly count: number } {
  for (let count = day.slots.length; count > 0; count = Math.floor(count / 2)) {
    const part = dayPart({ ...day, slots: day.slots.slice(0, count) }, style)
    if (bytesOf(part) <= mostBytes) return { part, count }
  }
  return { part: nothing, count: 0 }
}

function dayPart({ wallMs, slots }: Day, style: Style): Html {
  const name = dayInWords(wallMs)
  const locations = new Set(slots.map(({ item }) => item.location))
  const count = locations.has(null) ? locations.size - 1 : locations.size
  const kinds = count === 0 ? 'no locations' : groupedCount(count, 'location')
  const also = locations.has(null) && count > 0 ? ', some without a location' : ''
  const list = table({
    caption: `Agenda of ${name}`,
    head: ['Time', 'Item', 'Location'],
    rows: slots.map((slot) => slotRow(slot, style)),
  })
  return html`<details class="day"${style.isOpen ? html` open` : nothing}><summary><h3>${name}</h3> <span class="of">${groupedCount(slots.length, 'item')}, ${kinds}${also}</span></summary>
${list}</details>
`
}

function slotRow({ item, start, end, timeZone }: Slot, { zone, isLabelled }: Style): Html {
  const label = isLabelled && item.action !== null ? (item.action === 'create' ? 'new' : 'changed') : null
  const own = timeZone === zone ? nothing : html` <span class="of">${timeZone ?? 'UTC'}</span>`
  const location =
    item.location === null
      ? html`<span class="none">No location</span>`
      : shortValue(item.location, MOST_LOCATION)
  return html`<tr><th scope="row">${clock(start)}–${clock(end)}${own}</th><td>${shortValue(item.name, MOST_NAME)}${label === null ? nothing : html` <span class="mark">${label}</span>`}</td><td>${location}</td></tr>
`
}
