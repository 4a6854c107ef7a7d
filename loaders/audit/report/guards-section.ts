import type { Hold } from '../../../sql/tables.ts'
import { linesOfHold } from '../../../transforms/guards/guard-finding.ts'
import type { ReportFigures } from './figures.ts'
import { type Html, html, nothing } from './html.ts'
import { verdict } from './table.ts'
import { value } from './value.ts'
import { counted, inUtc } from './words.ts'

export function guardsSection({ run }: ReportFigures): Html {
  const { held, approvedBy, approvedAt, counts } = run
  const withheld = counts?.withheld ?? 0
  const notes = counts?.notes ?? []
  return html`${held === null ? html`<p>${verdict('good', 'No guard held this plan.')}</p>` : holdOf(held)}
${approvedBy === null || approvedAt === null ? nothing : html`<p>Approved by <strong>${value(approvedBy, 200)}</strong> on ${inUtc(approvedAt)}.</p>`}
${withheld === 0 ? nothing : html`<p>${verdict('warn', `${counted(withheld, 'change')} of this plan ${withheld === 1 ? 'was' : 'were'} withheld`)} <a href="load_results.csv">load_results.csv</a> names each.</p>`}
${notes.length === 0 ? nothing : html`<h3>Seen and let pass</h3><ul>${notes.slice(0, 20).map((note) => html`<li>${value(note, 1500)}</li>`)}</ul>`}`
}

function holdOf(held: Hold): Html {
  const { seen, todo } = linesOfHold(held)
  return html`<p>${verdict('warn', 'Held by the guard')} <strong>${value(held.guard, 80)}</strong></p>
<blockquote><p>${value(seen, 4000)}</p>${todo === null ? nothing : html`<p>${value(todo, 4000)}</p>`}</blockquote>`
}
