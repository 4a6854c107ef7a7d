import {
  type ChangeCounts,
  CONTENTS,
  type Content,
  countChanges,
  type Db,
  type RunKey,
} from '../../../sql/tables.ts'
import { TRANSFORMS } from '../../../transforms/decide/platform-fields.ts'
import type { AnyTransform } from '../../../transforms/declare/source.ts'
import { isOpen } from '../../../transforms/reconciliation/reconcile.ts'
import { findCertificates } from '../../ledger/ledger.ts'
import { type ListedFile, mask, noMask } from '../csv-files/csv.ts'
import { MAX_REPORT_BYTES } from '../csv-files/pack-format.ts'
import { findFigures } from '../csv-files/rows.ts'
import { agendaSection } from './agenda.ts'
import { documentOf } from './document.ts'
import {
  type ReportedRun,
  type ReportFigures,
  readAgenda,
  readChanges,
  readGrowth,
  readQuarantined,
  readRejections,
} from './figures.ts'
import { flowSection } from './flow.ts'
import { growthSection } from './growth-section.ts'
import {
  badge,
  bytesOf,
  CONTENT_TITLE,
  groupedCount,
  type Html,
  html,
  inZone,
  nothing,
  numberCell,
  scrolling,
  table,
  tookFrom,
  toPage,
  value,
} from './html.ts'
import { readMissing } from './missing-figures.ts'
import { missingSection } from './missing-section.ts'
import {
  certificatesSection,
  changesSection,
  filesSection,
  guardsSection,
  reconciliationSection,
  resultsSection,
} from './sections.ts'

type Section = readonly [id: string, name: string, title: string, part: (figures: ReportFigures) => Html]

/**
 * Sections of the page in their order. Each section has an anchor, a name for the navigation, a heading, and
 * a function that makes its content.
 */
const SECTIONS: readonly Section[] = [
  ['glance', 'The run', 'The run', summarySection],
  ['flow', 'Flow', 'From the source to the platform', flowSection],
  ['certificates', 'Certificates', 'Was everything read?', certificatesSection],
  ['guards', 'Guards', 'Guards and holds', guardsSection],
  ['reconciliation', 'Reconciliation', 'Do the sums close?', reconciliationSection],
  ['results', 'Results', 'What did the platform say?', resultsSection],
  ['missing', 'Missing', 'Who is missing', missingSection],
  ['changes', 'Changes', 'What changed', changesSection],
  ['agenda', 'Agenda', 'Agenda', () => nothing],
  ['growth', 'Growth', 'Growth over past runs', growthSection],
  ['files', 'Files', 'In this pack', filesSection],
]

/**
 * Makes the report of a run as one page that needs no other file. Equal figures always give the same bytes.
 */
export function reportPage(figures: ReportFigures): string {
  const frame = (agenda: Html) =>
    framed(
      figures,
      SECTIONS.map(
        ([id, , title, part]) => html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${id === 'agenda' ? agenda : part(figures)}</section>
`,
      ),
    )
  // The agenda is the only section without a fixed size limit; it gets the space that the other sections
  // leave.
  const room = MAX_REPORT_BYTES - bytesOf(frame(nothing)) - 2000
  return toPage(frame(agendaSection(figures, room)))
}

function framed(report: ReportFigures, sections: readonly Html[]): Html {
  const { integrationId, run } = report
  const when = inZone(run.finishedAt ?? run.startedAt, run.timeZone)
  const zone = run.timeZone ?? 'UTC'
  const body = html`<header>
<p class="kind">Audit report</p>
<h1>${run.eventName ?? integrationId}</h1>
<p class="when">${when} (${zone})</p>
<ul class="outcomes" aria-label="Outcome">${badges(report).map((one) => html`<li>${one}</li>`)}</ul>
</header>
<nav aria-label="Sections"><ul>${SECTIONS.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
<main id="main" tabindex="-1">
${sections}</main>
<footer><p>Written by event-content-sync ${run.productVersion}. This page holds no script, loads nothing and sends nothing. All times are in ${zone}; only the agenda shows sessions that have a zone of their own in that zone.</p></footer>
`
  return documentOf(`${run.eventName ?? integrationId}: audit report of ${when}`, 'report', body)
}

function badges({ figures, run, rejected, quarantined }: ReportFigures): readonly Html[] {
  const open = figures.filter(isOpen).length
  const withheld = run.counts?.withheld ?? 0
  const found: (readonly ['bad' | 'warn', string, string])[] = []
  if (open > 0)
    found.push([
      'bad',
      `${groupedCount(open, 'sum')} ${open === 1 ? 'does' : 'do'} not close`,
      'reconciliation',
    ])
  if (rejected.total > 0)
    found.push(['bad', `the platform rejected ${groupedCount(rejected.total, 'change')}`, 'results'])
  if (run.certified !== true) found.push(['bad', 'a read was not proved complete', 'certificates'])
  if (quarantined.total > 0)
    found.push(['warn', `${groupedCount(quarantined.total, 'record')} could not be read`, 'certificates'])
  if (withheld > 0) found.push(['warn', `${groupedCount(withheld, 'change')} withheld`, 'guards'])
  if (run.held !== null)
    found.push(['warn', run.approvedBy === null ? 'a guard held it' : 'held, then approved', 'guards'])
  const isClean = found.every(([kind]) => kind !== 'bad')
  return [
    ...(isClean ? [badge('good', landed(run, withheld))] : []),
    ...found.map(([kind, text, section]) => html`<a href="#${section}">${badge(kind, text)}</a>`),
  ]
}

function landed({ counts }: ReportFigures['run'], withheld: number): string {
  if (withheld > 0) return 'Every change that was sent landed'
  return countChanges(counts?.changes) === 0 ? 'Nothing had to change' : 'Every planned change landed'
}

function summarySection(report: ReportFigures): Html {
  return html`${rollbackLead(report)}${scrolling('What the run did', actions(report))}
<dl class="facts">${facts(report).map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>\n`)}</dl>`
}

function rollbackLead({ run }: ReportFigures): Html {
  if (run.rollbackTo === null) return nothing
  return html`<p class="lead">This run was a rollback: it read nothing at the source, and brought the items of the platform back to what they were after run <code>${run.rollbackTo}</code>.</p>
`
}

function actions({ contents, run }: ReportFigures): Html {
  const rows = CONTENTS.filter((content) => contents.includes(content)).map((content) => {
    const { create, update, handover = 0, remove, unchanged } = run.counts?.changes[content] ?? NOTHING
    return html`<tr><th scope="row">${CONTENT_TITLE[content]}</th>${[create + update + handover + unchanged, create, update, handover, remove, unchanged].map(numberCell)}</tr>
`
  })
  const head = ['Content', '#Items', '#Create', '#Update', '#Hand over', '#Remove', '#Unchanged']
  return table({ caption: 'Items after the run, and what the plan did to them', head, rows })
}

const KINDS: Readonly<Record<string, string>> = {
  a: 'Source A',
  b: 'Source B',
  jsonl: 'a file of operations (jsonl)',
  http: 'over HTTP',
}

const NOTHING: ChangeCounts = { create: 0, update: 0, remove: 0, unchanged: 0 }

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
    ['Started', html`${inZone(run.startedAt, run.timeZone)} by ${value(run.startedBy, 200)}`],
    [
      'Finished',
      html`${finishedAt === null ? 'not yet' : `${inZone(finishedAt, run.timeZone)}, after ${tookFrom(run.startedAt, finishedAt)}`}`,
    ],
    [
      'Approved by',
      approvedBy === null || approvedAt === null
        ? html`no approval was needed`
        : html`${value(approvedBy, 200)} on ${inZone(approvedAt, run.timeZone)}`,
    ],
    [
      'Source read',
      run.rollbackTo !== null
        ? html`not by a rollback`
        : run.certified === true
          ? badge('good', 'proved complete')
          : badge('bad', 'not proved complete'),
    ],
    [
      'Quarantined',
      html`${quarantined.total === 0 ? 'no record' : groupedCount(quarantined.total, 'record')}`,
    ],
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

export interface ReportOptions {
  /** Id that the integration had when the run began. */
  readonly integrationId: string
  readonly run: ReportedRun
  readonly personalData: 'full' | 'masked'
  readonly contents: readonly Content[]
  readonly files: readonly ListedFile[]
}

/**
 * Makes the report of a run, with at most 2 MB. The report of a run always has the same bytes, with PGlite or
 * PostgreSQL, in any locale and time zone.
 */
export async function makeReport(
  db: Db,
  run: RunKey,
  { integrationId, files, contents, personalData, ...options }: ReportOptions,
): Promise<string> {
  const hiding = personalData === 'masked' ? mask : noMask
  const changed = files.find(({ name }) => name === 'changes.csv')?.rows ?? 0
  const figures = await findFigures(db, run)
  const { silencedHints, source } = options.run
  const transforms: Readonly<Record<string, AnyTransform>> = TRANSFORMS
  const transform = transforms[source.type] ?? null
  return reportPage({
    runId: run.runId,
    integrationId,
    run: options.run,
    contents,
    personalData,
    files,
    figures,
    certificates: await findCertificates(db, run),
    quarantined: await readQuarantined(db, run, hiding),
    rejected: await readRejections(db, run, hiding),
    missing: await readMissing(db, run, {
      ...{ contents, figures, silencedHints, transform, mask: hiding },
      words: options.run.counts?.words ?? {},
    }),
    changes: {
      rows: changed === 0 ? [] : await readChanges(db, run, contents, hiding),
      total: changed,
    },
    agenda: contents.includes('agenda') ? await readAgenda(db, run) : { rows: [], total: 0 },
    growth: await readGrowth(db, run, options.run.finishedAt),
  })
}
