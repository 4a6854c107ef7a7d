import type { ScrubPoint } from '../../sql/database.ts'
import type { ChangeCounts, Content, Hold, StoredCommand } from '../../sql/tables.ts'
import type { RunReport } from './report.ts'
import type { StepPlace } from './step.ts'

/**
 * An event of a run, which is emitted when it happens. An event contains counts, names, hosts and hashes, but
 * no value of a record and no secret. An integration has at most one run at a time.
 */
export type RunEvent =
  | OpenedRun
  | { readonly type: 'step begun'; readonly step: string; readonly place: StepPlace }
  | {
      readonly type: 'step ended'
      readonly step: string
      readonly ms: number
      /** Class of the error if the step failed; null if it succeeded. */
      readonly errorType: string | null
    }
  | { readonly type: 'reading begun'; readonly resource: string }
  /** Number of records and bytes that were read after the previous event of this kind. */
  | {
      readonly type: 'read'
      readonly resource: string
      readonly records: number
      readonly bytes: number
      /** Total number of records of the resource, as soon as an answer of the source states it. */
      readonly declared?: number
    }
  | ({ readonly type: 'reading ended' } & EndedReading)
  /** The run continues the reading of a run that died. */
  | {
      readonly type: 'reading resumed'
      readonly resource: string
      readonly records: number
      readonly savedAt: string
    }
  | ({ readonly type: 'request' } & Exchange)
  /** A wait before a request is repeated, or before the next request. */
  | {
      readonly type: 'wait'
      /** The request for which the run waits, for example `users, page 2`. */
      readonly what: string
      /** Reason of the wait, for example `answered 503`. */
      readonly cause: string
      readonly waitMs: number
      readonly host: string
      /** Status code of the answer; null if no answer came. */
      readonly status: number | null
      /**
       * True if a request failed. False if no request failed, but the source allows no more requests until
       * the rate window ends.
       */
      readonly isRetry: boolean
    }
  /** The run has made a plan. The plan is valid as soon as its transaction is committed. */
  | {
      readonly type: 'planned'
      readonly planHash: string
      /**
       * Number of different records of each resource, without those that a reading by changes only read
       * again, because of its overlap.
       */
      readonly records: Readonly<Record<string, number>>
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
  /** The run has reached a point at which a crash would leave something to repair. Tests use these points. */
  | { readonly type: 'reached'; readonly point: Point }
  /** A run has ended, or could not be opened. */
  | ({ readonly type: 'run ended' } & EndedRun)
  /**
   * An event could not be delivered to a receiver, for example to a webhook. The run continues if an event
   * cannot be delivered.
   */
  | { readonly type: 'delivery failed'; readonly to: string; readonly cause: string }
  /** The work on the integration has ended. */
  | { readonly type: 'done' }

/** A resource of the source, with its staging table. */
export interface ReadResource {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
}

export interface OpenedRun {
  readonly type: 'run opened'
  readonly run: string
  readonly command: StoredCommand
  /** True if a stored plan is applied, after an approval or because an earlier run did not finish it. */
  readonly isContinued: boolean
  /**
   * Time of the last successful run of the integration, in milliseconds since 1970; null if no run has
   * succeeded.
   */
  readonly lastSuccessMs: number | null
  /** Resources that the run reads. */
  readonly resources: readonly ReadResource[]
}

/**
 * One HTTP request, and the status and headers of its answer. Each redirect is a separate request with its
 * own event.
 */
export interface Exchange {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Host of the address, without user name, path and query. */
  readonly host: string
  readonly port: number
  /**
   * Resource that the request reads. The resource is null for any other request, for example to the platform.
   */
  readonly resource: string | null
  /** Status code of the answer; null if no answer came. */
  readonly status: number | null
  /**
   * Milliseconds until the headers of the answer came. The time for the body is not included, because it also
   * depends on the database.
   */
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
   * Number of operations for each result. `refused` means that the platform refused the whole batch, so that
   * each operation is sent alone.
   */
  readonly results: Readonly<Record<string, number>>
}

export interface Rejected {
  /** Row number of the operation in load_results.csv. */
  readonly seq: number
  readonly content: Content
  /** Unique ID of a session. The unique ID is null for a person, because it is personal data. */
  readonly uniqueId: string | null
  readonly code: string | null
}

export interface EndedRun {
  readonly report: RunReport
  readonly exitCode: number
  /** Meaning of the exit code. */
  readonly meaning: string
  /** Advice about what the user should do next; empty if nothing needs to be done. */
  readonly todo: string
  /** True if the run is recorded in the database. The key is left out if no run was opened. */
  readonly isRecorded?: boolean
  /** Name of the command; set only if no run was opened. */
  readonly command?: RunCommand
}

/** Name of the command that works for an integration. */
export type RunCommand = StoredCommand | 'apply'

/** Ids of an OpenTelemetry trace and of one of its spans. */
export interface SpanIds {
  readonly traceId: string
  readonly spanId: string
}

/** Receives the events of runs. */
export interface Listener {
  /** @param span the span to which the event belongs; null or left out if nothing records traces */
  emit(integration: string, event: RunEvent, span?: SpanIds | null): void
  /**
   * Resolves when each emitted event of an integration is delivered or given up. The promise never rejects.
   */
  settled?(integration: string): Promise<void>
}

/** Returns a function that emits an event for each point that the work on an integration reaches. */
export function pointsOf(events: Listener, integration: string): (point: Point) => void {
  return (point) => events.emit(integration, { type: 'reached', point })
}

export const silent: Listener = { emit: () => undefined }

/** Points in the work just before or just after something is stored durably. */
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
  | RenamePoint
  | EvidencePoint
  | ScrubPoint
  | MovePoint

/**
 * Points in the work of `forget` at which a crash would leave something to repair. `forget` also passes the
 * points of writing a pack.
 */
type ForgetPoint =
  | 'erasure begun'
  | 'erasure written'
  | 'person erased'
  | 'manifest kept'
  | 'pack beside'
  | 'pack in place'
  | 'pack reissued'

/** Points in the work of `rename` at which a crash would leave something to repair. */
type RenamePoint = 'renaming stored' | 'folder renamed' | 'renaming noted'

/** Points in the work of `evidence`. Before the last one, only the unfinished folder exists. */
type EvidencePoint = 'evidence begun' | 'evidence pack copied' | 'evidence written' | 'evidence in place'

/** Points in the work of `purge` at which a crash would leave something to repair. */
type PurgePoint = 'purge noted' | 'rows purged' | 'pack purged'

/** Points of `move`. */
export type MovePoint =
  | 'move noted at the old database'
  | 'move noted at the new database'
  | 'table emptied'
  | 'table copied'
  | 'table noted'
  | 'old database marked'
  | 'move finished'
