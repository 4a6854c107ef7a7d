import type { Content, Fields } from '../../sql/tables.ts'
import type { Outbox } from './outbox.ts'

/** One thing that the platform is told. Source: design 8 (contract). */
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

/** What a plan is to a target. */
export interface PlanHeader {
  readonly contract: string
  readonly integration: string
  readonly run: string
  readonly planHash: string
}

/** The platform cannot be written to, or asked, as things are: its set-up or this configuration must be mended. */
export class PlatformRefusalError extends Error {
  override readonly name = 'PlatformRefusalError'
}

/** The platform has taken a newer run: this process, or its database, is behind. */
export class StaleRunError extends Error {
  override readonly name = 'StaleRunError'
}

/** An item as the platform has it. */
export interface PlatformItem {
  readonly content: Content
  readonly uniqueId: string
  readonly fields: Fields
}

/** Items of a platform, and the highest fence number that it has taken. */
export interface PlatformPage {
  readonly items: readonly PlatformItem[]
  readonly fence: number
}

/** Asks a platform what it has. */
export interface PlatformReader {
  /**
   * The items of a content, page by page, each once.
   *
   * @throws PlatformRefusalError where it does not say as it should
   */
  itemsOf(content: Content): AsyncIterable<PlatformPage>
  /** How many items of a content the platform says it has; null where it does not say. */
  totalOf(content: Content): Promise<number | null>
}

/** Takes the operations of a plan to a platform. */
export interface PlatformTarget {
  /**
   * Applies what stands in the outbox, in its order, and records there what the platform said.
   *
   * Resolves when each operation has landed, was rejected or was withheld. Rejects where that is not known: doing it
   * again then goes on where this ended, with no further effect on what has landed.
   */
  apply(header: PlanHeader, outbox: Outbox): Promise<void>
}
