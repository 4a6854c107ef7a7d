import type { Content, StagingTables } from '../sql/tables.ts'

/** What a source knows of where its fields come from, beside the maps of its transforms. */
export interface SourceLineage {
  /** Paths that each staged column is read from. */
  readonly paths: Readonly<Partial<Record<keyof StagingTables, PathsOfColumns>>>
  /** One rule for each platform field, the unique ID first. */
  readonly rules: Readonly<Record<Content, readonly FieldRule[]>>
  /** Records that are joined: by which column of which table each is found. */
  readonly lookups: readonly { readonly table: keyof StagingTables; readonly by: StagedColumn }[]
  /** Fields that name items of the same or of another content. */
  readonly references: Readonly<Record<Content, readonly ReferenceField[]>>
}

/** A platform field that names items. */
export interface ReferenceField {
  readonly field: string
  /** What it names. */
  readonly content: Content
  /** Column of the record that names them. */
  readonly column: StagedColumn
  /** List of other records that name this one, and are named for it. */
  readonly namedBy?: StagedColumn
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
  /** Columns that count as well, and that the map of the transform gives to another field or to none; all paths, or one. */
  readonly also?: readonly (readonly [...StagedColumn, path?: string])[]
}

/** Table and column. */
export type StagedColumn = readonly [table: keyof StagingTables, column: string]
