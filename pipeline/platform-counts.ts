import { PlatformRefusalError, totalOf } from '../loaders/platform/http.ts'
import type { Content } from '../sql/tables.ts'
import { ReadError } from './extract/read-error.ts'
import { connectPlatform } from './platform-connection.ts'
import type { RunContext } from './run-context.ts'

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
  const { platform, content: contents } = run.integration
  const counts = new Map<Content, number>()
  if (platform.type !== 'http') return { counts, notes: [] }
  const connection = connectPlatform(run, run.integration, platform)
  try {
    for (const content of contents) {
      const total = await totalOf(connection, content)
      if (total !== null) counts.set(content, total)
    }
  } catch (error) {
    if (!(error instanceof ReadError || error instanceof PlatformRefusalError)) throw error
    const note = `the platform did not say how many items it has, so its own count is not among the sums: ${error.message}`
    return { counts, notes: [note] }
  }
  return { counts, notes: [] }
}
