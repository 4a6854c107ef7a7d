import type { Content } from '../../sql/tables.ts'
import type { checksJson } from '../commands/check.ts'
import type { ShownChange } from '../commands/plan-output.ts'
import type { ReportJson } from '../commands/print-report.ts'
import type { RunRow } from '../commands/runs.ts'
import type { VerifiedJson } from '../commands/verify.ts'

/** The exit code that the command would have ended with: 0, 2 (a plan has changes), 3 (incomplete), 4 (held), 5 (locked), 1 or 64. */
interface Ended {
  readonly exitCode: number
}

/** Describes what `event-sync check --json` prints. */
export type CheckResult = Ended & ReturnType<typeof checksJson>

/** Describes what `event-sync run --json` and `event-sync apply --json` print: a report for each run. */
export interface RunResult extends Ended {
  readonly runs: readonly ReportJson[]
}

/** Describes what `event-sync plan --json` prints: a report for each run, with its changes. */
export interface PlanResult extends Ended {
  readonly runs: readonly (ReportJson & {
    readonly plan: {
      readonly changes: readonly ShownChange[]
      readonly shown: number
      readonly total: number
    } | null
  })[]
}

/** Describes what `event-sync runs --json` prints: each integration's last state, or the last runs of one. */
export interface RunsResult extends Ended {
  readonly runs: readonly RunRow[]
}

/** Describes what `event-sync verify --json` prints. */
export type VerifyResult = Ended & VerifiedJson

/** Ends what is under way: reads and waits are given up, and the promise is rejected with the signal's reason. The next run goes on. */
interface Cancellable {
  readonly signal?: AbortSignal
}

/** As those of `event-sync run`. */
export interface RunOptions extends Cancellable {
  readonly runId?: string
  readonly fresh?: boolean
  readonly freshRead?: boolean
  readonly full?: boolean
  readonly refresh?: boolean
  readonly unsigned?: boolean
  readonly rebind?: boolean
  readonly changes?: boolean
}

/** As those of `event-sync plan`. */
export interface PlanOptions extends Pick<RunOptions, 'signal' | 'runId' | 'fresh' | 'freshRead' | 'full'> {
  /** Contents whose changes come with the plan; left out: all. */
  readonly content?: readonly Content[]
  /** Changes of each content that come with the plan; left out: 10. */
  readonly sample?: number
  /** True if values of people are not masked. */
  readonly showPersonal?: boolean
}

/** As those of `event-sync apply`. */
export interface ApplyOptions extends Cancellable {
  readonly approver?: string
}
