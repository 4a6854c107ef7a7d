import type { Selectable } from 'kysely'
import type { Content } from '../../sql/tables.ts'
import type { ColumnOf } from '../resources/resource.ts'
import type { StagingTables } from '../resources/staging-tables.ts'

export interface ExclusionReason {
  readonly why: string
  readonly todo: string
  readonly columns: readonly ColumnOf[]
}

/** The record that was decided on, and those that are joined to it, as they are staged; none where the source has none. */
export type StagedRecords = { readonly [Table in keyof StagingTables]?: Selectable<StagingTables[Table]> } & {
  readonly [table: string]: Readonly<Record<string, unknown>> | undefined
}

export interface Excluded {
  readonly content: Content
  readonly reason: string
  readonly records: StagedRecords
}
