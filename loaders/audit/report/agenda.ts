import { wallMsAt } from '../../../transforms/rules/times.ts'
import type { AgendaItem, ReportFigures } from './figures.ts'
import {
  bytesOf,
  counted,
  dayInWords,
  grouped,
  type Html,
  html,
  nothing,
  scrolling,
  shortValue,
  table,
} from './html.ts'

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

export interface AgendaCell {
  readonly slots: readonly Slot[]
  /** Rows that it takes; what overlaps in one room shares a cell. */
  readonly rows: number
}

const EMPTY: AgendaCell = { slots: [], rows: 1 }

/** Lays a day out: a column for each room, a row for each time at which something begins. */
export function toGrid({ slots }: Day) {
  const starts = [...new Set(slots.map(({ start }) => start))].sort((one, other) => one - other)
  const byRoom = Map.groupBy(slots, ({ item }) => item.location)
  const withoutRoom = Map.groupBy(byRoom.get(null) ?? [], ({ start }) => start)
  const rooms = [...byRoom.keys()].filter((room) => room !== null).sort()
  const columns = rooms.map((room) => toColumn(byRoom.get(room) ?? [], starts))
  return {
    rooms,
    rows: starts.map((start, row) => ({
      start,
      // Null where a cell from above is still there.
      cells: columns.map((column) => column[row] ?? null),
      withoutRoom: withoutRoom.get(start) ?? [],
    })),
    hasItemsWithoutRoom: withoutRoom.size > 0,
  }
}

/** Cells of one room, one for each row. @param slots by their start */
function toColumn(slots: readonly Slot[], starts: readonly number[]): readonly (AgendaCell | null)[] {
  const column: (AgendaCell | null)[] = starts.map(() => EMPTY)
  let next = 0
  for (let row = 0; row < starts.length; ) {
    const cluster: Slot[] = []
    let end = starts[row] ?? 0
    for (let slot = slots[next]; slot !== undefined; slot = slots[next]) {
      const begins = cluster.length === 0 ? slot.start === starts[row] : slot.start < end
      if (!begins) break
      cluster.push(slot)
      end = Math.max(end, slot.end)
      next += 1
    }
    let rows = 1
    while (row + rows < starts.length && (starts[row + rows] ?? end) < end) rows += 1
    column[row] = { slots: cluster, rows }
    column.fill(null, row + 1, row + rows)
    row += rows
  }
  return column
}

const MOST_NAME = 120
const MOST_LOCATION = 80

/** Cells beyond which a day is a list: a grid of next to nothing but empty cells helps nobody. */
const MOST_CELLS = 8000
const MOST_ROOMS = 80

const OPEN_ITEMS = 400

interface Style {
  /** Zone that the heading names; another one is shown at its items. */
  readonly zone: string | null
  /** Whether new items are marked; in a first run all are. */
  readonly marks: boolean
  readonly isOpen: boolean
}

/**
 * The agenda as the clocks of the event show it, a grid of rooms and times for each day.
 *
 * @param mostBytes what the section may take; what does not fit is left out, and the page says how much
 */
export function agendaSection({ agenda, contents, run }: ReportFigures, mostBytes: number): Html {
  if (!contents.includes('agenda')) return html`<p>This integration does not sync an agenda.</p>`
  const { rows: items, total } = agenda
  if (total === 0) return html`<p>There is no agenda item.</p>`
  const zone = mainZone(items, run.timeZone)
  const marks = items.some(({ action }) => action !== 'create')
  const style: Style = { zone, marks, isOpen: items.length <= OPEN_ITEMS }

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
      ? html`<p class="note">${counted(total - shown, 'agenda item')} of ${grouped(total)} ${total - shown === 1 ? 'is' : 'are'} left out here, the latest ones, so that this page stays small; <a href="agenda.csv">agenda.csv</a> has all.</p>`
      : nothing
  return html`<p class="lead">${counted(total, 'item')} that the platform should have. ${clocks}</p>
${cut}${parts}`
}

function fitting(day: Day, style: Style, mostBytes: number): { readonly part: Html; readonly count: number } {
  for (let count = day.slots.length; count > 0; count = Math.floor(count / 2)) {
    const part = dayPart({ ...day, slots: day.slots.slice(0, count) }, style)
    if (bytesOf(part) <= mostBytes) return { part, count }
  }
  return { part: nothing, count: 0 }
}

function dayPart(day: Day, style: Style): Html {
  const name = dayInWords(day.wallMs)
  const { rooms, rows, hasItemsWithoutRoom } = toGrid(day)
  const isGrid = rooms.length <= MOST_ROOMS && rooms.length * rows.length <= MOST_CELLS
  const laidOut = isGrid ? grid(name, day, style) : list(name, day, style)
  const kinds = rooms.length === 0 ? 'no locations' : counted(rooms.length, 'location')
  const also = hasItemsWithoutRoom && rooms.length > 0 ? ', some without a location' : ''
  return html`<details class="day"${style.isOpen ? html` open` : nothing}><summary><h3>${name}</h3> <span class="of">${counted(day.slots.length, 'item')}, ${kinds}${also}</span></summary>
${laidOut}</details>
`
}

function grid(name: string, day: Day, style: Style): Html {
  const { rooms, rows, hasItemsWithoutRoom } = toGrid(day)
  const columns = [
    ...rooms.map((room) => html`<th scope="col">${shortValue(room, MOST_LOCATION)}</th>`),
    ...(hasItemsWithoutRoom ? [html`<th scope="col" class="none">No location</th>`] : []),
  ]
  const lines = rows.map(
    ({
      start,
      cells,
      withoutRoom,
    }) => html`<tr><th scope="row">${clock(start)}</th>${cells.map((cell) => gridCell(cell, style))}${hasItemsWithoutRoom ? html`<td class="roomless"><div class="entries">${withoutRoom.map((slot) => entry(slot, style))}</div></td>` : nothing}</tr>
`,
  )
  return scrolling(
    `Agenda of ${name}`,
    html`<table class="grid"><caption class="unseen">Agenda of ${name}, by start and location</caption><thead><tr><th scope="col">Start</th>${columns}</tr></thead>
<tbody>${lines}</tbody></table>`,
  )
}

function gridCell(cell: AgendaCell | null, style: Style): Html {
  if (cell === null) return nothing
  if (cell.slots.length === 0) return html`<td></td>`
  const span = cell.rows > 1 ? html` rowspan="${cell.rows}"` : nothing
  return html`<td class="taken"${span}>${cell.slots.map((slot) => entry(slot, style))}</td>`
}

function list(name: string, day: Day, style: Style): Html {
  const rows = day.slots.map(
    (
      slot,
    ) => html`<tr><th scope="row">${clock(slot.start)}</th><td>${entry(slot, style)}</td><td>${slot.item.location === null ? html`<span class="none">No location</span>` : shortValue(slot.item.location, MOST_LOCATION)}</td></tr>
`,
  )
  return html`<div class="list">${table({ caption: `Agenda of ${name}`, head: ['Start', 'Item', 'Location'], rows })}</div>`
}

function entry({ item, start, end, timeZone }: Slot, { zone, marks }: Style): Html {
  const mark = marks && item.action !== null ? (item.action === 'create' ? 'new' : 'changed') : null
  const own = timeZone === zone ? nothing : html` <span class="of">${timeZone ?? 'UTC'}</span>`
  return html`<div class="entry"><span class="time">${clock(start)}–${clock(end)}${own}</span> ${shortValue(item.name, MOST_NAME)}${mark === null ? nothing : html` <span class="mark">${mark}</span>`}</div>`
}
