import type { ReportFigures } from './figures.ts'
import { type Flow, flowOf } from './flow.ts'
import { flowPicture } from './flow-picture.ts'
import { type Html, html, nothing } from './html.ts'
import { numberCell, scrolling, table } from './table.ts'
import { value } from './value.ts'
import { CONTENT_ORDER, CONTENT_TITLE, grouped, reasonInWords } from './words.ts'

export function flowSection({ figures, contents }: ReportFigures): Html {
  const flows = CONTENT_ORDER.filter((content) => contents.includes(content)).flatMap(
    (content) => flowOf(figures, content) ?? [],
  )
  if (flows.length === 0)
    return html`<p>This run was not reconciled: it is of a version before 0.2. <code>decisions.csv</code> has what became of each record.</p>`
  return html`<p class="lead">Bars are drawn to the scale of their own content. What ends in a dashed piece goes no further.</p>
<div class="cards">${flows.map(flowCard)}</div>
<details><summary>The same as a table</summary>${flowTable(flows)}</details>`
}

function flowCard(flow: Flow): Html {
  return html`<section class="card" aria-labelledby="flow-${flow.content}">
<h3 id="flow-${flow.content}">${CONTENT_TITLE[flow.content]} <span class="of">from ${flow.resource}</span></h3>
${flowPicture(flow)}
<dl class="inline">${landings(flow)}</dl>
${exclusions(flow)}</section>
`
}

function landings(flow: Flow): readonly Html[] {
  const entries: readonly (readonly [string, number, boolean])[] = [
    ['created', flow.created, true],
    ['updated', flow.updated, true],
    ['unchanged', flow.unchanged, true],
    ['removed', flow.removed, true],
    ['rejected', flow.failed + flow.removalsFailed, false],
    ['removals withheld', flow.removalsWithheld, false],
    ['kept on the platform', flow.kept, false],
  ]
  return entries
    .filter(([, count, always]) => always || count > 0)
    .map(([name, count]) => html`<div><dt>${name}</dt><dd>${grouped(count)}</dd></div>`)
}

function exclusions({ excluded, repeated, quarantined }: Flow): Html {
  const left: readonly (readonly [string, number])[] = [
    ...(quarantined === 0 ? [] : [['invalid_record', quarantined] as const]),
    ...(repeated === 0 ? [] : [['duplicate_id', repeated] as const]),
    ...excluded,
  ]
  if (left.length === 0) return html`<p>No record was left out.</p>`
  const rows = left.map(
    ([reason, count]) =>
      html`<tr><th scope="row"><code>${value(reason, 80)}</code>${meaning(reason)}</th>${numberCell(count)}</tr>`,
  )
  return table({ caption: 'Records left out, by reason', head: ['Reason', '#Records'], rows })
}

function meaning(reason: string): Html {
  const words = reasonInWords(reason)
  return words === '' ? nothing : html`<span class="meaning">${value(words, 120)}</span>`
}

const STEPS: readonly (readonly [title: string, of: (flow: Flow) => number])[] = [
  ['read', ({ read }) => read],
  ['− repeated', ({ repeated }) => repeated],
  ['− quarantined', ({ quarantined }) => quarantined],
  ['+ not seen, kept', ({ unseen }) => unseen],
  ['= staged', ({ staged }) => staged],
  ['− excluded', ({ excludedTotal }) => excludedTotal],
  ['= synced', ({ synced }) => synced],
  ['rejected by the platform', ({ failed }) => failed],
  ['on the platform now', ({ live }) => live],
]

function flowTable(flows: readonly Flow[]): Html {
  const rows = STEPS.map(
    ([title, of]) => html`<tr><th scope="row">${title}</th>${flows.map((flow) => numberCell(of(flow)))}</tr>`,
  )
  const head = ['Step', ...flows.map(({ content }) => `#${CONTENT_TITLE[content]}`)]
  return scrolling('Records at each step', table({ caption: 'Records at each step', head, rows }))
}
