import type { Database } from '../../sql/database.ts'

/**
 * Lends a database connection pool to each of several parallel runs, so that no run waits for the connections
 * of another. The next run reuses the pool of an ended run, because a new connection costs the server more
 * than many statements. The pool of a failed run is closed.
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
    /** Closes the pools that no run uses. */
    async close(): Promise<void> {
      await Promise.all(idle.splice(0).map((one) => one.close()))
    },
  }
}
