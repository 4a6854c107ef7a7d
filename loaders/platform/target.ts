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

/** Keys that a new attendee has beside its fields. */
export interface FirstPassword {
  readonly password: string
  /** True makes the platform put the password into its welcome email; left out otherwise. */
  readonly storeEncryptedPassword?: true
}

export interface PlanHeader {
  readonly contract: string
  readonly integration: string
  readonly run: string
  readonly planHash: string
}

/** The platform cannot be written or read until its setup or this configuration is corrected. */
export class PlatformRefusalError extends Error {
  override readonly name = 'PlatformRefusalError'
}

/** The platform has accepted a newer run: this process, or its database, is outdated. */
export class StaleRunError extends Error {
  override readonly name = 'StaleRunError'
}

export interface PlatformItem {
  readonly content: Content
  readonly uniqueId: string
  readonly fields: Fields
}

/** Items of a platform, and the highest fence number that it has accepted; null if it does not report one. */
export interface PlatformPage {
  readonly items: readonly PlatformItem[]
  readonly fence: number | null
}

export interface PlatformReader {
  /**
   * Reads the items of a content page by page. Each item occurs once.
   *
   * @throws PlatformRefusalError if an answer does not follow the contract
   */
  itemsOf(content: Content): AsyncIterable<PlatformPage>
  /**
   * Returns the highest fence number that the platform has accepted, and its number of items; null if
   * unknown.
   */
  stateOf(content: Content): Promise<{ readonly fence: number | null; readonly total: number | null }>
}

export interface Batch {
  readonly number: number
  readonly phase: Phase
  /**
   * Fence number of the run, which is higher than that of any earlier run that sent something. A platform
   * refuses a number that is lower than the highest one it has accepted.
   */
  readonly fence: number
  readonly key: string
  readonly body: string
  /** True if the body is the same as when the key was first sent. */
  readonly isAsStored: boolean
  readonly operations: readonly Operation[]
}

/** Limits of one batch: the number of operations, and their bytes in JSON. */
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

/**
 * The planned changes of one run that are being sent. Each step is stored in the database, so a crash loses
 * nothing.
 */
export interface Outbox {
  /** Reads all operations that are not withheld, in order, including those that took effect already. */
  operations(): AsyncIterable<Operation>
  acknowledgeAll(): Promise<void>
  /**
   * Returns the next batch to send. If the answer to the last batch is unknown, it returns that batch again.
   * Otherwise it stores and returns a new batch of the phase; null if nothing is left to send. A run gets its
   * fence number with its first batch.
   */
  nextBatch(header: PlanHeader, phase: Phase, most: BatchLimits): Promise<Batch | null>
  record(batch: Batch, results: readonly Result[]): Promise<void>
  /** Records that a batch had no effect; its operations are sent again one at a time. */
  refuse(batch: Batch): Promise<void>
  /**
   * Leaves the inferred removals of a content out of this run if the platform rejected too many upserts of
   * that content.
   */
  withholdRemovalsAfterRejections(): Promise<void>
}

/** Delivers the operations of a plan to a platform. */
export interface PlatformTarget {
  /**
   * Applies the operations of the outbox in order, and records the platform's results there.
   *
   * The promise resolves when each operation was applied, rejected or withheld. It rejects if a result is
   * unknown. Another call then continues at that point, and does not apply any operation a second time.
   */
  apply(header: PlanHeader, outbox: Outbox): Promise<void>
}
