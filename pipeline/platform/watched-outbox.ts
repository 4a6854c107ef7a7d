import { openOutbox } from '../../loaders/platform/outbox.ts'
import type { Batch, Outbox, Result } from '../../loaders/platform/target.ts'
import type { Database } from '../../sql/database.ts'
import { type RunContext, timestamp } from '../context/run-context.ts'
import { idOpenerOf } from '../privacy/keys.ts'
import type { AnsweredBatch, Rejected, SentBatch } from '../runtime/events.ts'
import { passwordsOf } from './passwords.ts'

/** Opens the outbox of a run, and emits each of its commits. */
export function openWatchedOutbox(run: RunContext): Outbox {
  const { database, environment, integrationId } = run
  const watched: Database = {
    ...database,
    transaction: (work) =>
      database.transaction(async (transaction) => {
        const result = await work(transaction)
        run.at('outbox written')
        return result
      }),
  }
  const outbox = openOutbox(
    watched,
    { ...run, openId: idOpenerOf(run, integrationId) },
    passwordsOf(run, run.integration),
    () => timestamp(environment),
  )
  return {
    ...outbox,
    async nextBatch(...asked) {
      const batch = await outbox.nextBatch(...asked)
      if (batch === null) return null
      run.at('batch stored')
      run.emit({ type: 'batch sent', ...sent(batch) })
      return batch
    },
    async record(batch, results) {
      await outbox.record(batch, results)
      run.at('answer recorded')
      for (const operation of rejected(batch, results)) run.emit({ type: 'rejected', ...operation })
      run.emit({ type: 'batch answered', ...answered(batch, results) })
    },
    async refuse(batch) {
      await outbox.refuse(batch)
      run.at('answer recorded')
      run.emit({ type: 'batch answered', ...sent(batch), results: { refused: batch.operations.length } })
    },
    async acknowledgeAll() {
      await outbox.acknowledgeAll()
      run.at('answer recorded')
    },
  }
}

function sent({ number, phase, operations }: Batch): SentBatch {
  return { number, phase, operations: operations.length }
}

function answered(batch: Batch, results: readonly Result[]): AnsweredBatch {
  const counts: Record<string, number> = {}
  for (const { status } of results) counts[status] = (counts[status] ?? 0) + 1
  return { ...sent(batch), results: counts }
}

function rejected({ operations }: Batch, results: readonly Result[]): readonly Rejected[] {
  const bySeq = new Map(operations.map((operation) => [operation.seq, operation]))
  return results.flatMap(({ seq, status, code = null }) => {
    const operation = bySeq.get(seq)
    if (status !== 'failed' || operation === undefined) return []
    const { content, uniqueId } = operation
    return [{ seq, content, uniqueId: content === 'agenda' ? uniqueId : null, code }]
  })
}
