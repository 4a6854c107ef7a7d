import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { readRegular } from '../../loaders/files/read.ts'
import type { RunSize } from '../../loaders/ledger/ledger.ts'
import { MAX_REPORT_BYTES, REPORT_FILE } from '../../loaders/packs/csv-files/pack-format.ts'
import { MASKED_PAGE } from '../../loaders/packs/plan-page/plan-files.ts'
import { documentOf } from '../../loaders/packs/report/document.ts'
import {
  badge,
  CONTENT_TITLE,
  groupedCount,
  type Html,
  html,
  inUtc,
  nothing,
  scrolling,
  table,
  toPage,
  value,
} from '../../loaders/packs/report/html.ts'
import { CONTENTS, changesIn } from '../../sql/tables.ts'
import { packFolder, STATUS_PAGE } from '../context/pack-folder.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { messageOf } from '../runtime/message-of.ts'
import { productVersion } from '../runtime/package-root.ts'
import { isRunId } from '../runtime/run-id.ts'
import type { IntegrationStatus } from '../schemas/runs.ts'
import { writeShared } from './shared-file.ts'
import { STATES_BY_NEED, type State } from './state.ts'
import { CHARTED_RUNS, findStatuses } from './status.ts'

const KINDS: Readonly<Record<State, 'good' | 'bad' | 'warn'>> = {
  'up to date': 'good',
  'never run': 'warn',
  pinned: 'warn',
  held: 'warn',
  incomplete: 'warn',
  interrupted: 'warn',
  overdue: 'bad',
  failing: 'bad',
}

/**
 * Writes the status page of all integrations into the output folder, after work on an integration has ended.
 * The promise never rejects.
 */
export async function writeStatusPage(context: Context, integration: string): Promise<void> {
  try {
    const page = await makeStatusPage(context, null)
    await writeShared(join(context.outputFolder, STATUS_PAGE), page, context.config.output.mode)
  } catch (error) {
    context.events.emit(integration, {
      type: 'delivery failed',
      to: 'the status page',
      cause: messageOf(error),
    })
  }
}

/**
 * Makes the status page of all integrations. The page contains no personal data and no script, and loads no
 * other file.
 *
 * @param refreshSeconds seconds after which a browser loads the page again; null for a file, which is written
 *   after each run
 */
export async function makeStatusPage(context: Context, refreshSeconds: number | null): Promise<string> {
  const { environment, outputFolder } = context
  const statuses = await findStatuses(context)
  return statusPage(statuses, timestamp(environment), outputFolder, refreshSeconds, context.named)
}

/** Returns the report of a run of a configured integration; null if there is no report. */
export function readReport(
  context: Context,
  integration: string,
  run: string,
  name: typeof REPORT_FILE | typeof MASKED_PAGE = REPORT_FILE,
): string | null {
  const isKnown = isRunId(run) && context.config.integrations.some(({ id }) => id === integration)
  if (!isKnown) return null
  const folder = packFolder({ ...context, integrationId: integration, runId: run })
  return readRegular(folder, name, MAX_REPORT_BYTES)?.toString() ?? null
}

/** Adds the configuration to each command that a text names. */
type Named = (text: string) => string

/**
 * Formats the status page.
 *
 * @param outputFolder folder of the page, from which its links are relative paths
 */
export function statusPage(
  statuses: readonly IntegrationStatus[],
  writtenAt: string,
  outputFolder: string,
  refreshSeconds: number | null,
  named: Named = (text) => text,
): string {
  const rest = statuses.slice(MOST_CARDS)
  const made =
    refreshSeconds === null
      ? 'at the end of the last run'
      : `now; the browser loads it again every ${refreshSeconds} seconds`
  const body = html`<header>
<p class="kind">Status</p>
<h1>${groupedCount(statuses.length, 'integration')}</h1>
<p class="when">as of ${inUtc(writtenAt)}</p>
<ul class="outcomes" aria-label="States">${STATES_BY_NEED.map((state) => countOf(state, statuses))}</ul>
</header>
<main id="main" tabindex="-1">
<section aria-label="Integrations"><div class="cards">
${statuses.slice(0, MOST_CARDS).map((status) => card(status, outputFolder, named))}</div></section>
${rest.length === 0 ? nothing : tableOf(rest, outputFolder, named)}</main>
<footer><p>Written by event-content-sync ${productVersion} ${made}. This page holds no script, loads nothing and sends nothing; all times are UTC. Charts show the last 30 runs: bars are changes, their red part removals, the line is the duration.</p></footer>
`
  return toPage(documentOf(`Integrations: status of ${inUtc(writtenAt)}`, 'integrations', body))
}

/**
 * Maximum number of integrations that the page shows as cards. The remaining integrations, which need less
 * attention, have a row each.
 */
const MOST_CARDS = 100

function tableOf(statuses: readonly IntegrationStatus[], outputFolder: string, named: Named): Html {
  const rows = statuses.map(
    ({ integration, state, reason, lastSuccessAt, report, look, next, recent }) =>
      html`<tr><th scope="row">${report === null ? integration : html`<a href="${hrefOf(outputFolder, report)}">${integration}</a>`}</th><td>${state}${reason === null ? nothing : html`: ${value(named(reason), 100)}`}</td><td>${lastSuccessAt === null ? 'never' : inUtc(lastSuccessAt)}</td><td>${chart(recent)}</td><td>${named(`${look === null ? '' : `${look}, then `}${next ?? ''}`)}</td></tr>\n`,
  )
  const head = ['Integration', 'State', 'Last success', 'Last runs', 'To do']
  return html`<section>${scrolling('Other integrations', table({ caption: `${groupedCount(statuses.length, 'other integration')}`, head, rows }))}</section>
`
}

const CHART_HEIGHT = 20
const RUN_WIDTH = 4

/**
 * Draws the sizes of the last runs. Bars show the changes, their red part the removals, and a line the
 * duration.
 */
function chart(recent: readonly RunSize[]): Html {
  const last = recent.at(-1)
  if (last === undefined) return html`<span class="none">–</span>`
  const most = Math.max(1, ...recent.map(({ changes }) => changes))
  const longest = Math.max(1, ...recent.map(({ seconds }) => seconds))
  const heightOf = (count: number) =>
    count === 0 ? 0 : Math.max(1, Math.round((count / most) * CHART_HEIGHT))
  const bars = (of: (size: RunSize) => number) => barsOf(recent.map((size) => heightOf(of(size))))
  const line = lineOf(
    recent.map(({ seconds }) => CHART_HEIGHT - Math.round((seconds / longest) * CHART_HEIGHT)),
  )
  const failed = recent.filter(({ hasFailed }) => hasFailed).length
  const text = `Last ${groupedCount(recent.length, 'run')}${failed === 0 ? '' : `, ${failed} failed`}; the last one: ${groupedCount(last.changes, 'change')}, ${groupedCount(last.removals, 'removal')}, ${Math.round(last.seconds)} s`
  return html`<svg class="spark" viewBox="0 0 ${CHARTED_RUNS * RUN_WIDTH} ${CHART_HEIGHT}" role="img" aria-label="${text}"><path class="changes" d="${bars(({ changes }) => changes)}"/><path class="removed" d="${bars(({ removals }) => removals)}"/><path class="floor" d="${line}"/></svg>`
}

/**
 * Draws bars as strokes that begin at the bottom. Positions are relative to the previous bar, which keeps a
 * page with a thousand charts small.
 */
function barsOf(heights: readonly number[]): string {
  let path = `M${RUN_WIDTH / 2} ${CHART_HEIGHT}`
  let across = 0
  let down = 0
  for (const height of heights) {
    if (height > 0) {
      path += `${across === 0 ? '' : `m${across} ${down}`}v-${height}`
      across = 0
      down = height
    }
    across += RUN_WIDTH
  }
  return path
}

/** Draws a line through points, whose heights are measured from the top. */
function lineOf(tops: readonly number[]): string {
  return tops
    .map((top, index) => {
      if (index === 0) return `M${RUN_WIDTH / 2} ${top}`
      const by = top - (tops[index - 1] ?? top)
      return by === 0 ? `h${RUN_WIDTH}` : `l${RUN_WIDTH} ${by}`
    })
    .join('')
}

function countOf(state: State, statuses: readonly IntegrationStatus[]): Html {
  const count = statuses.filter((status) => status.state === state).length
  return count === 0 ? nothing : html`<li>${badge(KINDS[state], `${count} ${state}`)}</li>`
}

function card(status: IntegrationStatus, outputFolder: string, named: Named): Html {
  const { integration, state, since, reason, next, lastSuccessAt, cron, dueAt, report, running, readings } =
    status
  const facts: readonly (readonly [string, Html | null])[] = [
    ['Since', since === null ? null : html`${inUtc(since)}`],
    ['Why', reason === null ? null : value(named(reason), 2000)],
    ['Last success', html`${lastSuccessAt === null ? 'never' : inUtc(lastSuccessAt)}`],
    [
      state === 'held' || state === 'pinned' ? 'Planned changes' : 'Last changes',
      status.run === null ? null : html`${changesOf(status)}`,
    ],
    [
      'Schedule',
      cron === null
        ? null
        : html`<code>${cron}</code>${dueAt === null ? nothing : html`, due ${inUtc(dueAt)}`}`,
    ],
    ['Last runs', status.recent.length === 0 ? null : chart(status.recent)],
    ['Full reading', readings === undefined ? null : html`${describeFull(readings)}`],
    ['Now', running ? html`a run is under way` : null],
    ['To do', next === null ? null : toDo(status, outputFolder, named)],
    ['Report', report === null ? null : linksTo(report, state, outputFolder)],
  ]
  return html`<article class="card" aria-labelledby="${integration}">
<h2 id="${integration}">${integration}</h2>
<p>${badge(KINDS[state], state)}</p>
<dl>${facts.map(([name, fact]) => (fact === null ? nothing : html`<div><dt>${name}</dt><dd>${fact}</dd></div>\n`))}</dl>
</article>
`
}

/**
 * Says what to do. If a plan waits, the page shows first how to look at it, then how to approve it, then how
 * to replace it.
 */
function toDo(
  { integration, look, next, report }: IntegrationStatus,
  outputFolder: string,
  named: Named,
): Html {
  const approve = html`<code>${named(next ?? '')}</code>`
  if (look === null) return approve
  const plan =
    report === null
      ? html`<code>${named(look)}</code>`
      : html`<a href="${hrefOf(outputFolder, report)}">what would change</a>`
  return html`Look at the plan first: ${plan}. If it is right: ${approve}. If it is wrong: correct the source, then <code>${named(`event-sync run ${integration}`)}</code>.`
}

function linksTo(report: string, state: State, outputFolder: string): Html {
  const masked = join(dirname(report), MASKED_PAGE)
  // A run that withheld removals is also held, but it has an audit pack.
  if (state !== 'held' || !existsSync(masked))
    return html`<a href="${hrefOf(outputFolder, report)}">of the last run</a>`
  return html`<a href="${hrefOf(outputFolder, report)}">the plan that waits</a>, <a href="${hrefOf(outputFolder, masked)}">the same to forward</a>`
}

/** Describes when all records of an integration that is read by changes will be read the next time. */
function describeFull(readings: NonNullable<IntegrationStatus['readings']>): string {
  const next = Object.values(readings).flatMap(({ nextFull }) => nextFull ?? [])
  const [due] = next.sort()
  const when = due === undefined ? '' : `, due ${inUtc(due)}`
  return `a record deleted at the source stays, with its item, until the next one${when}`
}

function changesOf({ changes }: IntegrationStatus): string {
  const parts = CONTENTS.flatMap((content) => {
    const { create, update, handover = 0, remove } = changes[content]
    if (changesIn(changes[content]) === 0) return []
    const handed = handover === 0 ? '' : `, ${handover} handed over`
    return [`${CONTENT_TITLE[content]} ${create} created, ${update} updated${handed}, ${remove} removed`]
  })
  return parts.length === 0 ? 'none' : parts.join('; ')
}

function hrefOf(outputFolder: string, file: string): string {
  return relative(outputFolder, file).split(sep).map(encodeURIComponent).join('/')
}
