import type { Content, Fields } from '../../sql/tables.ts'

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
   * Applies a plan's operations, in their order.
   *
   * Resolves when the platform has all of them. Doing it again with the same plan has no further effect.
   */
  apply(header: PlanHeader, operations: AsyncIterable<Operation>): Promise<void>
}
