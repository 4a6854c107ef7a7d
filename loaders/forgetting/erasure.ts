import { createHash } from 'node:crypto'
import type { Db } from '../../sql/tables.ts'
import type { AnyTransform } from '../../transforms/declare/source-transform.ts'
import type { SuppressionFilter } from '../../transforms/rules/forgotten.ts'
import type { Redaction } from '../../transforms/rules/redaction.ts'
import type { ErasureLog } from './erasure-log.ts'

/** Whom to erase, and how they are found in what others say. */
export interface Erasure {
  readonly integrationId: string
  readonly source: AnyTransform
  readonly tokens: ReadonlyMap<string, string>
  readonly addresses: readonly string[]
  readonly filter: SuppressionFilter
  /** Whether ids go from records of others too, where a source is not known to name people. */
  readonly erasesIdMentions: boolean
}

/** An erasure under way, and what it has found so far. */
export interface Erasing extends Erasure {
  readonly transaction: Db
  readonly redaction: Redaction
  readonly log: ErasureLog
}

/** Other sources than that of an integration: it may have been bound to one before, whose records are still staged. */
export interface FormerSources {
  readonly sources: readonly AnyTransform[]
  newToken(): string
}

/** In place of a hash over values of a person: nobody can try values on it. */
export function hashInstead(...parts: readonly string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}
