import type { Content, Fields, Phase, ResultStatus } from '../../sql/tables.ts'

export type Operation =
  | {
      readonly seq: number
      readonly op: 'upsert'
      readonly content: Content
      readonly uniqueId: string
      readonly fields: Fields
    }
  | {
      readonly seq: number
      readonly op: 'remove'
      readonly content: Content
      readonly uniqueId: string
      readonly reason: string
    }

/** Stands beside the fields of an attendee that is created. */
export interface FirstPassword {
  readonly password: string
  /** The platform's welcome email contains the password; left out if it must not. */
  readonly storeEncryptedPassword?: true
}

export interface PlanHeader {
  readonly contract: string
  readonly integration: string
  readonly run: string
  readonly planHash: string
}

/** The platform cannot be written to, or asked, as things are: its set-up or this configuration must be corrected. */
export class PlatformRefusalError extends Error {
  override readonly name = 'PlatformRefusalError'
}

/** The platform has taken a newer run: this process, or its database, is behind. */
export class StaleRunError extends Error {
  override readonly name = 'StaleRunError'
}

export interface PlatformItem {
  readonly content: Content
  readonly uniqueId: string
  readonly fields: Fields
}

/** Items of a platform, and the highest fence number that it has taken; null where it says none. */
export interface PlatformPage {
  readonly items: readonly PlatformItem[]
  readonly fence: number | null
}

export interface PlatformReader {
  /**
   * The items of a content, page by page, each once.
   *
   * @throws PlatformRefusalError where it does not say as it should
   */
  itemsOf(content: Content): AsyncIterable<PlatformPage>
  /** The highest fence number that the platform has taken, and how many items of a content it has; null where it does not say. */
  stateOf(content: Content): Promise<{ readonly fence: number | null; readonly total: number | null }>
}

export interface Batch {
  readonly number: number
  readonly phase: Phase
  /** Number of the run, higher than that of any run that sent something before: a platform refuses a lower one than it has seen. */
  readonly fence: number
  readonly key: string
  readonly body: string
  /** True if the body is the one that the key was first sent with. */
  readonly isAsStored: boolean
  readonly operations: readonly Operation[]
}

/** Most that one batch holds: operations, and bytes of them in JSON. */
export interface BatchLimits {
  readonly count: number
  readonly bytes: number
}

export interface Result {
  readonly seq: number
  readonly status: ResultStatus
  readonly code?: string | undefined
  /** True if the same operation may succeed later. */
  readonly retryable?: boolean | null | undefined
}

/** The planned changes of one run on their way to the platform. Every step of that is a row that a crash leaves behind. */
export interface Outbox {
  /** All operations that are not withheld, in their order; those that have landed too. */
  operations(): AsyncIterable<Operation>
  acknowledgeAll(): Promise<void>
  /**
   * The next batch of a phase: one whose answer is not known, else a new one, stored before it is returned; null
   * if there is nothing left to send. With its first batch a run takes its fence.
   */
  nextBatch(header: PlanHeader, phase: Phase, most: BatchLimits): Promise<Batch | null>
  record(batch: Batch, results: readonly Result[]): Promise<void>
  /** Records that nothing of a batch had an effect; its operations are sent again one at a time. */
  refuse(batch: Batch): Promise<void>
  /** Leaves inferred removals of a content out of this run if the platform rejected too many of its upserts. */
  withholdRemovalsAfterRejections(): Promise<void>
}

/** Takes the operations of a plan to a platform. */
export interface PlatformTarget {
  /**
   * Applies what is in the outbox, in its order, and records there what the platform said.
   *
   * Resolves when each operation has landed, was rejected or was withheld. Rejects where that is not known: doing it
   * again then goes on where this ended, with no further effect on what has landed.
   */
  apply(header: PlanHeader, outbox: Outbox): Promise<void>
}
