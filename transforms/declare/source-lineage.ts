import type { Content } from '../../sql/tables.ts'
import type { StagingTables } from '../resources/staging-tables.ts'

export interface ReferenceField {
  readonly field: string
  readonly content: Content
  readonly column: StagedColumn
  /** List of other records that name this one, and are named for it. */
  readonly namedBy?: StagedColumn
}

export type StagedColumn = readonly [table: keyof StagingTables, column: string]
