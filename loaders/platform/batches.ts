import { ofRun } from '../../sql/conditions.ts'
import type { Db, Phase } from '../../sql/tables.ts'
import { takeFence } from '../ledger/ledger.ts'
import { bodyOf, firstThatFit, sha256Of } from './batch.ts'
import { isOfRun, type OutboxRun, selectChanges, toOutgoing } from './outgoing.ts'
import type { Batch, BatchLimits, PlanHeader } from './target.ts'

/**
 * The next batch: the one whose answer is not known, of any phase, since the process died or the platform kept silent,
 * else a new one of the next pending changes of the phase; null where there are none. One is under way at a time, so only the last
 * can be without an answer.
 */
export async function takeBatch(
  db: Db,
  run: OutboxRun,
  header: PlanHeader,
  phase: Phase,
  most: BatchLimits,
  now: string,
) {
  const last = await db
    .selectFrom('sync.batches')
    .$call(ofRun(run))
    .orderBy('batch', 'desc')
    .limit(1)
    .select(['batch', 'phase', 'state', 'first_seq', 'last_seq', 'reach', 'idempotency_key', 'sha256'])
    .executeTakeFirst()
  if (last?.state === 'sent') {
    const rows = await selectChanges(db, run)
      .where('seq', '>=', last.first_seq)
      .where('seq', '<=', last.last_seq)
      .where('batch', '=', last.batch)
      .execute()
    // It may be of a later phase than the one that is asked for, as after a crash among the removals.
    const { batch: number, phase: sent, idempotency_key: key, sha256 } = last
    const fence = await takeFence(db, run)
    return { number, phase: sent, fence, key, sha256, changes: rows.map((row) => toOutgoing(row, run)) }
  }
  const reach = Number(last?.reach ?? 0)
  const changes = await nextChanges(db, run, phase, reach, most)
  if (changes.length === 0) return null
  const fence = await takeFence(db, run)
  const number = (last?.batch ?? 0) + 1
  const operations = changes.map(({ operation }) => operation)
  const seqs = operations.map(({ seq }) => seq)
  const [firstSeq, lastSeq] = [Math.min(...seqs), Math.max(...seqs)]
  const key = `${run.runId}-${number}`
  const sha256 = sha256Of(bodyOf({ ...header, fence, phase }, operations))
  await db
    .insertInto('sync.batches')
    .values({
      integration_id: run.integrationId,
      run_id: run.runId,
      batch: number,
      phase,
      first_seq: firstSeq,
      last_seq: lastSeq,
      reach: Math.max(reach, lastSeq),
      idempotency_key: key,
      sha256,
      state: 'sent',
      sent_at: now,
    })
    .execute()
  await db
    .updateTable('sync.changes')
    .set({ state: 'sent', batch: number })
    .where((eb) => isOfRun(eb, run))
    .where('seq', 'in', seqs)
    .execute()
  return { number, phase, fence, key, sha256, changes }
}

/** One change that is sent alone, else as many as fit of those that were in no batch yet. */
async function nextChanges(db: Db, run: OutboxRun, phase: Phase, reach: number, most: BatchLimits) {
  const pending = selectChanges(db, run)
    .where('state', '=', 'pending')
    .where('action', phase === 'removals' ? '=' : '<>', 'remove')
  const alone = await pending.where('alone', '=', true).limit(1).execute()
  if (alone.length > 0) return alone.map((row) => toOutgoing(row, run))
  const rows = await pending.where('seq', '>', reach).limit(most.count).execute()
  const changes = rows.map((row) => toOutgoing(row, run))
  const fitting = firstThatFit(
    changes.map(({ operation }) => operation),
    most,
  )
  return changes.slice(0, fitting.length)
}

/**
 * Records that the answer to a batch is known.
 *
 * @throws where it was known already: another process works for the run
 */
export async function closeBatch(
  db: Db,
  run: OutboxRun,
  { number }: Pick<Batch, 'number'>,
  state: 'answered' | 'refused',
  now: string,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('sync.batches')
    .set({ state, answered_at: now })
    .$call(ofRun(run))
    .where('batch', '=', number)
    .where('state', '=', 'sent')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new Error(`another process has answered batch ${number} of this run`)
}
