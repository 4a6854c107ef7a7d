import type { ChangedItem } from '../csv-files/changes.ts'
import type { ReportFigures } from './figures.ts'
import { type Html, html, nothing } from './html.ts'
import { table, verdict } from './table.ts'
import { value } from './value.ts'
import { counted, grouped } from './words.ts'

/** Most characters of a value; 500 fields of the longest values take about one megabyte. */
const MOST_CHARACTERS = 160

const OPEN_ROWS = 40

export function changesSection({ changes, personalData }: ReportFigures): Html {
  const { rows, total } = changes
  if (total === 0) return html`<p>${verdict('good', 'Nothing had to change.')}</p>`
  const shown = rows.reduce((sum, { fields }) => sum + fields.length, 0)
  const rest =
    total > shown
      ? html` The other ${grouped(total - shown)} are in <a href="changes.csv">changes.csv</a>, in the same order.`
      : html` <a href="changes.csv">changes.csv</a> has them in full.`
  const caption = `${total > shown ? 'The first ' : ''}${counted(shown, 'changed field')}`
  const all = table({ caption, head: ['Field', 'Before', 'After'], rows: rows.map(itemRows) })
  return html`<p class="lead">${counted(total, 'field')} changed on the platform; ${total > shown ? `the first ${grouped(shown)} are shown` : 'all are shown'}.${rest} Values of more than ${MOST_CHARACTERS} characters are cut here.${personalData === 'masked' ? html` Values of people are masked.` : nothing}</p>
${shown > OPEN_ROWS ? html`<details><summary>${caption}</summary><div class="changes">${all}</div></details>` : html`<div class="changes">${all}</div>`}`
}

function itemRows({ content, uniqueId, label, action, fields }: ChangedItem): Html {
  const name = label === '' ? nothing : html` <span class="label">${value(label, 80)}</span>`
  return html`<tbody><tr><th scope="rowgroup" colspan="3" class="group"><span class="action ${action}">${action}</span> ${content} ${value(uniqueId, 80)}${name}</th></tr>
${fields.map(({ name, before, after }) => html`<tr><th scope="row">${name}</th><td>${cell(before)}</td><td>${cell(after)}</td></tr>\n`)}</tbody>
`
}

function cell(text: string | null): Html {
  return text === null
    ? html`<span class="none"><span aria-hidden="true">–</span><span class="unseen">none</span></span>`
    : value(text, MOST_CHARACTERS)
}
