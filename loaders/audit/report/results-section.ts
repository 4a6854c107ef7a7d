import { countPlanned, type ReportFigures } from './figures.ts'
import { type Html, html, nothing } from './html.ts'
import { scrolling, table, verdict } from './table.ts'
import { value } from './value.ts'
import { counted, grouped } from './words.ts'

export function resultsSection({ rejected, run }: ReportFigures): Html {
  const sent = countPlanned(run.counts) - (run.counts?.withheld ?? 0)
  const { rows, total } = rejected
  if (total === 0) {
    const words = sent === 0 ? 'There was nothing to send.' : 'The platform rejected nothing.'
    return html`<p>${verdict('good', words)} <a href="load_results.csv">load_results.csv</a> has the outcome of each operation.</p>`
  }
  const lines = rows.map(
    ({ seq, content, uniqueId, op, code, detail }) => html`<tr><td class="n">${seq}</td><td>${content}</td>
<th scope="row">${value(uniqueId, 80)}</th><td>${op}</td><td><code>${value(code, 200)}</code></td><td>${detail}</td></tr>
`,
  )
  const more =
    total > rows.length
      ? html`<p>${counted(total - rows.length, 'more')} in <a href="load_results.csv">load_results.csv</a>, with the status <code>failed</code>.</p>`
      : nothing
  return html`<p>${verdict('bad', `The platform rejected ${grouped(total)} of ${counted(sent, 'change')}.`)}</p>
${scrolling('Operations that failed', table({ caption: `Operations that failed: ${rows.length === total ? 'all' : 'the first'} ${grouped(rows.length)}`, head: ['#Seq', 'Content', 'Item', 'Operation', 'Code', 'What follows'], rows: lines }))}${more}`
}
