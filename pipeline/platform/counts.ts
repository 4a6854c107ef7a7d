import { PlatformRefusalError } from '../../loaders/platform/target.ts'
import type { Content } from '../../sql/tables.ts'
import { ReadError } from '../extract/read-error.ts'
import type { RunContext } from '../run-context.ts'
import { readerOf } from './connect.ts'

/** What the platform says of itself. */
export interface PlatformCounts {
  /** Items, by content; none where it does not say. */
  readonly counts: ReadonlyMap<Content, number>
  /** Why it does not say. */
  readonly notes: readonly string[]
}

/**
 * Asks the platform how many items it has, for each content that is synced.
 *
 * All has landed by then: a platform that cannot be asked leaves the run without that figure, and does not stop it.
 */
export async function countAtPlatform(run: RunContext): Promise<PlatformCounts> {
  const counts = new Map<Content, number>()
  const reader = readerOf(run, run.integration)
  if (reader === null) return { counts, notes: [] }
  try {
    for (const content of run.integration.content) {
      const total = await reader.totalOf(content)
      if (total !== null) counts.set(content, total)
    }
  } catch (error) {
    if (!(error instanceof ReadError || error instanceof PlatformRefusalError)) throw error
    const note = `the platform did not say how many items it has, so its own count is not among the sums: ${error.message}`
    return { counts, notes: [note] }
  }
  return { counts, notes: [] }
}
