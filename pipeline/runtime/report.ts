import {
  type ChangeCounts,
  type Content,
  changesIn,
  type Hold,
  type Missed,
  type ReadingFacts,
  type RunStatus,
} from '../../sql/tables.ts'

/**
 * How a run ended, or how far it came. Of those that are not a run: `locked`: another process works for the
 * integration; `refused`: its configuration or the command's usage is wrong; `stale`: the plan that was to be
 * applied is not current.
 */
export type ReportStatus = RunStatus | 'locked' | 'refused' | 'stale'

/** Describes what a run did, in the shape that `run --json` and `plan --json` print, on which users rely. */
export interface RunReport {
  readonly integration: string
  readonly run: string | null
  readonly status: ReportStatus
  readonly planHash: string | null
  /** Counts of every content; zeros for one that the integration does not sync. */
  readonly changes: Readonly<Record<Content, ChangeCounts>>
  readonly excluded: Readonly<Record<string, number>>
  readonly quarantined: number
  /** Items left on the platform though they are not synced any more; not in JSON. */
  readonly kept?: number
  /** Changes that the platform rejected, and removals that were left out of the run; not in JSON. */
  readonly failed?: number
  readonly withheld?: number
  /** Sentences: what is kept though it seems to be gone, and what a guard has seen and lets pass. */
  readonly notes?: readonly string[]
  /** True if only changes were read of any resource. */
  readonly reading?: 'full' | 'changes'
  /** Records that readings of changes would not have brought, by resource. */
  readonly missed?: Readonly<Record<string, Missed>>
  /** How each resource was read, of an integration that is read by changes. */
  readonly readings?: Readonly<Record<string, ReadingFacts>>
  readonly certified: boolean
  readonly held: Hold | null
  /** True if someone approved the plan, and with it what held it; for the exit code. */
  readonly approved?: boolean
  /** Folder of the run's pack; null where there is none yet. */
  readonly output: string | null
  /** File of the page of its plan, while that waits for a decision; null if there is none. */
  readonly page: string | null
  /** Says what went wrong and what to do; only after a failure. */
  readonly error?: string
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

/** Exit codes of the commands, on which users rely. */
export const EXIT = {
  ok: 0,
  failed: 1,
  changes: 2,
  incomplete: 3,
  held: 4,
  locked: 5,
  usage: 64,
} as const

/** The first of these that occurs counts. */
const PRECEDENCE = [EXIT.failed, EXIT.usage, EXIT.held, EXIT.incomplete, EXIT.locked, EXIT.changes, EXIT.ok]

export function worst(codes: readonly number[]): number {
  return PRECEDENCE.find((code) => codes.includes(code)) ?? EXIT.ok
}

/** @param maxQuarantined records that may be quarantined without notice */
export function exitCodeOf(report: RunReport, maxQuarantined: number): number {
  if (report.status === 'failed') return EXIT.failed
  if (report.status === 'locked') return EXIT.locked
  if (report.status === 'refused') return EXIT.usage
  if (report.status === 'stale') return EXIT.held
  const codes: number[] = [EXIT.ok]
  // A run may have applied all but the removals: nobody has approved these yet.
  if (report.status === 'held' || (report.held !== null && report.approved !== true)) codes.push(EXIT.held)
  if (missingOf(report, maxQuarantined).length > 0) codes.push(EXIT.incomplete)
  if (report.status === 'planned' && countChanges(report) > 0) codes.push(EXIT.changes)
  return worst(codes)
}

/** Returns a sentence with the next step for each thing that makes a run incomplete (exit code 3); none where it is complete. */
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

export function countChanges(report: Pick<RunReport, 'changes'>): number {
  return Object.values(report.changes).reduce((sum, counts) => sum + changesIn(counts), 0)
}
