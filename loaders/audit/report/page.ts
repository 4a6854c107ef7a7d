import { MAX_REPORT_BYTES } from '../csv-files/pack-files.ts'
import { agendaSection } from './agenda-section.ts'
import { certificatesSection } from './certificates-section.ts'
import { changesSection } from './changes-section.ts'
import { documentOf } from './document.ts'
import type { ReportFigures } from './figures.ts'
import { filesSection } from './files-section.ts'
import { flowSection } from './flow-section.ts'
import { growthSection } from './growth-section.ts'
import { guardsSection } from './guards-section.ts'
import { bytesOf, type Html, html, toPage } from './html.ts'
import { reconciliationSection } from './reconciliation-section.ts'
import { resultsSection } from './results-section.ts'
import { outcomes, summarySection } from './summary-section.ts'
import { inUtc } from './words.ts'

/** The report of a run as one page that needs nothing else: the same text for the same figures. */
export function reportPage(figures: ReportFigures): string {
  const [before, after] = [
    [
      section('glance', 'The run', summarySection(figures)),
      section('flow', 'From the source to the platform', flowSection(figures)),
      section('certificates', 'Was everything read?', certificatesSection(figures)),
      section('guards', 'Guards and holds', guardsSection(figures)),
      section('reconciliation', 'Do the sums close?', reconciliationSection(figures)),
      section('results', 'What did the platform say?', resultsSection(figures)),
      section('changes', 'What changed', changesSection(figures)),
    ],
    [
      section('growth', 'Growth over past runs', growthSection(figures)),
      section('files', 'In this pack', filesSection(figures.files)),
    ],
  ]
  const frame = (agenda: Html) => framed(figures, [...before, section('agenda', 'Agenda', agenda), ...after])
  // The agenda alone has no bound of its own: it takes what the rest leaves.
  const room = MAX_REPORT_BYTES - bytesOf(frame(html``)) - 2000
  return toPage(frame(agendaSection(figures, room)))
}

function section(id: string, title: string, part: Html): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${part}</section>
`
}

const CONTENTS: readonly (readonly [id: string, title: string])[] = [
  ['glance', 'The run'],
  ['flow', 'Flow'],
  ['certificates', 'Certificates'],
  ['guards', 'Guards'],
  ['reconciliation', 'Reconciliation'],
  ['results', 'Results'],
  ['changes', 'Changes'],
  ['agenda', 'Agenda'],
  ['growth', 'Growth'],
  ['files', 'Files'],
]

function framed(report: ReportFigures, sections: readonly Html[]): Html {
  const { integrationId, run } = report
  const when = inUtc(run.finishedAt ?? run.startedAt)
  const body = html`<header>
<p class="kind">Audit report</p>
<h1>${integrationId}</h1>
<p class="when">${when}</p>
<ul class="outcomes" aria-label="Outcome">${outcomes(report).map((outcome) => html`<li>${outcome}</li>`)}</ul>
</header>
<nav aria-label="Sections"><ul>${CONTENTS.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<main id="main" tabindex="-1">
${sections}</main>
<footer><p>Written by event-content-sync ${run.productVersion}. This page holds no script, loads nothing and sends nothing; all times of the run are UTC.</p></footer>
`
  return documentOf(`${integrationId}: audit report of ${when}`, 'report', body)
}
