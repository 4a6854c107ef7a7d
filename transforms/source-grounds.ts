import type { Selectable } from 'kysely'
import type { Content, StagingTables } from '../sql/tables.ts'
import type { StagedColumn } from './source-lineage.ts'

/** Why a record is not synced, for people. */
export interface Grounds {
  /** What speaks against it. */
  readonly why: string
  /** What the organiser can do. */
  readonly todo: string
  /** Columns whose values decided. */
  readonly columns: readonly StagedColumn[]
}

/** The record that was decided on, and those that are joined to it, as they are staged; none where the source has none. */
export type StagedRecords = { readonly [Table in keyof StagingTables]?: Selectable<StagingTables[Table]> }

/** What was decided, on which records. */
export interface Excluded {
  readonly content: Content
  readonly reason: string
  readonly records: StagedRecords
}
