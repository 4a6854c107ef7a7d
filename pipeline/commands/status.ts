import { countChanges } from '../../sql/tables.ts'
import { exitCodeOfStatuses, findStatusesAndRefusals } from '../inspect/status.ts'
import type { IntegrationStatus } from '../schemas/runs.ts'
import { IDS, integrationsOf } from './arguments.ts'
import { type Paint, paintFor, stateCell } from './colours.ts'
import { defineCommand } from './define-command.ts'
import { toTable } from './io.ts'
import { READINGS_HEADINGS, rowsOfReadings } from './print-report.ts'
import type { Why } from './quiet.ts'

const EXAMPLES = `
Exit code 0 if nothing needs attention, otherwise that of the worst integration (1, 4 or 3). The same is in index.html of the output folder, which
is written at the end of each run, and at / of a worker with --port.

Examples:
  event-sync status            every integration, those first that need somebody: state, age of the last success, what to do
  event-sync status summit     this one
  event-sync status --json     for machines, with reasons, changes and reports`

export const addStatusCommand = defineCommand({
  name: 'status',
  summary: 'the state of each integration, and what to do',
  help: EXAMPLES,
  exits: ['failed', 'incomplete', 'held', 'usage'],
  args: [IDS],
  onMoved: 'noted',
  async run({ open, io, global }, ids: readonly string[]) {
    const integrations = await open((context) =>
      findStatusesAndRefusals(context, integrationsOf(context.config, ids)),
    )
    return {
      json: { integrations },
      text: describeStatuses(integrations, paintFor(io.stdout, global)),
      code: exitCodeOfStatuses(integrations),
      why: whyOf(integrations),
    }
  },
})

/**
 * Returns what happened to the first integration that needs somebody; null if no integration needs somebody.
 */
function whyOf(statuses: readonly IntegrationStatus[]): Why | null {
  const [first, ...others] = statuses.filter(({ next }) => next !== null)
  if (first === undefined || first.next === null) return null
  const { integration, state, reason, look, next } = first
  const also = others.length === 0 ? '' : `; also ${others.map((one) => one.integration).join(', ')}`
  return {
    what: `${integration}: ${state}${reason === null ? '' : `, ${reason}`}${also}`,
    next: look === null ? next : `${look}, then, if it is right, ${next}`,
  }
}

/**
 * Formats the states of integrations as a table. The reasons follow, and then the resources that are read by
 * changes.
 */
export function describeStatuses(statuses: readonly IntegrationStatus[], paint: Paint): string {
  const table = toTable(
    ['integration', 'state', 'since', 'last success', 'changes', 'next'],
    statuses.map((status) => [
      status.integration,
      stateCell(paint, status.state, status.running ? `${status.state}, a run is under way` : status.state),
      shortTime(status.since),
      ageOf(status.secondsSinceSuccess),
      countChanges(status.changes),
      status.look === null ? status.next : `${status.look}, then ${status.next}`,
    ]),
  )
  const reasons = statuses.flatMap((status) => {
    const { integration, reason, state, run, look } = status
    if (reason === null) return []
    const alone = state === 'held' && look === null && run !== null
    return [
      `${integration}: ${reason}${alone ? `; look at it first: event-sync show ${run}` : ''}\n`,
      ...linesOfDecision(status),
    ]
  })
  const parts = [table, reasons.join(''), describeReadings(statuses)]
  return parts.filter((part) => part !== '').join('\n')
}

/**
 * Returns the lines about a plan that waits for a decision: how to look at it, whom to ask, and how to
 * approve or replace it.
 */
function linesOfDecision({
  integration,
  look,
  next,
  report,
  toForward,
}: IntegrationStatus): readonly string[] {
  if (look === null) return []
  return [
    `  look first: ${look}\n`,
    ...(report === null ? [] : [`  page:       ${report}\n`]),
    ...(toForward === null ? [] : [`  to forward: ${toForward}\n`]),
    `  if right:   ${next}\n`,
    `  if wrong:   correct the source, then event-sync run ${integration}\n`,
  ]
}

/**
 * Formats a table of the resources that are read by changes. A sentence below says how deleted records are
 * found. Returns an empty text if no resource is read by changes.
 */
function describeReadings(statuses: readonly IntegrationStatus[]): string {
  const rows = statuses.flatMap(({ integration, readings = {} }) =>
    rowsOfReadings(readings).map((row) => [integration, ...row]),
  )
  if (rows.length === 0) return ''
  const table = toTable(['integration', ...READINGS_HEADINGS], rows)
  return `${table}Where only changes are read, a record deleted at the source stays, with its item, until the next full reading.\n`
}

/** Returns a point in time without seconds, for example `2031-05-01 06:00Z`. */
export function shortTime(instant: string | null): string | null {
  return instant === null ? null : `${instant.slice(0, 10)} ${instant.slice(11, 16)}Z`
}

/** Returns an age in the largest unit that fits, for example `3 min ago`. */
export function ageOf(seconds: number | null): string {
  if (seconds === null) return 'never'
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ] as const
  const unit = units.find(([size]) => seconds >= size)
  return unit === undefined ? `${seconds} s ago` : `${Math.floor(seconds / unit[0])} ${unit[1]} ago`
}
