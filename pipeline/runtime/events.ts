import type { ScrubPoint } from '../../sql/database.ts'
import type { ChangeCounts, Content, Hold } from '../../sql/tables.ts'
import type { RunReport } from './report.ts'
import type { StepPlace } from './step.ts'

/**
 * An event of a run, emitted at the moment that it happens. It has counts, names, hosts and hashes, but no
 * value of a record and no secret. Each integration has one run at a time.
 */
export type RunEvent =
  | OpenedRun
  | { readonly type: 'step begun'; readonly step: string; readonly place: StepPlace }
  | {
      readonly type: 'step ended'
      readonly step: string
      readonly ms: number
      /** Class of the error if the step failed; otherwise null. */
      readonly errorType: string | null
    }
  | { readonly type: 'reading begun'; readonly resource: string }
  /** Numbers of records and bytes during a reading. */
  | {
      readonly type: 'read'
      readonly resource: string
      readonly records: number
      readonly bytes: number
      /** Number of all records of the resource, once an answer of the source declares it. */
      readonly declared?: number
    }
  | ({ readonly type: 'reading ended' } & EndedReading)
  /** A run continues the reading of a run that died. */
  | {
      readonly type: 'reading resumed'
      readonly resource: string
      readonly records: number
      readonly savedAt: string
    }
  | ({ readonly type: 'request' } & Exchange)
  /** A wait until a request is sent again, or until the next request. */
  | {
      readonly type: 'wait'
      /** The request, such as `users, page 2`. */
      readonly what: string
      /** Reason of the wait, such as `answered 503`. */
      readonly cause: string
      readonly waitMs: number
      readonly host: string
      /** Status of the answer; null if there was no answer. */
      readonly status: number | null
      /** False if no request failed, and the source only allows no more requests for now. */
      readonly isRetry: boolean
    }
  /** A plan was made. It is valid after its transaction is committed. */
  | {
      readonly type: 'planned'
      readonly planHash: string
      readonly changes: Readonly<Partial<Record<Content, ChangeCounts>>>
      readonly excluded: Readonly<Record<string, number>>
      readonly quarantined: number
      readonly withheld: number
      readonly held: Hold | null
    }
  | ({ readonly type: 'batch sent' } & SentBatch)
  | ({ readonly type: 'batch answered' } & AnsweredBatch)
  /** The platform rejected an operation. */
  | ({ readonly type: 'rejected' } & Rejected)
  /** A point was reached at which a crash would leave something to repair. */
  | { readonly type: 'reached'; readonly point: Point }
  /** A run ended, or could not be opened. */
  | ({ readonly type: 'run ended' } & EndedRun)
  /** An event could not be delivered, for example to a webhook. This does not change the run. */
  | { readonly type: 'delivery failed'; readonly to: string; readonly cause: string }
  /** The work for the integration ended. */
  | { readonly type: 'done' }

/** A resource with its staging table. */
export interface ReadResource {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
}

export interface OpenedRun {
  readonly type: 'run opened'
  readonly run: string
  readonly command: 'run' | 'plan'
  /** True if a stored plan is applied, after an approval or because an earlier run did not finish it. */
  readonly isContinued: boolean
  /**
   * Time of the last successful run of the integration, in milliseconds since 1970; null if there is none.
   */
  readonly lastSuccessMs: number | null
  /** Resources that the run reads. */
  readonly resources: readonly ReadResource[]
}

/** One request, and the head of its answer. Each redirect is a separate request. */
export interface Exchange {
  readonly method: 'GET' | 'POST'
  /** Host without user name, path and query. */
  readonly host: string
  readonly port: number
  /** Resource that the request reads; null for other requests, for example to the platform. */
  readonly resource: string | null
  /** Status of the answer; null if no answer came. */
  readonly status: number | null
  /** Milliseconds until the head of the answer came. The speed of the body depends on the database. */
  readonly ms: number
}

export interface EndedReading {
  readonly resource: string
  readonly certified: boolean
  readonly requests: number
  readonly attempts: number
  readonly records: number
  readonly faults: number
  readonly declared: number | null
  readonly end: string
  readonly detail: string
}

export interface SentBatch {
  readonly number: number
  readonly phase: string
  readonly operations: number
}

export interface AnsweredBatch extends SentBatch {
  /**
   * Number of operations by result. `refused`: the platform refused the whole batch, and each operation is
   * sent alone.
   */
  readonly results: Readonly<Record<string, number>>
}

export interface Rejected {
  /** Row of the operation in load_results.csv. */
  readonly seq: number
  readonly content: Content
  /** Unique ID of a session; null for people, because their ids are personal. */
  readonly uniqueId: string | null
  readonly code: string | null
}

export interface EndedRun {
  readonly report: RunReport
  readonly exitCode: number
  /** Meaning of the exit code. */
  readonly meaning: string
  /** Next step for the user; empty if there is none. */
  readonly todo: string
  /** True if the ledger has the run; left out if no run was opened. */
  readonly isRecorded?: boolean
  /** The command, if no run was opened. */
  readonly command?: RunCommand
}

/** Name of the command that works for an integration. */
export type RunCommand = 'run' | 'plan' | 'apply'

/** Receives the events of runs. */
export interface Listener {
  emit(integration: string, event: RunEvent): void
  /** Resolves when all emitted events of an integration are delivered or given up. It never rejects. */
  settled?(integration: string): Promise<void>
}

/** Makes a function that emits the points that the work for an integration reaches. */
export function pointsOf(events: Listener, integration: string): (point: Point) => void {
  return (point) => events.emit(integration, { type: 'reached', point })
}

export const silent: Listener = { emit: () => undefined }

/** Points just after or just before something becomes durable. */
export type Point =
  | 'run opened'
  | 'reading handed over'
  | 'page asked for'
  | 'page read'
  | 'records gathered'
  | 'records committed'
  | 'reading written'
  | 'reading saved'
  | 'source read'
  | 'items read back'
  | 'platform known'
  | 'merge begun'
  | 'resource merged'
  | 'decisions made'
  | 'plan made'
  | 'plan stored'
  | 'apply begun'
  | 'outbox written'
  | 'batch stored'
  | 'platform asked'
  | 'platform answered'
  | 'answer recorded'
  | 'operations sent'
  | 'plan applied'
  | 'figures stored'
  | 'pack file written'
  | 'pack written'
  | 'run finished'
  | 'pack file moved'
  | ForgetPoint
  | PurgePoint
  | ScrubPoint

/** Points of `forget`, in addition to the points of the packs that it writes. */
type ForgetPoint =
  | 'erasure begun'
  | 'erasure written'
  | 'person erased'
  | 'manifest kept'
  | 'pack beside'
  | 'pack in place'
  | 'pack reissued'

/** Points of `purge`. */
type PurgePoint = 'purge noted' | 'rows purged' | 'pack purged'
