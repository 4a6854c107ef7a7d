import { approvalOf, decisionOn, type WaitingPlan } from '../../transforms/texts/waiting-plan.ts'
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
      what: 'refused: wrong usage or configuration, or a database that is older than its packs',
      todo: 'the message says what to do; nothing was sent',
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
  [EXIT.held]: 'held',
  [EXIT.locked]: 'locked by another run',
  [EXIT.usage]: 'refused: wrong usage, configuration or state',
}

/** Results by which runs are counted. */
export const RUN_RESULTS = [
  'finished',
  'incomplete',
  'held',
  'failed',
  'pinned',
  'planned',
  'locked',
] as const
type RunResult = (typeof RUN_RESULTS)[number]

const RESULTS: ReadonlyMap<number, RunResult> = new Map([
  [EXIT.incomplete, 'incomplete'],
  [EXIT.held, 'held'],
  [EXIT.changes, 'planned'],
  [EXIT.locked, 'locked'],
])

/** Returns the result by which a run is counted. A run that was only planned sent nothing. */
export function resultOf({ report, exitCode }: Pick<EndedRun, 'report' | 'exitCode'>): RunResult {
  if (exitCode !== EXIT.ok) return RESULTS.get(exitCode) ?? 'failed'
  if (isPinnedRun(report)) return 'pinned'
  return report.status === 'planned' ? 'planned' : 'finished'
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
  const meaning = report.status === 'stale' ? 'no longer current' : (MEANINGS[exitCode] ?? '')
  return { report, exitCode, meaning, todo }
}

/** Returns the facts about a plan from which the commands for the plan are made. */
export function waitingPlan({ integration, run, planHash, rollbackTo, pinned }: RunReport): WaitingPlan {
  return { integration, run: run ?? '', planHash: planHash ?? '', rollbackTo: rollbackTo ?? null, pinned }
}

function todoOf(report: RunReport, exitCode: number, maxQuarantined: number): string {
  const { integration, run, previewOf } = report
  switch (exitCode) {
    case EXIT.failed:
      return run === null ? 'see the error' : `see the error; \`event-sync show ${run}\` shows how far it got`
    case EXIT.held:
      if (report.status === 'stale') return 'see the error'
      if (previewOf !== undefined) return `\`${previewOf}\` makes the plan and holds it`
      return report.status === 'held'
        ? decisionOn(waitingPlan(report))
        : `the removals were left out; to approve them, \`event-sync plan ${integration}\`, then apply the plan that it prints`
    case EXIT.incomplete:
      return missingOf(report, maxQuarantined).join('; ')
    case EXIT.changes:
      if (previewOf !== undefined) return `\`${previewOf}\` sends them`
      return `apply them with \`${approvalOf(waitingPlan(report))}\``
    case EXIT.locked:
      return 'wait until the other run ends'
    case EXIT.usage:
      return 'correct what the error names, and run again'
    default:
      return ''
  }
}
