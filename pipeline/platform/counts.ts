import { PlatformRefusalError } from '../../loaders/platform/target.ts'
import type { Content } from '../../sql/tables.ts'
import type { RunContext } from '../context/run-context.ts'
import { ReadError } from '../http/read-error.ts'
import { readerOf } from './connect.ts'

export type PlatformCounts = Awaited<ReturnType<typeof countAtPlatform>>

/**
 * Asks the platform how many items it has, for each content that is synced. All changes have landed by then, so a platform that does not
 * answer does not stop the run.
 *
 * @returns items by content, and notes that say why there are none
 */
export async function countAtPlatform(run: RunContext) {
  const notes: string[] = []
  const counts = new Map<Content, number>()
  const reader = readerOf(run, run.integration)
  if (reader === null) return { counts, notes }
  try {
    for (const content of run.integration.content) {
      const total = await reader.totalOf(content)
      if (total !== null) counts.set(content, total)
    }
  } catch (error) {
    if (!(error instanceof ReadError || error instanceof PlatformRefusalError)) throw error
    notes.push(
      `the platform did not say how many items it has, so its own count is not among the sums: ${error.message}`,
    )
  }
  return { counts, notes }
}
