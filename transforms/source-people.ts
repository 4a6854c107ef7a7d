import type { Cell } from '../sql/database.ts'
import type { StagingTables } from '../sql/tables.ts'
import type { PeopleShape } from './rules/forgotten.ts'

/** The people of a source: where their records stand in staging, and how records write people down. */
export interface SourcePeople<Options> {
  readonly resource: string
  readonly table: keyof StagingTables
  /** Column of the e-mail address. */
  readonly address: string
  /** Column that is null where a person has no id and goes by the address; null where nobody does. */
  readonly ownId: string | null
  /** Columns that hold no value of theirs. */
  readonly plain: readonly string[]
  /** What the columns hold of a person who was erased, beside those that every staged table has. */
  readonly erased: Readonly<Record<string, Cell>>
  shape(options: Options): PeopleShape
}

/** The people of a source whatever its options. */
export type AnyPeople = SourcePeople<never>
