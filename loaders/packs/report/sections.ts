import { countChanges, type Hold, type ReasonWords } from '../../../sql/tables.ts'
import { removedBecause } from '../../../transforms/declare/reasons.ts'
import { linesOfHold } from '../../../transforms/guards/guard-finding.ts'
import { type Figure, isOpen, ruleOf } from '../../../transforms/reconciliation/reconcile.ts'
import { FILE_DESCRIPTIONS } from '../csv-files/pack-format.ts'
import type { ChangedItem } from '../csv-files/rows.ts'
import { cell, MOST_CHARACTERS } from './cell.ts'
import type { ReportFigures } from './figures.ts'
import {
  badge,
  CONTENT_TITLE,
  grouped,
  groupedCount,
  type Html,
  html,
  inZone,
  nothing,
  numberCell,
  optionalCell,
  proofInWords,
  scrolling,
  table,
  value,
} from './html.ts'

export function certificatesSection({ run, certificates, quarantined, personalData }: ReportFigures): Html {
  if (run.rollbackTo !== null) return html`<p>A rollback reads nothing, so it has no certificates.</p>`
  const missing = certificates.filter(({ certified }) => !certified).length
  const rows = certificates.map(
    (row) => html`<tr><th scope="row">${row.resource}</th>
<td>${row.certified ? badge('good', 'certified') : badge('bad', 'not certified')}</td>
${numberCell(row.requests)}${numberCell(row.elements)}${optionalCell(row.distinctIds)}${optionalCell(row.declared)}
<td>${value(proofInWords(row.end), 200)}${row.detail === '' ? nothing : html`<span class="meaning">${value(row.detail, 600)}</span>`}</td></tr>
`,
  )
  const lead =
    missing === 0
      ? 'Every resource was read to a proved end. Only then does a missing record count as gone, where it cannot be one that could not be read.'
      : `${groupedCount(missing, 'resource')} could not be proved complete: nothing is removed because a record was not seen there.`
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
      ? html`<p>${groupedCount(total - rows.length, 'more record')} like these: <a href="decisions.csv">decisions.csv</a>.</p>`
      : nothing
  const note = personalData === 'masked' ? ' (ids that are e-mail addresses are masked)' : ''
  return html`<h3>Quarantined: records that could not be read</h3>
${scrolling('Quarantined records', table({ caption: `${groupedCount(total, 'quarantined record')}${note}`, head: ['Resource', 'Id', 'JSON path', 'What was wrong'], rows: lines }))}${more}`
}

const OPEN_ROWS = 40

export function changesSection({ changes, personalData, run }: ReportFigures): Html {
  const { rows, total } = changes
  if (total === 0) return html`<p>${badge('good', 'Nothing had to change.')}</p>`
  const shown = rows.reduce((sum, { fields }) => sum + fields.length, 0)
  const rest =
    total > shown
      ? html` The other ${grouped(total - shown)} are in <a href="changes.csv">changes.csv</a>, in the same order.`
      : html` <a href="changes.csv">changes.csv</a> has them in full.`
  const caption = `${total > shown ? 'The first ' : ''}${groupedCount(shown, 'changed field')}`
  const all = table({
    caption,
    head: ['Field', 'Before', 'After'],
    rows: rows.map((item) => itemRows(item, run.timeZone, run.counts?.words ?? {})),
  })
  return html`<p class="lead">${groupedCount(total, 'field')} changed on the platform; ${total > shown ? `the first ${grouped(shown)} are shown` : 'all are shown'}.${rest} Values of more than ${MOST_CHARACTERS} characters are cut here.${personalData === 'masked' ? html` Values of people are masked.` : nothing}</p>
${shown > OPEN_ROWS ? html`<details><summary>${caption}</summary><div class="changes">${all}</div></details>` : html`<div class="changes">${all}</div>`}`
}

function itemRows(
  { content, uniqueId, label, action, reason, fields }: ChangedItem,
  timeZone: string | null,
  words: ReasonWords,
): Html {
  const own = words[content]?.[reason]?.why
  const name =
    label === null || label === '' ? nothing : html` <span class="label">${value(label, 80)}</span>`
  return html`<tbody><tr><th scope="rowgroup" colspan="3" class="group"><span class="action ${action}">${action}</span> ${content} ${value(uniqueId, 80)}${name}${reason === '' ? nothing : html` <span class="why">${removedBecause(reason)} (<code>${value(reason, 120)}</code>)${own === undefined ? nothing : html`: ${value(own, 300)}`}</span>`}</th></tr>
${fields.map(({ name, before, after }) => html`<tr><th scope="row">${name}</th><td>${cell(before, { content, name, timeZone })}</td><td>${cell(after, { content, name, timeZone })}</td></tr>\n`)}</tbody>
`
}

export function filesSection({ files }: ReportFigures): Html {
  const rows = files.map(
    ({
      name,
      rows,
      bytes,
    }) => html`<tr><th scope="row"><a href="${name}">${name}</a></th><td>${FILE_DESCRIPTIONS[name] ?? ''}</td>
<td class="n">${/\.(csv|jsonl)$/.test(name) ? grouped(rows) : html`<span class="none">–</span>`}</td><td class="n">${grouped(bytes)}</td></tr>
`,
  )
  return html`<p class="lead">This page is a summary; the files beside it are the proof. <code>sha256sum -c SHA256SUMS</code> checks that none was changed, <code>event-sync verify</code> their rows and sums too, and <a href="manifest.json">manifest.json</a> holds the hash of each.</p>
${scrolling('Files of this pack', table({ caption: 'Files of this pack', head: ['File', 'What it holds', '#Rows', '#Bytes'], rows }))}`
}

export function guardsSection({ run }: ReportFigures): Html {
  const { held, approvedBy, approvedAt, counts, timeZone } = run
  const withheld = counts?.withheld ?? 0
  const notes = counts?.notes ?? []
  return html`${held === null ? html`<p>${badge('good', 'No guard held this plan.')}</p>` : holdOf(held)}
${approvedBy === null || approvedAt === null ? nothing : html`<p>Approved by <strong>${value(approvedBy, 200)}</strong> on ${inZone(approvedAt, timeZone)}.</p>`}
${withheld === 0 ? nothing : html`<p>${badge('warn', `${groupedCount(withheld, 'change')} of this plan ${withheld === 1 ? 'was' : 'were'} withheld`)} <a href="load_results.csv">load_results.csv</a> names each.</p>`}
${notes.length === 0 ? nothing : html`<h3>Seen and let pass</h3><ul>${notes.slice(0, 20).map((note) => html`<li>${value(note, 1500)}</li>`)}</ul>`}`
}

function holdOf(held: Hold): Html {
  const { seen, todo } = linesOfHold(held)
  return html`<p>${badge('warn', 'Held by the guard')} <strong>${value(held.guard, 80)}</strong></p>
<blockquote><p>${value(seen, 4000)}</p>${todo === null ? nothing : html`<p>${value(todo, 4000)}</p>`}</blockquote>`
}

export function resultsSection({ rejected, run }: ReportFigures): Html {
  const sent = countChanges(run.counts?.changes) - (run.counts?.withheld ?? 0)
  const { rows, total } = rejected
  if (total === 0) {
    const words = sent === 0 ? 'There was nothing to send.' : 'The platform rejected nothing.'
    return html`<p>${badge('good', words)} <a href="load_results.csv">load_results.csv</a> has the outcome of each operation.</p>`
  }
  const lines = rows.map(
    ({ seq, content, uniqueId, op, code, detail }) => html`<tr><td class="n">${seq}</td><td>${content}</td>
<th scope="row">${value(uniqueId, 80)}</th><td>${op}</td><td><code>${value(code, 200)}</code></td><td>${detail}</td></tr>
`,
  )
  const more =
    total > rows.length
      ? html`<p>${grouped(total - rows.length)} more in <a href="load_results.csv">load_results.csv</a>, with the status <code>failed</code>.</p>`
      : nothing
  return html`<p>${badge('bad', `The platform rejected ${grouped(total)} of ${groupedCount(sent, 'change')}.`)}</p>
${scrolling('Operations that failed', table({ caption: `Operations that failed: ${rows.length === total ? 'all' : 'the first'} ${grouped(rows.length)}`, head: ['#Seq', 'Content', 'Item', 'Operation', 'Code', 'What follows'], rows: lines }))}${more}`
}

/**
 * Shows every sum of the run's reconciliation next to the value that it must have. Sums that differ from
 * their required value come first.
 */
export function reconciliationSection({ figures }: ReportFigures): Html {
  const sums = figures.filter(({ expected }) => expected !== null)
  const open = sums.filter(isOpen)
  const all = scrolling('Reconciliation', figuresTable('All figures of reconciliation.csv', figures))
  if (open.length === 0)
    return html`<p>${badge('good', `All ${groupedCount(sums.length, 'sum')} close.`)} Nothing was lost or doubled on the way.</p>
<details><summary>All ${groupedCount(figures.length, 'figure')}</summary>${all}</details>`
  const broken = figuresTable('Sums that do not close', open)
  return html`<div class="alarm"><p>${badge('bad', `${open.length} of ${groupedCount(sums.length, 'sum')} ${open.length === 1 ? 'does' : 'do'} not close.`)} Something was lost, doubled, or changed by another hand.</p>
${scrolling('Sums that do not close', broken)}</div>
<details open><summary>All ${groupedCount(figures.length, 'figure')}</summary>${all}</details>`
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
  const { measure, count, expected } = figure
  const rule = ruleOf(figure)
  const result =
    expected === null ? nothing : isOpen(figure) ? badge('bad', 'does not close') : badge('good', 'closes')
  return html`<tr${isOpen(figure) ? html` class="open"` : nothing}><th scope="row"><code>${value(measure, 120)}</code>${rule === undefined ? nothing : html`<span class="meaning">${rule}</span>`}</th>
<td class="n">${String(count)}</td><td class="n">${expected === null ? html`<span class="none">–</span>` : String(expected)}</td><td>${result}</td></tr>
`
}
