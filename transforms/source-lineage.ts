import type { Content, StagingTables } from '../sql/tables.ts'

/** What a source knows of where its fields come from, beside the maps of its transforms. */
export interface SourceLineage {
  /** Paths that each staged column is read from. */
  readonly paths: Readonly<Partial<Record<keyof StagingTables, PathsOfColumns>>>
  /** One rule for each platform field, the unique ID first. */
  readonly rules: Readonly<Record<Content, readonly FieldRule[]>>
}

type PathsOfColumns = Readonly<Record<string, readonly SourcePath[]>>

/** Where a value stands in a record. Keys of Source A match in any case. */
export interface SourcePath {
  /** JSON path, `$` being the record. */
  readonly path: string
  /** Option of event-sync.yaml that may name another key than that of the path. */
  readonly option?: string
}

interface FieldRule {
  /** Platform field, or `uniqueId`. */
  readonly field: string
  /** Such as `spec 2.2.3`. */
  readonly clause: string
  /** One sentence. */
  readonly rule: string
  /** Columns that count as well, and that the map of the transform gives to another field or to none. */
  readonly also?: readonly StagedColumn[]
}

/** Table and column. */
export type StagedColumn = readonly [table: keyof StagingTables, column: string]
