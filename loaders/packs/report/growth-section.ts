import { CONTENTS, type Content } from '../../../sql/tables.ts'
import type { GrowthPoint, ReportFigures } from './figures.ts'
import {
  CONTENT_TITLE,
  grouped,
  groupedCount,
  type Html,
  html,
  inZone,
  nothing,
  optionalCell,
  scrolling,
  table,
} from './html.ts'

const WIDTH = 360
const HEIGHT = 120
const TOP = 24
const BOTTOM = 20

export function growthSection({ growth, contents, run }: ReportFigures): Html {
  const shown = CONTENTS.filter((content) => contents.includes(content))
  const last = growth.at(-1)
  if (last === undefined || growth.length < 2)
    return html`<p>This is the first run of the integration that reached the platform; the next report shows how the event grows.</p>`
  return html`<p class="lead">Items that the platform should have had after each of the last ${groupedCount(growth.length, 'run')}, this one last. Charts begin at zero.</p>
<div class="cards">${shown.map((content) => card(content, growth))}</div>
<details><summary>The same as a table</summary>${scrolling('Items after each run', growthTable(growth, shown, run.timeZone))}</details>`
}

function card(content: Content, growth: readonly GrowthPoint[]): Html {
  const counts = growth.map(({ items }) => items[content] ?? null)
  const [last, before] = [counts.at(-1) ?? 0, counts.at(-2) ?? null]
  return html`<section class="card" aria-labelledby="growth-${content}">
<h3 id="growth-${content}">${CONTENT_TITLE[content]} <span class="of">${groupedCount(last, 'item')}${before === null ? '' : `, ${difference(last - before)}`}</span></h3>
${chart(content, counts, growth)}</section>
`
}

function difference(by: number): string {
  if (by === 0) return 'as many as after the run before'
  return `${grouped(Math.abs(by))} ${by > 0 ? 'more' : 'fewer'} than after the run before`
}

function chart(content: Content, counts: readonly (number | null)[], growth: readonly GrowthPoint[]): Html {
  const most = Math.max(1, ...counts.map((count) => count ?? 0))
  const step = WIDTH / Math.max(counts.length, 8)
  const floor = HEIGHT - BOTTOM
  const bars = counts.map((count, index) => {
    if (count === null) return nothing
    const height = count === 0 ? 0 : Math.max(1, Math.round((count / most) * (floor - TOP) * 10) / 10)
    const kind = index === counts.length - 1 ? 'bar' : 'past'
    return html`<rect class="${kind}" x="${round(index * step + step * 0.1)}" y="${round(floor - height)}" width="${round(step * 0.8)}" height="${height}"/>`
  })
  const lastX = round((counts.length - 0.5) * step)
  const spoken = counts.map((count) => (count === null ? 'not synced' : grouped(count))).join(', ')
  return html`<svg class="growth" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="growth-${content}-title growth-${content}-text">
<title id="growth-${content}-title">Items of ${content} after each run</title>
<desc id="growth-${content}-text">The oldest first: ${spoken}</desc>
<path class="floor" d="M0 ${floor}H${WIDTH}"/>${bars}
<text class="aside" x="${lastX}" y="${TOP - 8}" text-anchor="${lastX > WIDTH - 40 ? 'end' : lastX < 40 ? 'start' : 'middle'}">${grouped(counts.at(-1) ?? 0)}</text>
${dates(counts.length * step, growth)}</svg>`
}

/** Draws the end dates of the first and the last run below their bars, if there is room. */
function dates(width: number, growth: readonly GrowthPoint[]): Html {
  const y = HEIGHT - 4
  const [first, last] = [growth[0], growth.at(-1)].map((point) => point?.finishedAt.slice(0, 10) ?? '')
  if (first === last) return html`<text class="aside" x="0" y="${y}">${first ?? ''}</text>`
  if (width < 180) return html`<text class="aside" x="0" y="${y}">${first ?? ''} to ${last ?? ''}</text>`
  return html`<text class="aside" x="0" y="${y}">${first ?? ''}</text>
<text class="aside" x="${round(width)}" y="${y}" text-anchor="end">${last ?? ''}</text>`
}

function round(length: number): number {
  return Math.round(length * 10) / 10
}

function growthTable(
  growth: readonly GrowthPoint[],
  contents: readonly Content[],
  timeZone: string | null,
): Html {
  const rows = growth
    .map(
      ({ runId, finishedAt, items }) =>
        html`<tr><th scope="row">${inZone(finishedAt, timeZone)}</th>${contents.map((content) => optionalCell(items[content] ?? null))}<td><code>${runId}</code></td></tr>\n`,
    )
    .toReversed()
  const head = ['Finished', ...contents.map((content) => `#${CONTENT_TITLE[content]}`), 'Run']
  return table({ caption: 'Items after each run, the latest first', head, rows })
}
