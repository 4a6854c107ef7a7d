import type { IntegrationConfig } from '../config/config.ts'
import type { EndedRun } from '../runtime/events.ts'
import { EXIT, exitCodeOf, isPinnedRun, missingOf, type RunReport } from '../runtime/report.ts'

/** Exit codes, as texts for users. The table in the README has the same rows. */
export const EXIT_CODES: readonly { readonly code: string; readonly what: string; readonly todo: string }[] =
  [
    { code: '0', what: 'every planned change landed', todo: 'nothing' },
    {
      code: '0',
      what: 'the integration is pinned: its plan was stored, and nothing was sent',
      todo: '`resume ID` when it may send again',
    },
    {
      code: '1',
      what: 'failed; `check`: a rule failed',
      todo: 'read the message: that of a run says whether the platform was touched; it is safe to run again',
    },
    { code: '2', what: '`plan`: there are changes', todo: '`apply`, or `run`' },
    {
      code: '3',
      what: 'a read was not proved complete, so nothing was removed for it',
      todo: 'run again; if it stays, `show RUN` says what is wrong with the source',
    },
    {
      code: '3',
      what: 'more records than `guards.maxQuarantined` could not be read',
      todo: '`quarantine ID` lists them: correct them at the source',
    },
    {
      code: '3',
      what: 'the platform rejected changes',
      todo: '`show RUN` and `load_results.csv` say which and why; the next run tries them again',
    },
    {
      code: '3',
      what: 'a full reading found records that reading by changes had missed',
      todo: '`show RUN`; all is read in full until you run with `--changes`',
    },
    {
      code: '4',
      what: 'held by a guard, or `apply` of a plan that is no longer current',
      todo: '`show RUN` shows the plan; `apply ID HASH` approves it',
    },
    { code: '5', what: 'another run holds the integration or the embedded database', todo: 'wait' },
    {
      code: '64',
      what: 'wrong usage or configuration',
      todo: 'correct it; nothing was read or written',
    },
    {
      code: '130, 143',
      what: 'interrupted; a worker that was stopped',
      todo: 'run again: unfinished work is completed first',
    },
  ]

/** Meaning of each exit code in a few words. */
export const MEANINGS: Readonly<Record<number, string>> = {
  [EXIT.ok]: 'everything landed',
  [EXIT.failed]: 'failed',
  [EXIT.changes]: 'there are changes',
  [EXIT.incomplete]: 'finished, but incomplete',
  [EXIT.held]: 'held, or no longer current',
  [EXIT.locked]: 'locked by another run',
  [EXIT.usage]: 'wrong usage or configuration',
}

/** Returns how a run ended: its exit code, what the code means, and what the user can do. */
export function endOf(report: RunReport, { guards }: IntegrationConfig): EndedRun {
  const exitCode = exitCodeOf(report, guards.maxQuarantined)
  if (isPinnedRun(report) && exitCode === EXIT.ok)
    return {
      report,
      exitCode,
      meaning: 'pinned: nothing was sent',
      todo: `\`event-sync resume ${report.integration}\` when it may send again`,
    }
  const todo = todoOf(report, exitCode, guards.maxQuarantined)
  return { report, exitCode, meaning: MEANINGS[exitCode] ?? '', todo }
}

function todoOf(report: RunReport, exitCode: number, maxQuarantined: number): string {
  const { integration, run, rollbackTo, planHash, pinned, previewOf } = report
  const isPaused = pinned !== null && rollbackTo === undefined
  const first = isPaused ? `\`event-sync resume ${integration}\` first, then ` : ''
  switch (exitCode) {
    case EXIT.failed:
      return run === null ? 'see the error' : `see the error; \`event-sync show ${run}\` shows how far it got`
    case EXIT.held:
      if (report.status === 'stale') return 'see the error'
      if (previewOf !== undefined) return `\`${previewOf}\` makes the plan and holds it`
      return report.status === 'held'
        ? `look at the plan with \`event-sync show ${run}\`; ${first}approve it with \`event-sync apply ${integration} ${planHash}\`, or ${rollbackTo === undefined ? 'correct the source and run again' : 'leave it, and nothing is sent'}`
        : `the removals were left out; to approve them, \`event-sync plan ${integration}\`, then apply the plan that it prints`
    case EXIT.incomplete:
      return missingOf(report, maxQuarantined).join('; ')
    case EXIT.changes:
      if (previewOf !== undefined) return `\`${previewOf}\` sends them`
      return `${first}apply them with \`event-sync apply ${integration} ${planHash}\``
    case EXIT.locked:
      return 'wait until the other run ends'
    case EXIT.usage:
      return 'correct what the error names, and run again'
    default:
      return ''
  }
}
