import type { Kysely } from 'kysely'
import type { Phase, Tables } from '../../sql/tables.ts'
import { type BatchHeader, bodyOf, firstThatFit, sha256Of } from './batch.ts'
import { type OutboxRun, type OutgoingChange, ofRun, selectChanges, toOutgoing } from './outgoing.ts'

/** Most that one batch holds: operations, and bytes of them in JSON. */
export interface BatchLimits {
  readonly count: number
  readonly bytes: number
}

/** A batch as it was stored before it was sent. */
export interface StoredBatch {
  readonly number: number
  readonly key: string
  readonly sha256: string
  readonly changes: readonly OutgoingChange[]
}

/** A batch whose answer is not known: the process died, or the platform kept silent. */
export async function findSentBatch(
  db: Kysely<Tables>,
  run: OutboxRun,
  phase: Phase,
): Promise<StoredBatch | null> {
  const batch = await db
    .selectFrom('sync.batches')
    .where('integration_id', '=', run.integrationId)
    .where('run_id', '=', run.runId)
    .where('phase', '=', phase)
    .where('state', '=', 'sent')
    .orderBy('batch')
    .limit(1)
    .select(['batch', 'idempotency_key', 'sha256'])
    .executeTakeFirst()
  if (batch === undefined) return null
  const rows = await selectChanges(db, run).where('batch', '=', batch.batch).execute()
  return {
    number: batch.batch,
    key: batch.idempotency_key,
    sha256: batch.sha256,
    changes: rows.map(toOutgoing),
  }
}

/** Makes a batch of the next pending changes of a phase; null where there are none. */
export async function storeBatch(
  db: Kysely<Tables>,
  run: OutboxRun,
  header: BatchHeader,
  phase: Phase,
  most: BatchLimits,
  now: string,
): Promise<StoredBatch | null> {
  const rows = await selectChanges(db, run)
    .where('state', '=', 'pending')
    .where('action', phase === 'removals' ? '=' : '<>', 'remove')
    .limit(most.count)
    .execute()
  if (rows.length === 0) return null
  const pending = rows.map(toOutgoing)
  const alone = pending.findIndex((change) => change.alone)
  const together = alone === 0 ? pending.slice(0, 1) : alone < 0 ? pending : pending.slice(0, alone)
  const fitting = firstThatFit(
    together.map(({ operation }) => operation),
    most,
  )
  const changes = together.slice(0, fitting.length)
  const { last } = await db
    .selectFrom('sync.batches')
    .where('integration_id', '=', run.integrationId)
    .where('run_id', '=', run.runId)
    .select((eb) => eb.fn.max('batch').as('last'))
    .executeTakeFirstOrThrow()
  const number = (last ?? 0) + 1
  const batch = {
    number,
    key: `${run.runId}-${number}`,
    sha256: sha256Of(bodyOf(header, phase, fitting)),
    changes,
  }
  await db
    .insertInto('sync.batches')
    .values({
      integration_id: run.integrationId,
      run_id: run.runId,
      batch: number,
      phase,
      idempotency_key: batch.key,
      sha256: batch.sha256,
      state: 'sent',
      sent_at: now,
    })
    .execute()
  await db
    .updateTable('sync.changes')
    .set({ state: 'sent', batch: number })
    .where((eb) => ofRun(eb, run))
    .where(
      'seq',
      'in',
      fitting.map(({ seq }) => seq),
    )
    .execute()
  return batch
}

/** Records that the answer to a batch is known. */
export async function closeBatch(
  db: Kysely<Tables>,
  { integrationId, runId }: OutboxRun,
  number: number,
  state: 'answered' | 'refused',
  now: string,
): Promise<void> {
  await db
    .updateTable('sync.batches')
    .set({ state, answered_at: now })
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .where('batch', '=', number)
    .execute()
}
