import {
  type ChangeCounts,
  type Content,
  countChanges,
  type Hold,
  type Missed,
  type ReadingFacts,
  type RunKey,
  type RunStatus,
} from '../../sql/tables.ts'
import type { StepTime } from './step.ts'

/**
 * How a run ended, or how far it came. Three values mean that there was no run:
 *
 * - `locked`: another process works for the integration.
 * - `refused`: the configuration or the usage of the command is wrong.
 * - `stale`: the plan to apply is no longer current.
 */
export type ReportStatus = RunStatus | 'locked' | 'refused' | 'stale'

/** The report of a run, in the format of `run --json` and `plan --json`. Users rely on this format. */
export interface RunReport {
  readonly integration: string
  readonly run: string | null
  readonly status: ReportStatus
  readonly planHash: string | null
  /** Counts of every content; zeros for a content that the integration does not sync. */
  readonly changes: Readonly<Record<Content, ChangeCounts>>
  readonly excluded: Readonly<Record<string, number>>
  readonly quarantined: number
  /** Number of items that stay on the platform although they are no longer synced; not in JSON. */
  readonly kept?: number
  /** Number of changes that the platform rejected; not in JSON. */
  readonly failed?: number
  /** Number of removals that were withheld from the run; not in JSON. */
  readonly withheld?: number
  /**
   * Sentences about items that are kept although they seem to be gone, and about findings that a guard lets
   * pass.
   */
  readonly notes?: readonly string[]
  /** `changes` if at least one resource was read by changes. */
  readonly reading?: 'full' | 'changes'
  /** Records that readings by changes would have missed, by resource. */
  readonly missed?: Readonly<Record<string, Missed>>
  /** How each resource was read, if the integration is read by changes. */
  readonly readings?: Readonly<Record<string, ReadingFacts>>
  readonly certified: boolean
  readonly held: Hold | null
  /** True if someone approved the plan although it was held; for the exit code. */
  readonly approved?: boolean
  /** Folder of the run's pack; null if the pack does not exist yet. */
  readonly output: string | null
  /** File of the page of its plan, while that waits for a decision; null if there is none. */
  readonly page: string | null
  /** The command that does what this shows; only of a preview, which is not stored. */
  readonly previewOf?: string
  /** Says what went wrong and what to do; only after a failure. */
  readonly error?: string
  /** Times of the steps that this process did, in their order; only of a run that this process worked on. */
  readonly steps?: readonly StepTime[]
}

const NONE: ChangeCounts = { create: 0, update: 0, remove: 0, unchanged: 0 }

export const NO_CHANGES: RunReport['changes'] = { agenda: NONE, speakers: NONE, attendees: NONE }

export function notRun(
  integration: string,
  status: 'failed' | 'locked' | 'refused' | 'stale',
  error: string,
): RunReport {
  const nothing = { excluded: {}, quarantined: 0, certified: false, held: null, output: null, page: null }
  return { integration, run: null, status, planHash: null, changes: NO_CHANGES, ...nothing, error }
}

/** Exit codes of the commands. Users rely on these codes. */
export const EXIT = {
  ok: 0,
  failed: 1,
  changes: 2,
  incomplete: 3,
  held: 4,
  locked: 5,
  usage: 64,
} as const

/** Order of exit codes: of several codes, the first in this list is used. */
const PRECEDENCE = [EXIT.failed, EXIT.usage, EXIT.held, EXIT.incomplete, EXIT.locked, EXIT.changes, EXIT.ok]

export function worst(codes: readonly number[]): number {
  return PRECEDENCE.find((code) => codes.includes(code)) ?? EXIT.ok
}

/**
 * Returns the exit code of a report.
 *
 * @param maxQuarantined number of records that may be quarantined without effect on it
 */
export function exitCodeOf(report: RunReport, maxQuarantined: number): number {
  if (report.status === 'failed') return EXIT.failed
  if (report.status === 'locked') return EXIT.locked
  if (report.status === 'refused') return EXIT.usage
  if (report.status === 'stale') return EXIT.held
  const codes: number[] = [EXIT.ok]
  // A run may have applied everything except removals that nobody has approved yet.
  if (report.status === 'held' || (report.held !== null && report.approved !== true)) codes.push(EXIT.held)
  if (missingOf(report, maxQuarantined).length > 0) codes.push(EXIT.incomplete)
  if (report.status === 'planned' && countChanges(report.changes) > 0) codes.push(EXIT.changes)
  return worst(codes)
}

/**
 * Returns a sentence with the next step for each reason that makes a run incomplete (exit code 3); empty if
 * it is complete.
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

/** Returns the run of a report, if it made a plan. */
export function plannedRun({ integration, run, planHash }: RunReport): RunKey | null {
  return run === null || planHash === null ? null : { integrationId: integration, runId: run }
}
