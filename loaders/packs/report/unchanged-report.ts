import { CONTENTS } from '../../../sql/tables.ts'
import type { findCertificates } from '../../ledger/ledger.ts'
import { smallDocumentOf } from './document.ts'
import type { ReportedRun } from './figures.ts'
import { CONTENT_TITLE, grouped, groupedCount, html, inZone, tookFrom, toPage, value } from './html.ts'

export interface UnchangedRun {
  /** Id that the integration had when the run began. */
  readonly integrationId: string
  readonly runId: string
  /** The earlier run whose report also describes this run. */
  readonly sameAs: string
  readonly run: ReportedRun
  readonly certificates: Awaited<ReturnType<typeof findCertificates>>
}

/**
 * Makes the report of a run that found everything as an earlier run did. The page has the figures that are new,
 * and a link to the report of the earlier run, whose pack is beside this pack.
 */
export function unchangedReport({ integrationId, runId, sameAs, run, certificates }: UnchangedRun): string {
  const { eventName, finishedAt, startedAt, timeZone } = run
  const name = eventName ?? integrationId
  const when = inZone(finishedAt ?? startedAt, timeZone)
  const answers = certificates.reduce((sum, { requests }) => sum + requests, 0)
  const elements = certificates.reduce((sum, one) => sum + one.elements, 0)
  const items = CONTENTS.flatMap((content) => {
    const { unchanged } = run.counts?.changes[content] ?? {}
    return unchanged === undefined ? [] : [`${CONTENT_TITLE[content]} ${grouped(unchanged)}`]
  })
  const took = finishedAt === null ? '' : `, and took ${tookFrom(startedAt, finishedAt)}`
  const body = html`<main>
<h1>${name}</h1>
<p>Audit report of ${when} (${timeZone ?? 'UTC'})</p>
<p><b>Nothing had to change.</b> The source and the platform are as they were in run ${sameAs}. <a href="../${sameAs}/report.html">The report of that run</a> has the agenda, missing people and the sums.</p>
<ul>
<li>Run ${runId} of ${integrationId}, started by ${value(run.startedBy, 200)} at ${inZone(startedAt, timeZone)}${took}
<li>Read: ${groupedCount(elements, 'record')} in ${groupedCount(answers, 'answer')}, proved complete
<li>Items on the platform: ${items.join(', ')}
</ul>
</main>
`
  return toPage(smallDocumentOf(`${name}: audit report of ${when}`, body))
}
