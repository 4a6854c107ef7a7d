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

/** Keys that a new attendee has in addition to its platform fields. */
export interface FirstPassword {
  readonly password: string
  /** If true, the platform puts the password into its welcome email; otherwise the key is left out. */
  readonly storeEncryptedPassword?: true
}

export interface PlanHeader {
  readonly contract: string
  readonly integration: string
  readonly run: string
  readonly planHash: string
}

/**
 * Thrown if the platform can be neither written nor read until someone corrects the platform's setup or the
 * configuration.
 */
export class PlatformRefusalError extends Error {
  override readonly name = 'PlatformRefusalError'
  /** The error message without its advice. */
  readonly what: string
  /** Advice at the end of the error message, if the mistake is neither at the platform nor in its setup. */
  readonly todo: string | null

  constructor(what: string, todo: string | null = null) {
    super(todo === null ? what : `${what}; ${todo}`)
    this.what = what
    this.todo = todo
  }
}

/**
 * Thrown if the platform has already accepted a newer run. Either the process that gets this error or its
 * database is outdated.
 */
export class StaleRunError extends Error {
  override readonly name = 'StaleRunError'
}

export interface PlatformItem {
  readonly content: Content
  readonly uniqueId: string
  readonly fields: Fields
}

/**
 * Some items of a platform, and the highest fence number that the platform has accepted; null if the platform
 * does not report a fence number.
 */
export interface PlatformPage {
  readonly items: readonly PlatformItem[]
  readonly fence: number | null
}

export interface PlatformReader {
  /**
   * Reads the items of a content page by page. Each item occurs exactly once.
   *
   * @throws PlatformRefusalError if an answer does not follow the contract
   */
  itemsOf(content: Content): AsyncIterable<PlatformPage>
  /**
   * Returns the highest fence number that the platform has accepted, and the platform's number of items. Each
   * number is null if the platform does not state it.
   */
  stateOf(content: Content): Promise<{ readonly fence: number | null; readonly total: number | null }>
}

export interface Batch {
  readonly number: number
  readonly phase: Phase
  /**
   * Fence number of the run. The fence number is higher than the fence number of every earlier run that sent
   * something. A platform refuses a fence number that is lower than the highest fence number it has accepted.
   */
  readonly fence: number
  readonly key: string
  readonly body: string
  /** True if the body has the same bytes as when this idempotency key was first sent. */
  readonly isAsStored: boolean
  readonly operations: readonly Operation[]
}

/** Limits of one batch: the maximum number of operations, and the maximum size of their JSON in bytes. */
export interface BatchLimits {
  readonly count: number
  readonly bytes: number
}

export interface Result {
  readonly seq: number
  readonly status: ResultStatus
  readonly code?: string | undefined
  /** True if the operation may succeed when it is sent again later. */
  readonly retryable?: boolean | null | undefined
}

/**
 * The planned changes of one run, while they are being sent to the platform. The outbox stores each step in
 * the database, so a crash loses nothing.
 */
export interface Outbox {
  /**
   * Reads all operations except withheld operations, in order. Operations that already took effect are
   * included.
   */
  operations(): AsyncIterable<Operation>
  acknowledgeAll(): Promise<void>
  /**
   * Returns the next batch to send. If the answer to the last batch is unknown, the outbox returns the last
   * batch again. If the answer is known, the outbox stores and returns a new batch of the phase. If the phase
   * has nothing left to send, the outbox returns null. A run gets its fence number together with its first
   * batch.
   */
  nextBatch(header: PlanHeader, phase: Phase, most: BatchLimits): Promise<Batch | null>
  record(batch: Batch, results: readonly Result[]): Promise<void>
  /** Records that a batch had no effect. The operations of the batch are sent again, one at a time. */
  refuse(batch: Batch): Promise<void>
  /**
   * Withholds the inferred removals of a content from this run if the platform rejected too many upserts of
   * that content.
   */
  withholdRemovalsAfterRejections(): Promise<void>
}

/** Delivers the operations of a plan to a platform. */
export interface PlatformTarget {
  /**
   * Applies the operations of the outbox in order, and records the platform's results in the outbox.
   *
   * The promise resolves when every operation was applied, rejected or withheld. The promise rejects if the
   * result of an operation is unknown. A later call of `apply` continues after the last known result and
   * applies no operation a second time.
   */
  apply(header: PlanHeader, outbox: Outbox): Promise<void>
}
