import type { Environment } from '../runtime/environment.ts'

/** After a page was written, the next page waits this many times as long as the writing took. */
const REST = 10

/**
 * Limits how often the status page is written. The page is about all integrations, so with a thousand
 * integrations it takes longer than a small run. Without the limit, a worker would spend most of its time on
 * pages that the next run replaces. A page that has to wait covers all runs that end in the meantime.
 */
export function takeTurns({ monotonic, sleep }: Pick<Environment, 'monotonic' | 'sleep'>) {
  const closing = new AbortController()
  let newest = () => Promise.resolve()
  let restUntilMs = Number.NEGATIVE_INFINITY
  let written = Promise.resolve()
  let waiting: Promise<void> | null = null

  async function writeNewest(): Promise<void> {
    waiting = null
    restUntilMs = Number.POSITIVE_INFINITY
    const startedMs = monotonic()
    await newest()
    const endedMs = monotonic()
    restUntilMs = endedMs + REST * (endedMs - startedMs)
  }

  async function writeLater(): Promise<void> {
    await written
    await sleep(Math.max(0, restUntilMs - monotonic()), closing.signal)
    written = writeNewest()
    await written
  }

  return {
    /**
     * Writes the page, or lets it wait for its turn. The promise does not wait for the turn.
     *
     * @param write writes the page; the promise never rejects
     */
    async after(write: () => Promise<void>): Promise<void> {
      newest = write
      if (monotonic() < restUntilMs) {
        waiting ??= writeLater()
        return
      }
      written = writeNewest()
      await written
    },
    /** Writes the page that waits, if there is one. */
    async close(): Promise<void> {
      closing.abort()
      await waiting
      await written
    },
  }
}
