import type { Figure } from '../../../transforms/reconciliation/figure.ts'
import type { ReportFigures } from './figures.ts'
import { type Html, html, nothing } from './html.ts'
import { scrolling, table, verdict } from './table.ts'
import { value } from './value.ts'
import { CONTENT_TITLE, counted } from './words.ts'

const OF_RESOURCE: Readonly<Record<string, string>> = {
  read: 'staged + repeated + quarantined',
  staged: 'distinct ids of the certificate',
  unseen: 'kept, though this run did not see them',
  control_total: 'sum of hashes over the records: as read, as staged',
}
const OF_CONTENT: Readonly<Record<string, string>> = {
  records: 'synced + excluded + quarantined',
  synced: 'created + updated + unchanged + failed',
  live: 'items on the platform as known, as the plan must have left them',
  control_total: 'sum of hashes over the items: as planned, as known to be there',
  platform: 'items the platform itself counts, items known to be there',
}

/** Every sum of the run beside what it must be; those that do not close come first. */
export function reconciliationSection({ figures }: ReportFigures): Html {
  const sums = figures.filter(({ expected }) => expected !== null)
  if (sums.length === 0)
    return html`<p>${verdict('warn', 'Not reconciled')} This run is of a version before 0.2, which kept no sums.</p>`
  const open = sums.filter(isOpen)
  const all = scrolling('Reconciliation', figuresTable('All figures of reconciliation.csv', figures))
  if (open.length === 0)
    return html`<p>${verdict('good', `All ${counted(sums.length, 'sum')} close.`)} Nothing was lost or doubled on the way.</p>
<details><summary>All ${counted(figures.length, 'figure')}</summary>${all}</details>`
  const broken = figuresTable('Sums that do not close', open)
  return html`<div class="alarm"><p>${verdict('bad', `${open.length} of ${counted(sums.length, 'sum')} ${open.length === 1 ? 'does' : 'do'} not close.`)} Something was lost, doubled, or changed by another hand.</p>
${scrolling('Sums that do not close', broken)}</div>
<details open><summary>All ${counted(figures.length, 'figure')}</summary>${all}</details>`
}

function isOpen({ count, expected }: Figure): boolean {
  return expected !== null && count !== expected
}

function figuresTable(caption: string, figures: readonly Figure[]): Html {
  const rows = [...Map.groupBy(figures, nameOf)].map(
    ([name, own]) => html`<tbody><tr><th scope="rowgroup" colspan="4" class="group">${name}</th></tr>
${own.map(figureRow)}</tbody>
`,
  )
  return table({ caption, head: ['Figure', '#Found', '#Must be', 'Verdict'], rows })
}

function nameOf({ content, resource }: Figure): string {
  if (content !== '') return CONTENT_TITLE[content]
  return resource === '' ? 'Checks that found rows' : `${resource} (records)`
}

function figureRow(figure: Figure): Html {
  const { content, measure, count, expected } = figure
  const rule = (content === '' ? OF_RESOURCE : OF_CONTENT)[measure]
  const outcome =
    expected === null
      ? nothing
      : isOpen(figure)
        ? verdict('bad', 'does not close')
        : verdict('good', 'closes')
  return html`<tr${isOpen(figure) ? html` class="open"` : nothing}><th scope="row"><code>${value(measure, 120)}</code>${rule === undefined ? nothing : html`<span class="meaning">${rule}</span>`}</th>
<td class="n">${String(count)}</td><td class="n">${expected === null ? html`<span class="none">–</span>` : String(expected)}</td><td>${outcome}</td></tr>
`
}
