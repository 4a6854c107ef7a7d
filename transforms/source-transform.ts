import type { Expression, Kysely } from 'kysely'
import type { Tables } from '../sql/tables.ts'
import type { ContentTransform, Scope } from './content.ts'

/** What the records of one source become on the platform. */
export interface SourceTransform<Options> {
  readonly contents: readonly ContentTransform<Options>[]
  /** Reasons that a record states itself, so that its item may be removed without a guess. Source: design 11. */
  readonly attested: readonly string[]
  /** Who is named by which session that was read; null where sessions name nobody. */
  readonly sessionSpeakers:
    | null
    | ((db: Kysely<Tables>, scope: Scope<Options>) => Expression<Tables['session_speakers']>)
}
