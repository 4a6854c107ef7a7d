import { openSums } from '../../../transforms/reconciliation/figure.ts'
import { countPlanned, type ReportFigures } from './figures.ts'
import { type Html, html, nothing } from './html.ts'
import { numberCell, scrolling, table, verdict } from './table.ts'
import { value } from './value.ts'
import { CONTENT_ORDER, CONTENT_TITLE, counted, inUtc, tookFrom } from './words.ts'

export function outcomes({ figures, run, rejected, quarantined }: ReportFigures): readonly Html[] {
  const open = openSums(figures).length
  const withheld = run.counts?.withheld ?? 0
  const found: (readonly ['bad' | 'warn', string, string])[] = []
  if (open > 0)
    found.push(['bad', `${counted(open, 'sum')} ${open === 1 ? 'does' : 'do'} not close`, 'reconciliation'])
  if (rejected.total > 0)
    found.push(['bad', `the platform rejected ${counted(rejected.total, 'change')}`, 'results'])
  if (run.certified !== true) found.push(['bad', 'a read was not proved complete', 'certificates'])
  if (quarantined.total > 0)
    found.push(['warn', `${counted(quarantined.total, 'record')} could not be read`, 'certificates'])
  if (withheld > 0) found.push(['warn', `${counted(withheld, 'change')} withheld`, 'guards'])
  if (run.held !== null)
    found.push(['warn', run.approvedBy === null ? 'a guard held it' : 'held, then approved', 'guards'])
  const isClean = found.every(([kind]) => kind !== 'bad')
  return [
    ...(isClean ? [verdict('good', landed(run, withheld))] : []),
    ...found.map(([kind, text, section]) => html`<a href="#${section}">${verdict(kind, text)}</a>`),
  ]
}

function landed({ counts }: ReportFigures['run'], withheld: number): string {
  if (withheld > 0) return 'Every change that was sent landed'
  return countPlanned(counts) === 0 ? 'Nothing had to change' : 'Every planned change landed'
}

export function summarySection(report: ReportFigures): Html {
  return html`${scrolling('What the run did', actions(report))}
<dl class="facts">${facts(report).map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>\n`)}</dl>`
}

function actions({ contents, run }: ReportFigures): Html {
  const rows = CONTENT_ORDER.filter((content) => contents.includes(content)).map((content) => {
    const { create, update, remove, unchanged } = run.counts?.changes[content] ?? NOTHING
    return html`<tr><th scope="row">${CONTENT_TITLE[content]}</th>${[create + update + unchanged, create, update, remove, unchanged].map(numberCell)}</tr>
`
  })
  const head = ['Content', '#Items', '#Create', '#Update', '#Remove', '#Unchanged']
  return table({ caption: 'Items after the run, and what the plan did to them', head, rows })
}

const KINDS: Readonly<Record<string, string>> = {
  a: 'Source A',
  b: 'Source B',
  jsonl: 'a file of operations (jsonl)',
  http: 'over HTTP',
}

const NOTHING = { create: 0, update: 0, remove: 0, unchanged: 0 }

function facts(report: ReportFigures): readonly (readonly [string, Html])[] {
  const { integrationId, runId, run, personalData, quarantined } = report
  const { source, platform, approvedBy, approvedAt, finishedAt } = run
  const place = ({ type, url, eventId }: typeof source) =>
    html`${KINDS[type] ?? type}${url === '' ? nothing : html`, <span class="url">${value(url, 300)}</span>`}${eventId === '' ? nothing : html`, event ${value(eventId, 100)}`}`
  return [
    ['Integration', html`${integrationId}`],
    ['Run', html`<code>${runId}</code>`],
    ['Source', place(source)],
    ['Platform', place(platform)],
    ['Started', html`${inUtc(run.startedAt)} by ${value(run.startedBy, 200)}`],
    [
      'Finished',
      html`${finishedAt === null ? 'not yet' : `${inUtc(finishedAt)}, after ${tookFrom(run.startedAt, finishedAt)}`}`,
    ],
    [
      'Approved by',
      approvedBy === null || approvedAt === null
        ? html`no approval was needed`
        : html`${value(approvedBy, 200)} on ${inUtc(approvedAt)}`,
    ],
    [
      'Source read',
      run.certified === true ? verdict('good', 'proved complete') : verdict('bad', 'not proved complete'),
    ],
    ['Quarantined', html`${quarantined.total === 0 ? 'no record' : counted(quarantined.total, 'record')}`],
    [
      'Values of people',
      html`${personalData === 'masked' ? 'masked' : 'in full: treat this page as personal data'}`,
    ],
    ['Plan hash', hash(run.planHash ?? '–')],
    ['Configuration hash', hash(run.configHash)],
    ['Made by', html`event-content-sync ${run.productVersion}`],
  ]
}

function hash(text: string): Html {
  return html`<code class="hash">${text}</code>`
}
