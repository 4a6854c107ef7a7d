import { countChanges } from '../runtime/report.ts'
import { exitCodeOfStatuses, findStatusesAndRefusals, type IntegrationStatus } from '../status/status.ts'
import { defineCommand } from './define-command.ts'
import { toTable } from './io.ts'

const EXAMPLES = `
Exit code 0 if nothing needs attention, otherwise that of the worst integration (1, 4 or 3). The same is in index.html of the output folder, which
is written at the end of each run, and at / of a worker with --port.

Examples:
  event-sync status            every integration: its state, the age of its last success, and what to do
  event-sync status --json     for machines, with reasons, changes and reports`

export const addStatusCommand = defineCommand({
  name: 'status',
  summary: 'the state of each integration, and what to do',
  help: EXAMPLES,
  async run({ open }) {
    const integrations = await open(findStatusesAndRefusals)
    return { json: { integrations }, text: describe(integrations), code: exitCodeOfStatuses(integrations) }
  },
})

function describe(statuses: readonly IntegrationStatus[]): string {
  const table = toTable(
    ['integration', 'state', 'since', 'last success', 'changes', 'next'],
    statuses.map((status) => [
      status.integration,
      status.running ? `${status.state}, a run is under way` : status.state,
      shortTime(status.since),
      ageOf(status.secondsSinceSuccess),
      countChanges(status),
      status.next,
    ]),
  )
  const reasons = statuses.flatMap(({ integration, reason }) =>
    reason === null ? [] : [`${integration}: ${reason}\n`],
  )
  return reasons.length === 0 ? table : `${table}\n${reasons.join('')}`
}

function shortTime(instant: string | null): string | null {
  return instant === null ? null : `${instant.slice(0, 10)} ${instant.slice(11, 16)}Z`
}

/** `3 min ago`, in the largest unit that fits. */
function ageOf(seconds: number | null): string {
  if (seconds === null) return 'never'
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ] as const
  const unit = units.find(([size]) => seconds >= size)
  return unit === undefined ? `${seconds} s ago` : `${Math.floor(seconds / unit[0])} ${unit[1]} ago`
}
