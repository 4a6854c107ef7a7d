import { CONTENTS, type Content, type ReasonWords } from '../../../sql/tables.ts'
import { reasonInWords } from '../../../transforms/declare/reasons.ts'
import { type Figure, RESOURCE_MEASURES } from '../../../transforms/reconciliation/reconcile.ts'
import type { ReportFigures } from './figures.ts'
import {
  CONTENT_TITLE,
  grouped,
  groupedCount,
  type Html,
  html,
  nothing,
  numberCell,
  scrolling,
  table,
  value,
} from './html.ts'

/**
 * Number of a content's records after each step of a run, and number of its items on the platform after the
 * run.
 */
export type Flow = NonNullable<ReturnType<typeof flowOf>>

const EXCLUDED = 'excluded:'
/**
 * Measures that count records which were read but not staged. In the reconciliation these are all summands of
 * `read`, except `staged`.
 */
const SET_ASIDE = (RESOURCE_MEASURES.read?.sum ?? []).filter((measure) => measure !== 'staged')

/**
 * Computes from the figures of a run how many records of a content reached each step.
 *
 * @returns null if the run did not sync the content
 */
export function flowOf(figures: readonly Figure[], content: Content) {
  const own = figures.filter((figure) => figure.content === content)
  const resource = own[0]?.resource
  if (resource === undefined) return null
  const ofRecords = figures.filter((figure) => figure.content === '' && figure.resource === resource)
  // Repeated records were dropped before staging, so they must not be counted as excluded after staging.
  const excluded = own.flatMap(({ measure, count }) =>
    measure.startsWith(EXCLUDED) && measure !== `${EXCLUDED}duplicate_id`
      ? [[measure.slice(EXCLUDED.length), Number(count)] as const]
      : [],
  )
  const records = (measure: string) => numberOf(ofRecords, measure)
  return {
    content,
    resource,
    /** Returns how many of the resource's records a measure counts. */
    records,
    /** Returns how many of the content's items a measure counts. */
    items: (measure: string) => numberOf(own, measure),
    // Earlier runs staged the unseen records. Unseen records are kept because the source did not prove that
    // the read was complete.
    staged: records('staged') + records('unseen'),
    excluded: excluded.toSorted(([, one], [, other]) => other - one),
    excludedTotal: excluded.reduce((sum, [, count]) => sum + count, 0),
  }
}

function numberOf(figures: readonly Figure[], measure: string): number {
  return Number(figures.find((figure) => figure.measure === measure)?.count ?? 0n)
}

const LEFT = 4
const FULL_WIDTH = 196
const BAR = 16
const STEP = 88
/** Minimum width, in SVG units, of a bar whose count is not zero. */
const LEAST = 2

interface Stage {
  readonly title: string
  readonly count: number
  readonly passing: number
  readonly leaving: readonly string[]
  /**
   * Text about records that enter at the next stage without having passed this stage; null if no such records
   * exist.
   */
  readonly joining: string | null
}

/** Draws an SVG picture, 360 units wide, of how many records of a content reached each step. */
function flowPicture(flow: Flow): Html {
  const stages = stagesOf(flow)
  const most = Math.max(1, ...stages.map(({ count }) => count))
  const width = (count: number) =>
    count === 0 ? 0 : Math.max(LEAST, Math.round((count / most) * FULL_WIDTH * 10) / 10)
  const { content } = flow
  const title = `${CONTENT_TITLE[content]}: from ${flow.resource} read to items on the platform`
  return html`<svg class="flow" viewBox="0 0 360 ${stages.length * STEP - 40}" role="img" aria-labelledby="flow-${content}-title flow-${content}-text">
<title id="flow-${content}-title">${title}</title>
<desc id="flow-${content}-text">${inWords(stages)}</desc>
${stages.map((stage, index) => drawStage(stage, stages[index + 1] ?? null, index * STEP, width))}</svg>`
}

function drawStage(stage: Stage, next: Stage | null, top: number, width: (count: number) => number): Html {
  const [barTop, barEnd] = [top + 22, top + 22 + BAR]
  // The band between two bars must end above the text of the next stage.
  const bandEnd = top + STEP - 2
  const [own, passing] = [width(stage.count), width(stage.passing)]
  const band =
    next === null
      ? nothing
      : html`<path class="band" d="M${LEFT} ${barEnd}H${LEFT + passing}L${LEFT + width(next.count)} ${bandEnd}H${LEFT}Z"/>`
  const stubLeft = LEFT + Math.min(passing, own - LEAST)
  const stub =
    next !== null && stage.count > stage.passing
      ? html`<path class="leaving" d="M${stubLeft} ${barEnd}H${LEFT + own}V${barEnd + 14}H${stubLeft}Z"/>`
      : nothing
  const besides = [...stage.leaving, ...(stage.joining === null ? [] : [stage.joining])]
  return html`<text x="${LEFT}" y="${top + 15}"><tspan class="stage">${stage.title}</tspan><tspan class="count" dx="8">${grouped(stage.count)}</tspan></text>
${band}${stub}<rect class="bar" x="${LEFT}" y="${barTop}" width="${own}" height="${BAR}"/>
${besides.map((text, index) => html`<text class="aside" x="${LEFT + FULL_WIDTH + 12}" y="${barEnd + 10 + index * 17}">${text}</text>`)}
`
}

function stagesOf({ records, items, staged, excludedTotal }: Flow): readonly Stage[] {
  const aside = SET_ASIDE.map((measure) => [measure, records(measure)] as const)
  const [synced, failed, unseen] = [items('synced'), items('failed'), records('unseen')]
  const landed = synced - failed
  const others = items('live') - landed
  return [
    {
      title: 'Read',
      count: records('read'),
      passing: aside.reduce((left, [, count]) => left - count, records('read')),
      leaving: aside.flatMap(([measure, count]) => signed('−', count, measure)),
      joining: unseen === 0 ? null : `+ ${grouped(unseen)} not seen, kept`,
    },
    {
      title: 'Staged',
      count: staged,
      passing: synced,
      leaving: signed('−', excludedTotal, 'excluded'),
      joining: null,
    },
    {
      title: 'Synced',
      count: synced,
      passing: landed,
      leaving: signed('−', failed, 'rejected'),
      joining: others > 0 ? `+ ${grouped(others)} from before` : null,
    },
    { title: 'On the platform', count: items('live'), passing: 0, leaving: [], joining: null },
  ]
}

function signed(sign: string, count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${sign} ${grouped(count)} ${what}`]
}

function inWords(stages: readonly Stage[]): string {
  return stages
    .map(({ title, count, leaving, joining }) =>
      [
        `${title}: ${groupedCount(count, title.startsWith('On') ? 'item' : 'record')}`,
        ...leaving,
        joining ?? '',
      ]
        .filter((text) => text !== '')
        .join(', '),
    )
    .join('. ')
}

export function flowSection({ run, figures, contents }: ReportFigures): Html {
  const words = run.counts?.words ?? {}
  const flows = CONTENTS.filter((content) => contents.includes(content)).flatMap(
    (content) => flowOf(figures, content) ?? [],
  )
  if (run.rollbackTo !== null)
    return html`<p class="lead">A rollback reads no records: its items come from the history of earlier runs.</p>
<div class="cards">${flows.map((flow) => flowCard(flow, `${grouped(flow.items('live'))} on the platform`, nothing, words))}</div>`
  return html`<p class="lead">Bars are drawn to the scale of their own content. What ends in a dashed piece goes no further.</p>
<div class="cards">${flows.map((flow) => flowCard(flow, `from ${flow.resource}`, flowPicture(flow), words))}</div>
<details><summary>The same as a table</summary>${flowTable(flows)}</details>`
}

function flowCard(flow: Flow, besideTitle: string, picture: Html, words: ReasonWords): Html {
  return html`<section class="card" aria-labelledby="flow-${flow.content}">
<h3 id="flow-${flow.content}">${CONTENT_TITLE[flow.content]} <span class="of">${besideTitle}</span></h3>
${picture}
<dl class="inline">${landings(flow)}</dl>
${exclusions(flow, words)}</section>
`
}

function landings({ items }: Flow): readonly Html[] {
  const entries: readonly (readonly [string, number, boolean])[] = [
    ['created', items('created'), true],
    ['updated', items('updated'), true],
    ['unchanged', items('unchanged'), true],
    ['removed', items('removed'), true],
    ['rejected', items('failed') + items('removals_failed'), false],
    ['removals withheld', items('removals_withheld'), false],
    ['kept on the platform', items('kept'), false],
  ]
  return entries
    .filter(([, count, always]) => always || count > 0)
    .map(([name, count]) => html`<div><dt>${name}</dt><dd>${grouped(count)}</dd></div>`)
}

function exclusions({ content, excluded, records }: Flow, words: ReasonWords): Html {
  const aside = [
    ['invalid_record', records('quarantined')],
    ['duplicate_id', records('repeated')],
    ['forgotten', records('forgotten')],
  ] as const
  const left = [...aside.filter(([, count]) => count > 0), ...excluded]
  if (left.length === 0) return html`<p>No record was left out.</p>`
  const rows = left.map(
    ([reason, count]) =>
      html`<tr><th scope="row"><code>${value(reason, 80)}</code>${meaning(words[content]?.[reason]?.why ?? reasonInWords(reason))}</th>${numberCell(count)}</tr>`,
  )
  return table({ caption: 'Records left out, by reason', head: ['Reason', '#Records'], rows })
}

function meaning(words: string): Html {
  return words === '' ? nothing : html`<span class="meaning">${value(words, 300)}</span>`
}

const STEPS: readonly (readonly [title: string, of: (flow: Flow) => number])[] = [
  ['read', ({ records }) => records('read')],
  ...SET_ASIDE.map((measure) => [`− ${measure}`, ({ records }: Flow) => records(measure)] as const),
  ['+ not seen, kept', ({ records }) => records('unseen')],
  ['= staged', ({ staged }) => staged],
  ['− excluded', ({ excludedTotal }) => excludedTotal],
  ['= synced', ({ items }) => items('synced')],
  ['rejected by the platform', ({ items }) => items('failed')],
  ['on the platform now', ({ items }) => items('live')],
]

function flowTable(flows: readonly Flow[]): Html {
  const rows = STEPS.map(
    ([title, of]) => html`<tr><th scope="row">${title}</th>${flows.map((flow) => numberCell(of(flow)))}</tr>`,
  )
  const head = ['Step', ...flows.map(({ content }) => `#${CONTENT_TITLE[content]}`)]
  return scrolling('Records at each step', table({ caption: 'Records at each step', head, rows }))
}
