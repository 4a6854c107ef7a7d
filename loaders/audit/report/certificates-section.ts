import type { ReportFigures } from './figures.ts'
import { type Html, html, nothing } from './html.ts'
import { numberCell, optionalCell, scrolling, table, verdict } from './table.ts'
import { value } from './value.ts'
import { counted, proofInWords } from './words.ts'

export function certificatesSection({ certificates, quarantined, personalData }: ReportFigures): Html {
  const missing = certificates.filter(({ certified }) => !certified).length
  const rows = certificates.map(
    (row) => html`<tr><th scope="row">${row.resource}</th>
<td>${row.certified ? verdict('good', 'certified') : verdict('bad', 'not certified')}</td>
${numberCell(row.requests)}${numberCell(row.elements)}${optionalCell(row.distinctIds)}${optionalCell(row.declared)}
<td>${value(proofInWords(row.end), 200)}${row.detail === '' ? nothing : html`<span class="meaning">${value(row.detail, 600)}</span>`}</td></tr>
`,
  )
  const lead =
    missing === 0
      ? 'Every resource was read to a proved end. Only then does a missing record count as gone, where it cannot be one that could not be read.'
      : `${counted(missing, 'resource')} could not be proved complete: nothing is removed because a record was not seen there.`
  return html`<p class="lead">${lead}</p>
${scrolling('Certificates', table({ caption: 'Certificates', head: ['Resource', 'Verdict', '#Answers', '#Records', '#Distinct ids', '#Declared', 'How its end was proved'], rows }))}
${quarantinedRecords(quarantined, personalData)}`
}

function quarantinedRecords(
  { rows, total }: ReportFigures['quarantined'],
  personalData: ReportFigures['personalData'],
): Html {
  if (total === 0) return html`<p>No record was quarantined.</p>`
  const lines = rows.map(
    ({ resource, sourceId, path, detail }) => html`<tr><th scope="row">${resource}</th>
<td>${sourceId === null ? html`<span class="none">–</span>` : value(sourceId, 80)}</td><td><code>${value(path, 200)}</code></td><td>${value(detail, 300)}</td></tr>
`,
  )
  const more =
    total > rows.length
      ? html`<p>${counted(total - rows.length, 'more record')} like these: <a href="decisions.csv">decisions.csv</a>.</p>`
      : nothing
  const note = personalData === 'masked' ? ' (ids that are e-mail addresses are masked)' : ''
  return html`<h3>Quarantined: records that could not be read</h3>
${scrolling('Quarantined records', table({ caption: `${counted(total, 'quarantined record')}${note}`, head: ['Resource', 'Id', 'JSON path', 'What was wrong'], rows: lines }))}${more}`
}
