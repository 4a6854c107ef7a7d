import type { Expression } from 'kysely'
import type { Cell } from '../../sql/database.ts'
import type { Db, Tables } from '../../sql/tables.ts'
import type { Resource } from '../resources/resource.ts'
import type { StagingTables } from '../resources/staging-tables.ts'
import type { PeopleShape } from '../rules/forgotten.ts'
import type { DeclaredContent } from './content.ts'
import type { Scope } from './contents.ts'
import type { Excluded, ExclusionReason } from './source-grounds.ts'

export interface SourceTransform<Options> {
  /** Names the rules by which its records are read, where these do not come with this package: other rules, other versions of records. */
  readonly revision?: string
  readonly resources: readonly Resource[]
  readonly contents: readonly DeclaredContent<Options>[]
  /** Reasons that a record states itself, so that its item may be removed without a guess. */
  readonly attested: readonly string[]
  /** Who is named by which session that was read; null where sessions name nobody. */
  readonly sessionSpeakers: null | ((db: Db, scope: Scope<Options>) => Expression<Tables['session_speakers']>)
  readonly people: SourcePeople<Options>
  grounds(excluded: Excluded, options: Options): ExclusionReason
}

export type AnyTransform = SourceTransform<never>

/** The people of a source: where their records are in staging, and how records write people down. */
export interface SourcePeople<Options> {
  readonly resource: string
  readonly table: keyof StagingTables
  readonly address: string | null
  /** Column that is null where a person has no id and goes by the address; null where nobody does. */
  readonly ownId: string | null
  /** Columns that hold no value of theirs. */
  readonly plain: readonly string[]
  /** What the columns hold of a person who was erased, beside those that every staged table has. */
  readonly erased: Readonly<Record<string, Cell>>
  /** @param options null where they are not known: then what they add is not there */
  shape(options: Options | null): PeopleShape
}

export type AnyPeople = SourcePeople<never>
