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
