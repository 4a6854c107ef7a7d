import type { RawBuilder } from 'kysely'
import type { ColumnOf } from './resource.ts'

/** Where an expression of a statement finds what it names. */
export interface Place<Options = unknown> {
  /** A column of the record, or of one that is joined to it. */
  at<Type>(column: ColumnOf<string, Type>): RawBuilder<Type>
  readonly options: Options
  /** Whose records are looked at, for SQL that names other tables. */
  readonly integrationId: string
}
