import { clock, type Day, mainZone, type Slot, toDays } from './agenda-days.ts'
import { type Cell, toGrid } from './agenda-grid.ts'
import type { ReportFigures } from './figures.ts'
import { bytesOf, type Html, html, nothing } from './html.ts'
import { scrolling, table } from './table.ts'
import { shortValue } from './value.ts'
import { counted, dayInWords, grouped } from './words.ts'

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

function gridCell(cell: Cell | null, style: Style): Html {
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
