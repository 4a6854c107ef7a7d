import type { Database } from '../../sql/database.ts'

/**
 * Lends a pool of database connections to each of several runs at the same time. A run then never waits for
 * database connections of another run. After a run has ended, the next run reuses its pool, because a new
 * connection costs the server more than many statements. If a run fails, its pool of connections is closed.
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
    /** Closes the pools that no run uses now. */
    async close(): Promise<void> {
      await Promise.all(idle.splice(0).map((one) => one.close()))
    },
  }
}
