import type { Content } from '../../sql/tables.ts'
import type { checksJson } from '../commands/check.ts'
import type { ShownChange } from '../commands/plan-output.ts'
import type { ReportJson } from '../commands/print-report.ts'
import type { RunRow } from '../commands/runs.ts'
import type { VerifiedJson } from '../commands/verify.ts'

/**
 * The exit code of the command: 0, 1 (failed), 2 (a plan has changes), 3 (incomplete), 4 (held), 5 (locked)
 * or 64 (usage).
 */
interface Ended {
  readonly exitCode: number
}

/** The output of `event-sync check --json`. */
export type CheckResult = Ended & ReturnType<typeof checksJson>

/** The output of `event-sync run --json` and `event-sync apply --json`: a report for each run. */
export interface RunResult extends Ended {
  readonly runs: readonly ReportJson[]
}

/** The output of `event-sync plan --json`: a report for each run, with its changes. */
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
 * The output of `event-sync runs --json`: the last state of each integration, or the last runs of one
 * integration.
 */
export interface RunsResult extends Ended {
  readonly runs: readonly RunRow[]
}

/** The output of `event-sync verify --json`. */
export type VerifyResult = Ended & VerifiedJson

/**
 * A signal that ends work in progress: reads and waits are given up, and the promise is rejected with the
 * reason of the signal. The next run continues.
 */
interface Cancellable {
  readonly signal?: AbortSignal
}

/** The options of `event-sync run`. */
export interface RunOptions extends Cancellable {
  readonly runId?: string
  readonly fresh?: boolean
  readonly freshRead?: boolean
  readonly full?: boolean
  readonly refresh?: boolean
  readonly unsigned?: boolean
  readonly rebind?: boolean
  readonly changes?: boolean
  /** Number of integrations to run at the same time; by default 1. More than 1 needs PostgreSQL. */
  readonly parallel?: number
}

/** The options of `event-sync plan`. */
export interface PlanOptions
  extends Pick<RunOptions, 'signal' | 'runId' | 'fresh' | 'freshRead' | 'full' | 'refresh' | 'rebind'> {
  /** Contents for which the plan lists changes; by default all. */
  readonly content?: readonly Content[]
  /** Number of changes that the plan lists for each content; by default 10. */
  readonly sample?: number
  /** True to show values of people instead of masking them. */
  readonly showPersonal?: boolean
}

/** The options of `event-sync apply`. */
export interface ApplyOptions extends Cancellable {
  readonly approver?: string
}
