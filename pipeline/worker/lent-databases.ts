import type { Database } from '../../sql/database.ts'

/**
 * Databases for runs at the same time: no run waits for the connections of another. One that is over leaves its own to the next,
 * since a new connection costs the server more than many a statement; those of one that failed are closed.
 */
export function lentDatabases(open: () => Promise<Database>) {
  const idle: Database[] = []
  return {
    async lend<Result extends { readonly result: string }>(
      run: (database: Database) => Promise<Result>,
    ): Promise<Result> {
      const lent = idle.pop() ?? (await open())
      let isSound = false
      try {
        const ended = await run(lent)
        isSound = ended.result !== 'failed'
        return ended
      } finally {
        if (isSound) idle.push(lent)
        else await lent.close()
      }
    },
    /** Closes those that nobody has. */
    async close(): Promise<void> {
      await Promise.all(idle.splice(0).map((one) => one.close()))
    },
  }
}
