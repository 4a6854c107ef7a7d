import { dirname, join } from 'node:path'
import { MASKED_PAGE } from '../../loaders/packs/plan-page/plan-files.ts'
import { CONTENTS, changesIn, countChanges } from '../../sql/tables.ts'
import { linesOfHold } from '../../transforms/guards/guard-finding.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { changesInPlainWords } from '../../transforms/texts/in-the-app.ts'
import { describePin } from '../../transforms/texts/pinned.ts'
import { approvalOf, ifPlanIsWrong, planAgain } from '../../transforms/texts/waiting-plan.ts'
import { withAnd } from '../../transforms/texts/with-and.ts'
import type { Context } from '../context/run-context.ts'
import { codeOfReports } from '../inspect/state.ts'
import { endOf, waitingPlan } from '../observe/outcome.ts'
import { duration } from '../runtime/duration.ts'
import { EXIT, isPinnedRun, type ReportJson, type RunReport } from '../runtime/report.ts'
import type { StepTime } from '../schemas/runs.ts'
import { type Paint, paintFor, unpainted } from './colours.ts'
import type { Ended } from './define-command.ts'
import type { CommandIo } from './io.ts'
import type { Why } from './quiet.ts'
import type { GlobalOptions } from './session.ts'

/**
 * Prints reports. With --json, prints one JSON object on standard output and text on standard error. Without
 * --json, prints text: reports of failed runs on standard error, other reports on standard output.
 */
export function printReports(
  io: CommandIo,
  reports: readonly RunReport[],
  { json, color }: Pick<GlobalOptions, 'json' | 'color'>,
): void {
  for (const report of reports) {
    const output = json || report.error !== undefined ? io.stderr : io.stdout
    output.write(describeReport(report, true, paintFor(output, { color })))
  }
  if (json) io.stdout.write(`${JSON.stringify({ runs: reports.map(toJson) })}\n`)
}

/** Returns the JSON of a report, on which users rely. The object has `notes` only if the run has notes. */
export function toJson({
  kept,
  failed,
  withheld,
  notes = [],
  approved,
  command,
  steps = [],
  ...report
}: RunReport): ReportJson {
  return { ...report, ...(notes.length === 0 ? {} : { notes }), steps }
}

/**
 * Headings of the table that shows which resources are read by changes (only the records changed since the
 * last read).
 */
export const READINGS_HEADINGS = [
  'read by changes',
  'mark',
  'since',
  'read in full because',
  'last full',
  'next full',
]

export function rowsOfReadings(readings: object): readonly string[][] {
  return Object.entries(readings).map(([resource, reading]) => [resource, ...Object.values<string>(reading)])
}

/**
 * Returns the report of a run as text.
 *
 * @param canApply false if the plan of the run can no longer be applied
 */
export function describeReport(report: RunReport, canApply = true, paint: Paint = unpainted): string {
  const { integration, kept = 0, failed = 0, quarantined, notes = [], held, withheld = 0 } = report
  const [first, ...more] = headline(report).split('\n')
  const lines = [
    `${integration}: ${paint(colourOf(report), first ?? '')}`,
    ...more.map((text) => `  ${text}`),
  ]
  const line = (label: string, text: string) => lines.push(`  ${label.padEnd(10)} ${text}`)
  for (const content of CONTENTS) {
    const { create, update, handover = 0, remove, unchanged } = report.changes[content]
    if (changesIn(report.changes[content]) + unchanged === 0) continue
    const handed = handover === 0 ? '' : `${handover} to hand over, `
    line(
      content,
      `${create} to create, ${update} to update, ${handed}${remove} to remove, ${unchanged} unchanged`,
    )
  }
  const excluded = Object.entries(report.excluded).map(([reason, count]) => `${reason} ${count}`)
  if (excluded.length > 0) line('excluded', excluded.join(', '))
  if (kept > 0) {
    const stay = kept === 1 ? '1 item stays' : `${kept} items stay`
    line(
      'kept',
      `${stay} on the platform but would not be synced now; why: event-sync explain ${integration} CONTENT UNIQUE_ID`,
    )
  }
  if (failed > 0)
    line('rejected', `the platform rejected ${counted(failed, 'change')}; the next run tries again`)
  if (quarantined > 0) {
    const more = `guards.maxQuarantined sets how many are allowed); which and why: event-sync quarantine ${integration}`
    line('quarantined', `${quarantined}: records that could not be read (${more}`)
  }
  for (const note of notes) line('note', note)
  if (held !== null) {
    const by = report.approved === true ? 'approved, though held by' : 'held by'
    const { seen, todo } = linesOfHold(held)
    lines.push(`  ${by} ${held.guard}: ${seen}`, ...(todo === null ? [] : [`  ${todo}`]))
    const changed = CONTENTS.filter((content) => changesIn(report.changes[content]) > 0)
    if (report.status === 'held' && changed.length > 1)
      lines.push(`  ${withAnd(changed)} are held together, because their items refer to each other`)
  }
  if (withheld > 0) {
    const todo =
      held === null
        ? 'the note above says why; planned again by the next run'
        : `to approve: event-sync plan ${integration}, then apply the plan that it prints`
    line('withheld', `${counted(withheld, 'removal')}; ${todo}`)
  }
  if (report.pinned !== null) lines.push(`  ${describePin(integration, report.pinned)}`)
  if (report.previewOf !== undefined) {
    const command = report.status === 'held' ? 'this command makes the plan and holds it' : 'to do it'
    if (report.error === undefined)
      lines.push(
        `  this is a preview: nothing was stored, and it cannot be applied; ${command}: ${report.previewOf}`,
      )
  } else if (report.status === 'held' || (report.status === 'planned' && countChanges(report.changes) > 0)) {
    const isHeld = report.status === 'held'
    const plan = waitingPlan(report)
    if (canApply)
      lines.push(
        ...(isHeld ? [`  look at it with: event-sync show ${report.run}`] : []),
        `  apply it with: ${approvalOf(plan)}`,
        ...(isHeld ? [`  if it is wrong: ${ifPlanIsWrong(plan)}`] : []),
      )
    else lines.push(`  this plan can no longer be applied; make a current one with: ${planAgain(plan)}`)
  }
  if (report.run !== null) line('run', report.run)
  if (report.output !== null) line('pack', report.output)
  if (report.page !== null) {
    line('page', report.page)
    line('to forward', join(dirname(report.page), MASKED_PAGE))
  }
  if (report.steps !== undefined && report.steps.length > 0) line('time', describeTimes(report.steps))
  return `${lines.join('\n')}\n`
}

function describeTimes(steps: readonly StepTime[]): string {
  const all = steps.reduce((sum, { ms }) => sum + ms, 0)
  return [...steps.map(({ step, ms }) => `${step} ${duration(ms)}`), `${duration(all)} in all`].join(', ')
}

/** Returns red for a failed run, yellow for a run that needs somebody, and green for any other run. */
function colourOf(report: RunReport): Parameters<Paint>[0] {
  const { status, error, certified, failed = 0, withheld = 0, pinned } = report
  if (status === 'locked' || status === 'stale') return 'yellow'
  if (error !== undefined || status === 'failed') return 'red'
  if (pinned !== null || (status !== 'finished' && status !== 'planned')) return 'yellow'
  return certified && failed === 0 && withheld === 0 ? 'green' : 'yellow'
}

/** Says how a run ended, in one line. An error may take several lines. */
function headline(report: RunReport): string {
  if (report.error !== undefined) return report.error
  return `${report.rollbackTo === undefined ? '' : `rollback to ${report.rollbackTo}: `}${describeEnd(report)}`
}

function describeEnd(report: RunReport): string {
  const { failed = 0, withheld = 0 } = report
  const changes = countChanges(report.changes)
  const isRollback = report.rollbackTo !== undefined
  const nothing = isRollback ? 'nothing differs from what the platform had then' : 'nothing to change'
  const planned = changes === 0 ? nothing : counted(changes, 'change')
  const missing = [
    ...(failed > 0 ? [`${failed} rejected`] : []),
    ...(withheld > 0 ? [`${withheld} withheld`] : []),
  ]
  const landed =
    missing.length === 0 ? planned : `${changes - failed - withheld} of ${planned}; ${missing.join(', ')}`
  if (isPinnedRun(report))
    return `pinned, ${planned}${report.status === 'held' ? ', held' : ''}; nothing was sent`
  const unproved = report.certified ? '' : '; a read was not proved complete'
  switch (report.status) {
    case 'finished':
      return `applied, ${landed}${unproved}`
    case 'held':
      return `held, ${planned}; nothing was sent${changes === 0 ? '' : `: ${changesInPlainWords(report.changes)}`}`
    case 'planned':
      return `planned, ${planned}; nothing was sent${unproved}`
    default:
      return `${report.status}, ${planned}`
  }
}

/** Returns the exit code, and its reason, for a command that made several runs. */
export function endOfReports(context: Context, reports: readonly RunReport[]): Ended {
  const code = codeOfReports(context, reports)
  return { code, why: whyOf(context, reports, code) }
}

/**
 * Returns what happened in the worst of several runs and what the user can do about it. Names the other
 * integrations that need somebody. Returns null if none of the integrations needs somebody.
 */
function whyOf({ config }: Context, reports: readonly RunReport[], code: number): Why | null {
  const ends = reports.flatMap((report) => {
    const integration = config.integrations.find(({ id }) => id === report.integration)
    return integration === undefined ? [] : [endOf(report, integration)]
  })
  const worst = ends.find(({ exitCode }) => exitCode === code)
  if (code === EXIT.ok || worst === undefined) return null
  const others = ends.filter((end) => end !== worst && end.exitCode !== EXIT.ok)
  const also = others.map(({ report, exitCode }) => `${report.integration} (exit code ${exitCode})`)
  const rest = also.length === 0 ? '' : `; also ${also.join(', ')}`
  const what = `${worst.report.integration}: ${headline(worst.report)}${rest}`
  return { what, meaning: worst.meaning, next: worst.todo }
}
