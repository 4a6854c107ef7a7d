import type { ReportFigures } from './figures.ts'
import { badge, grouped, groupedCount, type Html, html, nothing, scrolling, table, value } from './html.ts'
import type { MissingGroup } from './missing-figures.ts'

/**
 * Shows two lists, grouped by what the organiser can do: who is not on the platform, and hints about the
 * programme.
 */
export function missingSection({ missing, integrationId }: ReportFigures): Html {
  if (missing.length === 0) return html`<p>${badge('good', 'Every record has its item.')}</p>`
  return html`<p class="lead">Grouped by what the organiser can do. <code>event-sync missing ${integrationId}</code> has all of them, with more about each.</p>
${missing.map(group)}`
}

function group({ todo, count, rows }: MissingGroup): Html {
  const lines = rows.map(
    ({ content, id, name, why }) =>
      html`<tr><td>${content}</td><td>${id === null ? html`<span class="none">–</span>` : value(id, 80)}</td><th scope="row">${name === '' ? html`<span class="none">–</span>` : value(name, 120)}</th><td>${value(why, 300)}</td></tr>\n`,
  )
  const caption = groupedCount(count, 'record')
  const more =
    count > rows.length && rows.length > 0
      ? html`<p>${grouped(count - rows.length)} more like these.</p>`
      : nothing
  const list =
    rows.length === 0
      ? html`<p>${caption}, not listed here.</p>`
      : scrolling(todo, table({ caption, head: ['Content', 'Id', 'Name', 'Why'], rows: lines }))
  return html`<h3>${todo}</h3>
${list}${more}
`
}
