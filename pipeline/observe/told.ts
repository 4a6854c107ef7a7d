import type { ChangeCounts, Content, Hold } from '../../sql/tables.ts'
import type { RunReport } from '../report.ts'

/** What is told of a run while it happens. Counts, names, hosts and hashes: no value of a record, no secret. */

/** A run that is opened, or gone on with. */
export interface OpenedRun {
  readonly run: string
  readonly command: 'run' | 'plan'
  /** A plan that was stored before is applied now: after an approval, or since a run before did not finish it. */
  readonly isContinued: boolean
  /** When a run of the integration last ended well, milliseconds since 1970; null: never. */
  readonly lastSuccessMs: number | null
  /** Resources that the run reads, each with the table that it is staged in. */
  readonly resources: readonly {
    readonly name: string
    readonly table: string
    readonly columns: readonly string[]
  }[]
}

/** How a step of a run ended. */
export interface EndedStep {
  readonly step: string
  readonly ms: number
  /** Class of the error by which it failed; null where it did not. */
  readonly errorType: string | null
}

/** A wait before something is asked again. */
export interface Wait {
  /** What is asked, such as `users, page 2`, and why it waits, such as `answered 503`. */
  readonly what: string
  readonly cause: string
  readonly waitMs: number
  readonly host: string
  /** Status that was answered; null where nothing was. */
  readonly status: number | null
  /** False where nothing failed: the source takes no more requests for now. */
  readonly isRetry: boolean
}

/** One request that went out, and the head of its answer; redirects count as requests of their own. */
export interface Exchange {
  readonly method: 'GET' | 'POST'
  /** Without user name, path and query. */
  readonly host: string
  readonly port: number
  /** Resource of the source that it is for; null for others, such as a token or the platform. */
  readonly resource: string | null
  /** Null where no answer came. */
  readonly status: number | null
  /** Until the head of the answer was there; what follows is read at the pace of the database. */
  readonly ms: number
}

/** How the reading of a resource ended. */
export interface Certified {
  readonly resource: string
  readonly certified: boolean
  readonly requests: number
  readonly attempts: number
  readonly records: number
  /** Records that could not be read. */
  readonly faults: number
  readonly declared: number | null
  readonly end: string
  readonly detail: string
}

/** A plan that was stored. */
export interface StoredPlan {
  readonly planHash: string
  readonly changes: Readonly<Partial<Record<Content, ChangeCounts>>>
  readonly excluded: Readonly<Record<string, number>>
  readonly quarantined: number
  readonly withheld: number
  readonly held: Hold | null
}

/** A batch on its way to the platform. */
export interface SentBatch {
  readonly number: number
  readonly phase: string
  readonly operations: number
}

/** What became of a batch. */
export interface AnsweredBatch extends SentBatch {
  /** Operations by what the platform says of them; `refused` where it took none and they go one at a time. */
  readonly results: Readonly<Record<string, number>>
}

/** An operation that the platform did not take. */
export interface Rejected {
  /** Its row in load_results.csv. */
  readonly seq: number
  readonly content: Content
  /** Of sessions only: ids of people are theirs. */
  readonly uniqueId: string | null
  readonly code: string | null
}

/** How a run ended. */
export interface EndedRun {
  readonly report: RunReport
  readonly exitCode: number
  /** What the exit code means, and what to do; empty where there is nothing to do. */
  readonly meaning: string
  readonly todo: string
}
