import type { Flow } from './flow.ts'
import { type Html, html, nothing } from './html.ts'
import { CONTENT_TITLE, counted, grouped } from './words.ts'

const LEFT = 4
const FULL_WIDTH = 196
const BAR = 16
const STEP = 88
/** Thinnest bar of what is there at all. */
const LEAST = 2

interface Stage {
  readonly title: string
  readonly count: number
  readonly passing: number
  readonly leaving: readonly string[]
  /** What joins the next stage without having been in this one. */
  readonly joining: string | null
}

/** The way of a content's records from the source to the platform as a picture, 360 wide; its text is beside it. */
export function flowPicture(flow: Flow): Html {
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
  // Ends above the text of the next stage.
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

function stagesOf(flow: Flow): readonly Stage[] {
  const landed = flow.synced - flow.failed
  const others = flow.live - landed
  return [
    {
      title: 'Read',
      count: flow.read,
      passing: flow.read - flow.repeated - flow.quarantined,
      leaving: [...signed('−', flow.repeated, 'repeated'), ...signed('−', flow.quarantined, 'quarantined')],
      joining: flow.unseen === 0 ? null : `+ ${grouped(flow.unseen)} not seen, kept`,
    },
    {
      title: 'Staged',
      count: flow.staged,
      passing: flow.synced,
      leaving: signed('−', flow.excludedTotal, 'excluded'),
      joining: null,
    },
    {
      title: 'Synced',
      count: flow.synced,
      passing: landed,
      leaving: signed('−', flow.failed, 'rejected'),
      joining: others > 0 ? `+ ${grouped(others)} from before` : null,
    },
    { title: 'On the platform', count: flow.live, passing: 0, leaving: [], joining: null },
  ]
}

function signed(sign: string, count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${sign} ${grouped(count)} ${what}`]
}

function inWords(stages: readonly Stage[]): string {
  return stages
    .map(({ title, count, leaving, joining }) =>
      [`${title}: ${counted(count, title.startsWith('On') ? 'item' : 'record')}`, ...leaving, joining ?? '']
        .filter((text) => text !== '')
        .join(', '),
    )
    .join('. ')
}
