import type { ScrubPoint } from '../../sql/database.ts'
import type { ChangeCounts, Content, Hold } from '../../sql/tables.ts'
import type { RunReport } from './report.ts'

/** Describes what happens in a run, as it happens: counts, names, hosts and hashes, no value of a record, no secret. One run an integration at a time. */
export type RunEvent =
  | OpenedRun
  | { readonly type: 'step begun'; readonly step: string }
  | {
      readonly type: 'step ended'
      readonly step: string
      readonly ms: number
      /** Class of the error by which it failed; null where it did not. */
      readonly errorType: string | null
    }
  | { readonly type: 'reading begun'; readonly resource: string }
  /** Records and bytes while they are read. */
  | { readonly type: 'read'; readonly resource: string; readonly records: number; readonly bytes: number }
  | ({ readonly type: 'reading ended' } & EndedReading)
  /** The reading of a run that died is continued. */
  | {
      readonly type: 'reading resumed'
      readonly resource: string
      readonly records: number
      readonly savedAt: string
    }
  | ({ readonly type: 'request' } & Exchange)
  /** A wait before a request is sent again, or before the next one. */
  | {
      readonly type: 'wait'
      /** Request, such as `users, page 2`, and the reason of the wait, such as `answered 503`. */
      readonly what: string
      readonly cause: string
      readonly waitMs: number
      readonly host: string
      /** Status that was answered; null where nothing was. */
      readonly status: number | null
      /** False where nothing failed: the source takes no more requests for now. */
      readonly isRetry: boolean
    }
  /** A plan was made; it counts once its transaction is committed. */
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
  /** The platform did not take an operation. */
  | ({ readonly type: 'rejected' } & Rejected)
  /** A point at which the death of the process would leave something to be put right. */
  | { readonly type: 'reached'; readonly point: Point }
  /** A run has ended, or could not be opened. */
  | ({ readonly type: 'run ended' } & EndedRun)
  /** An event could not be passed on, to a webhook for instance; that changes nothing about the run. */
  | { readonly type: 'delivery failed'; readonly to: string; readonly cause: string }
  /** Work for the integration has ended. */
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
  /** A stored plan is applied: after an approval, or since an earlier run did not finish it. */
  readonly isContinued: boolean
  /** When a run of the integration last succeeded, milliseconds since 1970; null: never. */
  readonly lastSuccessMs: number | null
  /** Resources that the run reads. */
  readonly resources: readonly ReadResource[]
}

/** One request, and the head of its answer; each redirect is its own request. */
export interface Exchange {
  readonly method: 'GET' | 'POST'
  /** Without user name, path and query. */
  readonly host: string
  readonly port: number
  /** Resource that it is for; null for others, such as a token or the platform. */
  readonly resource: string | null
  /** Null where no answer came. */
  readonly status: number | null
  /** Until the head of the answer came; the rest is read at the pace of the database. */
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
  /** Operations by their result; `refused` where the platform took none, and they go one at a time. */
  readonly results: Readonly<Record<string, number>>
}

export interface Rejected {
  /** Its row in load_results.csv. */
  readonly seq: number
  readonly content: Content
  /** Ids of sessions only: ids of people are personal. */
  readonly uniqueId: string | null
  readonly code: string | null
}

export interface EndedRun {
  readonly report: RunReport
  readonly exitCode: number
  /** Meaning of the exit code, and what to do; empty if there is nothing to do. */
  readonly meaning: string
  readonly todo: string
  /** True if the ledger has it; left out where no run was opened. */
  readonly isRecorded?: boolean
  /** The command, if no run was opened. */
  readonly command?: RunCommand
}

/** Describes what a command does with an integration. */
export type RunCommand = 'run' | 'plan' | 'apply'

/** Takes the events of runs. */
export interface Listener {
  emit(integration: string, event: RunEvent): void
  /** Resolves when all that was emitted of an integration was passed on or given up; never rejects. */
  settled?(integration: string): Promise<void>
}

/** Makes the function that emits which point the work for an integration has reached. */
export function pointsOf(events: Listener, integration: string): (point: Point) => void {
  return (point) => events.emit(integration, { type: 'reached', point })
}

export const silent: Listener = { emit: () => undefined }

/** Points at which something has just been made durable, or is about to be. */
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

/** Points of `forget`, beside those of the packs that it writes. */
type ForgetPoint =
  | 'erasure begun'
  | 'erasure written'
  | 'person erased'
  | 'manifest kept'
  | 'pack beside'
  | 'pack in place'
  | 'pack reissued'

/** Of `purge`. */
type PurgePoint = 'purge noted' | 'rows purged' | 'pack purged'
