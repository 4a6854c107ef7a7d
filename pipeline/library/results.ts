import type { Content } from '../../sql/tables.ts'
import type { ReportJson } from '../runtime/report.ts'
import type { VerifiedJson } from '../schemas/packs.ts'
import type { RunRow, ShownChange } from '../schemas/runs.ts'
import type { ChecksJson } from '../schemas/setup.ts'

/**
 * Exit code of the command: 0 (success), 1 (failed), 2 (the plan has changes), 3 (incomplete), 4 (held), 5
 * (locked) or 64 (refused: usage, configuration or state).
 */
interface Ended {
  readonly exitCode: number
}

/** The output of `event-sync check --json`. */
export type CheckResult = Ended & ChecksJson

/** The output of `event-sync run --json` and `event-sync apply --json`, which has a report for each run. */
export interface RunResult extends Ended {
  readonly runs: readonly ReportJson[]
}

/** The output of `event-sync plan --json`, which has a report with changes for each run. */
export interface PlanResult extends Ended {
  readonly runs: readonly (ReportJson & {
    readonly plan: {
      readonly changes: readonly ShownChange[]
      readonly shown: number
      readonly total: number
    } | null
  })[]
}

/**
 * The output of `event-sync runs --json`. The output has the last state of each integration, or the last runs
 * of one integration.
 */
export interface RunsResult extends Ended {
  readonly runs: readonly RunRow[]
}

/** The output of `event-sync verify --json`. */
export type VerifyResult = Ended & VerifiedJson

/**
 * A signal that cancels the call. Reads and waits end, and the promise is rejected with the reason of the
 * signal. The next run continues the cancelled work.
 */
interface Cancellable {
  readonly signal?: AbortSignal
}

/** The options of everything that reads the source. */
export interface ReadOptions extends Cancellable {
  readonly runId?: string
  readonly fresh?: boolean
  readonly freshRead?: boolean
  readonly full?: boolean
  readonly refresh?: boolean
  readonly rebind?: boolean
}

/** The options of `event-sync run`. */
export interface RunOptions extends ReadOptions {
  readonly unsigned?: boolean
  readonly changes?: boolean
  /**
   * Number of integrations that run at the same time; default: 1. More than one run at the same time needs
   * PostgreSQL.
   */
  readonly parallel?: number
}

/** The options of `event-sync plan`. */
export interface PlanOptions extends ReadOptions {
  /** Contents whose changes the plan lists; default: all contents. */
  readonly content?: readonly Content[]
  /** Number of changes that the plan lists for each content; default: 10. */
  readonly sample?: number
  /** True if personal data is shown instead of being hidden. */
  readonly showPersonal?: boolean
}

/** The options of `event-sync apply`. */
export interface ApplyOptions extends Cancellable {
  readonly approver?: string
  /** Reason that is stored in the log of the integration. */
  readonly reason?: string
}
