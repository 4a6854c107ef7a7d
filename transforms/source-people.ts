import type { Cell } from '../sql/database.ts'
import type { Staged, StagingTables } from '../sql/tables.ts'
import type { PeopleShape } from './rules/forgotten.ts'

/** The people of a source: where their records stand in staging, and how records write people down. */
export interface SourcePeople<Options, Table extends keyof StagingTables = keyof StagingTables> {
  readonly resource: string
  readonly table: Table
  /** Column of the e-mail address. */
  readonly address: string
  /** Column that is null where a person has no id and goes by the address; null where nobody does. */
  readonly ownId: string | null
  /** Columns that hold no value of theirs. */
  readonly plain: readonly string[]
  /** What the columns hold of a person who was erased, beside those that every staged table has. */
  readonly erased: Readonly<Record<Exclude<keyof StagingTables[Table], keyof Staged>, Cell>>
  /** @param options null where they are not known: then what they add is not there */
  shape(options: Options | null): PeopleShape
}

/** The people of a source whatever its options. */
export type AnyPeople = SourcePeople<never>
