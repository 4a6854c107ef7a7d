import { type Outbox, openOutbox } from '../loaders/platform/outbox.ts'
import type { Database } from '../sql/database.ts'
import { passwordsOf } from './passwords.ts'
import type { Point } from './report.ts'
import { type RunContext, timestamp } from './run-context.ts'

/** Opens the outbox of a run, and tells of each of its commits just before and just after. */
export function openWatchedOutbox(run: RunContext): Outbox {
  const { database, environment, integrationId, progress } = run
  const at = (point: Point) => progress.at(integrationId, point)
  const watched: Database = {
    ...database,
    transaction: (work) =>
      database.transaction(async (transaction) => {
        const result = await work(transaction)
        at('outbox written')
        return result
      }),
  }
  const outbox = openOutbox(watched, run, passwordsOf(run, run.integration), () => timestamp(environment))
  return {
    ...outbox,
    async nextBatch(...asked) {
      const batch = await outbox.nextBatch(...asked)
      if (batch !== null) at('batch stored')
      return batch
    },
    async record(...answered) {
      await outbox.record(...answered)
      at('answer recorded')
    },
    async refuse(...refused) {
      await outbox.refuse(...refused)
      at('answer recorded')
    },
    async acknowledgeAll() {
      await outbox.acknowledgeAll()
      at('answer recorded')
    },
  }
}
