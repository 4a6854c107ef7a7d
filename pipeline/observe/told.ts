import type { ScrubPoint } from '../../sql/database.ts'
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

/** Told what happens while it happens: for people, for logs, for whoever watches. One run an integration at a time. */
export interface Progress {
  /** A run is opened, or gone on with. */
  opened(integration: string, run: OpenedRun): void
  /** A step of a run begins. */
  step(integration: string, step: string): void
  /** A step of a run has ended. */
  stepped(integration: string, step: EndedStep): void
  /** The reading of a resource begins. */
  resource(integration: string, resource: string): void
  /** Records and bytes as they are read. */
  read(integration: string, resource: string, records: number, bytes: number): void
  /** The reading of a resource has ended. */
  certified(integration: string, certificate: Certified): void
  /** A request went out, and was answered or not. */
  request(integration: string, exchange: Exchange): void
  /** The run waits before it asks again. */
  wait(integration: string, wait: Wait): void
  /** A run goes on from what one that died had read of a resource. */
  resume(integration: string, resource: string, records: number, savedAt: string): void
  /** A plan was made; it counts once its transaction has. */
  planned(integration: string, plan: StoredPlan): void
  /** A batch goes out to the platform. */
  batch(integration: string, batch: SentBatch): void
  /** It is known what became of the batch. */
  answered(integration: string, batch: AnsweredBatch): void
  /** The platform did not take an operation. */
  rejected(integration: string, operation: Rejected): void
  /** The run has come to a point at which its death would leave something to be put right. */
  at(integration: string, point: Point): void
  /** A run has ended, or could not be opened. */
  ended(integration: string, run: EndedRun): void
  /** Somebody who was to be told of a run, such as a webhook, could not be; that changes nothing about the run. */
  untold(integration: string, whom: string, cause: string): void
  /** Work for the integration has ended. */
  done(integration: string): void
  /** Resolves when all have been told, or were given up; never rejects. */
  settled(integration: string): Promise<void>
}

/** Points of a run at which something has just been, or is just about to be, made durable. */
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

/** Of `forget`, beside those of the packs that it writes. */
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
