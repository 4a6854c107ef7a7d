import { type ChangeCounts, countChanges, type RunKey, type StoredCommand } from '../../sql/tables.ts'
import type { report } from '../schemas/runs.ts'
import type { Described } from '../schemas/values.ts'

/** The report of a run, as commands print it with `--json`. */
export type ReportJson = Described<typeof report>

/**
 * How a run ended, or how far it has come. Three values mean that no run took place:
 *
 * - `locked`: another process works on the integration.
 * - `refused`: the usage, the configuration or the state that earlier runs have left must be corrected first.
 * - `stale`: the plan that should be applied is outdated.
 */
export type ReportStatus = ReportJson['status']

/** The report of a run. The keys that are declared here are not in the JSON of `run`, `plan` and `apply`. */
export interface RunReport extends Omit<ReportJson, 'steps'> {
  /** Number of items that stay on the platform although they are no longer synced. */
  readonly kept?: number
  /** Number of changes that the platform rejected. */
  readonly failed?: number
  /** Number of removals that were withheld from the run. */
  readonly withheld?: number
  /** Command that started the run. */
  readonly command?: StoredCommand
  /** True if someone approved the plan although it was held; for the exit code. */
  readonly approved?: boolean
  /** The steps, which are in the JSON. The key is set only for a run on which this process has worked. */
  readonly steps?: ReportJson['steps']
}

const NONE: ChangeCounts = { create: 0, update: 0, remove: 0, unchanged: 0 }

export const NO_CHANGES: RunReport['changes'] = { agenda: NONE, speakers: NONE, attendees: NONE }

export function notRun(
  integration: string,
  status: 'failed' | 'locked' | 'refused' | 'stale',
  error: string,
): RunReport {
  const nothing = {
    excluded: {},
    quarantined: 0,
    certified: false,
    held: null,
    pinned: null,
    output: null,
    page: null,
  }
  return { integration, run: null, status, planHash: null, changes: NO_CHANGES, ...nothing, error }
}

/** Exit codes of the commands. The exit codes must not change, because users rely on them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  changes: 2,
  incomplete: 3,
  held: 4,
  locked: 5,
  usage: 64,
} as const

/** Order of exit codes. If several codes apply, the first in this list is used. */
const PRECEDENCE = [EXIT.failed, EXIT.usage, EXIT.held, EXIT.incomplete, EXIT.locked, EXIT.changes, EXIT.ok]

export function worst(codes: readonly number[]): number {
  return PRECEDENCE.find((code) => codes.includes(code)) ?? EXIT.ok
}

/**
 * Returns the exit code for a report.
 *
 * @param maxQuarantined number of quarantined records up to which the exit code is not affected
 */
export function exitCodeOf(report: RunReport, maxQuarantined: number): number {
  if (report.status === 'failed') return EXIT.failed
  if (report.status === 'locked') return EXIT.locked
  if (report.status === 'refused') return EXIT.usage
  if (report.status === 'stale') return EXIT.held
  if (isPinnedRun(report)) return EXIT.ok
  const codes: number[] = [EXIT.ok]
  // A run may have applied all changes except removals that nobody has approved yet.
  if (report.status === 'held' || (report.held !== null && report.approved !== true)) codes.push(EXIT.held)
  if (missingOf(report, maxQuarantined).length > 0) codes.push(EXIT.incomplete)
  if (report.status === 'planned' && countChanges(report.changes) > 0) codes.push(EXIT.changes)
  return worst(codes)
}

/** Returns true if a run stored its plan but sent nothing, because the integration was pinned. */
export function isPinnedRun({ pinned, command }: Pick<RunReport, 'pinned' | 'command'>): boolean {
  return pinned !== null && command === 'run'
}

/**
 * Returns the reasons that make a run incomplete (exit code 3), each as a sentence with the next step.
 * Returns an empty list if the run is complete.
 */
export function missingOf(
  { certified, failed = 0, integration, missed = {}, quarantined, run }: RunReport,
  maxQuarantined: number,
): readonly string[] {
  const isSo: readonly (readonly [boolean, string])[] = [
    [
      !certified,
      `a read was not proved complete: \`event-sync show ${run}\` says why; the next run reads again`,
    ],
    [
      quarantined > maxQuarantined,
      `records could not be read: \`event-sync quarantine ${integration}\` lists them`,
    ],
    [failed > 0, 'the platform rejected changes: see load_results.csv; the next run tries them again'],
    [
      Object.keys(missed).length > 0,
      `reading by changes missed records of ${Object.keys(missed).join(', ')}: every run now reads in full; when the source is repaired, \`event-sync run ${integration} --changes\``,
    ],
  ]
  return isSo.flatMap(([applies, todo]) => (applies ? [todo] : []))
}

/** Returns the key of the run to which a report belongs, if the run made a plan. */
export function plannedRun({ integration, run, planHash }: RunReport): RunKey | null {
  return run === null || planHash === null ? null : { integrationId: integration, runId: run }
}
