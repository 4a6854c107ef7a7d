import type { Content } from '../../sql/tables.ts'

/** One line of the reconciliation: a summand, or a sum beside what it must be. */
export interface Figure {
  /** Empty for a resource, and for a check. */
  readonly content: Content | ''
  readonly resource: string
  readonly measure: string
  readonly count: bigint
  /** Null where nothing is claimed. */
  readonly expected: bigint | null
}

/** Measures that every resource that was read has. */
export const RESOURCE_MEASURES = ['read', 'staged', 'repeated', 'quarantined', 'unseen', 'control_total']

/** Measures that every content has, beside a reason for each exclusion and, where it tells, the platform's own count. */
export const CONTENT_MEASURES = [
  'records',
  'quarantined',
  'synced',
  'created',
  'updated',
  'unchanged',
  'failed',
  'removed',
  'removals_failed',
  'removals_withheld',
  'kept',
  'live',
  'control_total',
]

/** The platform's own count of the items of a content, where it tells. */
export const PLATFORM_MEASURE = 'platform'

/** Begins the measure of a check that found rows, of no content and no resource; its name follows. */
export const CHECK_MEASURE = 'check:'

export function openSums(figures: readonly Figure[]): readonly Figure[] {
  return figures.filter(({ count, expected }) => expected !== null && count !== expected)
}
