import type { Expression, Kysely } from 'kysely'
import type { Tables } from '../sql/tables.ts'
import type { ContentTransform, Scope } from './content.ts'
import type { Excluded, Grounds } from './source-grounds.ts'
import type { SourceLineage } from './source-lineage.ts'
import type { SourcePeople } from './source-people.ts'

/** What the records of one source become on the platform, and what is known of them. */
export interface SourceTransform<Options> {
  readonly contents: readonly ContentTransform<Options>[]
  /** Reasons that a record states itself, so that its item may be removed without a guess. Source: design 11. */
  readonly attested: readonly string[]
  /** Who is named by which session that was read; null where sessions name nobody. */
  readonly sessionSpeakers:
    | null
    | ((db: Kysely<Tables>, scope: Scope<Options>) => Expression<Tables['session_speakers']>)
  /** Where the platform fields come from. */
  readonly lineage: SourceLineage
  readonly people: SourcePeople<Options>
  /** Says in words why a record is excluded. Source: design 9, the closed list of reasons. */
  grounds(excluded: Excluded, options: Options): Grounds
}

/** A source whatever its options. */
export type AnyTransform = SourceTransform<never>
