import type { KeyObject } from 'node:crypto'

/** What the one who checks a pack brings along. */
export interface Auditor {
  /** Null where nobody asks who signed. */
  readonly publicKey: KeyObject | null
  /** Milliseconds since 1970. */
  readonly now: number
}
