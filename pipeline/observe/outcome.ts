import type { IntegrationConfig } from '../config/config.ts'
import type { EndedRun } from '../runtime/events.ts'
import { EXIT, exitCodeOf, missingOf, type RunReport } from '../runtime/report.ts'

const MEANINGS: Readonly<Record<number, string>> = {
  [EXIT.ok]: 'everything landed',
  [EXIT.failed]: 'failed',
  [EXIT.changes]: 'there are changes',
  [EXIT.incomplete]: 'finished, but incomplete',
  [EXIT.held]: 'held, or no longer current',
  [EXIT.locked]: 'locked by another run',
  [EXIT.usage]: 'wrong usage or configuration',
}

/** How a run ended, with its exit code in words and what to do. */
export function endOf(report: RunReport, { guards }: IntegrationConfig): EndedRun {
  const exitCode = exitCodeOf(report, guards.maxQuarantined)
  const todo = todoOf(report, exitCode, guards.maxQuarantined)
  return { report, exitCode, meaning: MEANINGS[exitCode] ?? '', todo }
}

function todoOf(report: RunReport, exitCode: number, maxQuarantined: number): string {
  const { integration, run, planHash } = report
  switch (exitCode) {
    case EXIT.failed:
      return run === null ? 'see the error' : `see the error; \`event-sync show ${run}\` shows how far it got`
    case EXIT.held:
      if (report.status === 'stale') return 'see the error'
      return report.status === 'held'
        ? `look at the plan with \`event-sync show ${run}\`; approve it with \`event-sync apply ${integration} ${planHash}\`, or correct the source and run again`
        : `the removals were left out; to approve them, \`event-sync plan ${integration}\`, then apply the plan that it prints`
    case EXIT.incomplete:
      return missingOf(report, maxQuarantined).join('; ')
    case EXIT.changes:
      return `apply them with \`event-sync apply ${integration} ${planHash}\``
    case EXIT.locked:
      return 'wait until the other run ends'
    case EXIT.usage:
      return 'correct what the error names, and run again'
    default:
      return ''
  }
}
