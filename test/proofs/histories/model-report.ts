import type { Fields } from '../model/model-items.ts'
import type { PlannedItem } from '../model/model-plan.ts'
import { countChanges, type Seen, type State } from '../model/model-run.ts'
import type { Content } from '../model/options.ts'
import type { ModelFigure } from './model-reconciliation.ts'
import type { Change, Outbox } from './model-sending.ts'

/** A pause, or what follows a rollback: runs plan and send nothing. */
export interface Pin {
  /** When it ends; null until `resume`. */
  readonly untilMs: number | null
}

/** A run that made a plan. */
export interface Run {
  readonly contents: readonly Content[]
  readonly guards: readonly string[]
  readonly seen: Seen
  readonly planned: readonly PlannedItem[]
  readonly outbox: Outbox
  /**
   * Number of the state on which the plan is based. The number increases with each change of the platform
   * that the integration knows.
   */
  readonly base: number
  /** The fields that have a value in the staged records after this run. */
  readonly filled: State['filled']
  /**
   * `applied`: the run has sent all changes, but has not written its pack. `failed`: a sum in the pack does
   * not equal its expected value.
   */
  status: 'planned' | 'held' | 'applying' | 'applied' | 'finished' | 'failed'
  /** Figures of the run's pack; empty before the pack is written. */
  figures: readonly ModelFigure[]
  approvedAtMs: number | null
  appliedAtMs: number | null
  /** Run id and plan hash of the product; null until a comparison has read these values. */
  id: string | null
  hash: string | null
  /** Id of the integration when the plan was made; it is in the hash. */
  readonly under: string
  /** The run to which a rollback goes back; null for other runs. */
  rollbackTo: Run | null
  /** The pin of the integration when the plan was stored. */
  pin: Pin | null
  /** True if the run would have sent its plan without the pin. */
  isPinnedRun?: boolean
  /** True if the plan can no longer be applied, whatever the platform has. */
  isStale: boolean
  isPurged: boolean
  /** True if packs were found that the database did not know when the run was planned. */
  readonly hasGap: boolean
  /** The items of the platform after the run was applied. */
  readonly after: Map<Content, ReadonlyMap<string, Fields>>
}

export interface ExpectedReport {
  readonly status: string
  /** The run; null if the command made no plan. */
  readonly run: Run | null
  readonly guards: readonly string[]
  readonly changes: ReturnType<typeof countChanges>
  readonly excluded: Readonly<Record<string, number>>
  readonly quarantined: number
  readonly kept: number
  readonly failed: number
  readonly withheld: number
  readonly certified: boolean
  readonly approved: boolean
  /** The pin because of which the plan was not sent; null if there was none. */
  readonly pinned: Pin | null
  /** A part of the expected error message; null if no error is expected. */
  readonly error: string | null
}

const NOTHING = countChanges([])

export function reportOf(run: Run, error: string | null = null): ExpectedReport {
  const { seen, planned, outbox, guards } = run
  const count = (state: Change['state']) => outbox.changes.filter((change) => change.state === state).length
  const isOver = ['applied', 'finished', 'failed'].includes(run.status)
  const isWithheldFromTheStart = run.status !== 'held' && guards.length > 0 && run.approvedAtMs === null
  return {
    status: error === null ? run.status : 'failed',
    run,
    guards,
    changes: countChanges(planned),
    excluded: seen.excluded,
    quarantined: seen.quarantined,
    kept: planned.filter(({ action }) => action === 'kept').length,
    failed: isOver ? count('failed') : 0,
    withheld: isOver || isWithheldFromTheStart ? count('withheld') : 0,
    certified: seen.certified,
    approved: run.approvedAtMs !== null,
    pinned: run.status === 'planned' || run.status === 'held' ? run.pin : null,
    error,
  }
}

/** Returns the report of a command that made no run. */
export function refusal(status: string, error: string): ExpectedReport {
  const none = { guards: [], excluded: {}, quarantined: 0, kept: 0, failed: 0, withheld: 0, pinned: null }
  return { status, run: null, changes: NOTHING, ...none, certified: false, approved: false, error }
}

const PRECEDENCE = [1, 64, 4, 3, 5, 2, 0]

/** Returns the exit code of a command with several reports: the code that comes first in `PRECEDENCE`. */
export function exitCodeOf(reports: readonly ExpectedReport[]): number {
  const codes = reports.flatMap((report) => {
    const { status, run, guards, approved, certified, quarantined, failed, changes, pinned } = report
    if (status === 'failed') return [1]
    if (status === 'refused') return [64]
    if (status === 'stale') return [4]
    if (pinned !== null && run?.isPinnedRun === true) return [0]
    const isHeld = guards.length > 0 && !approved
    const isIncomplete = !certified || quarantined > 0 || failed > 0
    const isDue =
      status === 'planned' &&
      Object.values(changes).some(
        ({ create = 0, update = 0, handover = 0, remove = 0 }) => create + update + handover + remove > 0,
      )
    return [...(isHeld ? [4] : []), ...(isIncomplete ? [3] : []), ...(isDue ? [2] : []), 0]
  })
  return PRECEDENCE.find((code) => codes.includes(code)) ?? 0
}
