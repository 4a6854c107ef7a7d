import { createHash } from 'node:crypto'
import type { Sieve } from '../../transforms/rules/forgotten.ts'
import type { AnyTransform } from '../../transforms/source-transform.ts'

/** Whom to erase, and how they are found in what others say. */
export interface Erasure {
  readonly integrationId: string
  /** The source that they came from. */
  readonly source: AnyTransform
  /** What stands in place of each of their ids. */
  readonly tokens: ReadonlyMap<string, string>
  readonly addresses: readonly string[]
  readonly sieve: Sieve
}

/** Other sources than that of an integration: it may have been bound to one before, whose records are still staged. */
export interface FormerSources {
  readonly sources: readonly AnyTransform[]
  newToken(): string
}

/** Stands in place of a hash over values of a person: nobody can try values on it. */
export function hashInstead(...parts: readonly string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}
