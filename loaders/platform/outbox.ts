import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Database } from '../../sql/database.ts'
import { analyzeAsWritten } from '../../sql/statistics.ts'
import type { Db } from '../../sql/tables.ts'
import { reasonOfRule } from '../../transforms/declare/exclude.ts'
import { requireApplying } from '../ledger/ledger.ts'
import { bodyOf, closeBatch, type OutboxRun, operationsOf, takeBatch } from './batches.ts'
import { countAsKnown } from './known-items.ts'
import { safeCode } from './safe-code.ts'
import type { Batch, FirstPassword, Outbox, Result } from './target.ts'

/** Provides the first passwords of new attendees. Repeated calls for an attendee return the same password. */
export interface Passwords {
  /** @returns passwords by unique ID; the map is empty if the integration does not set passwords */
  of(db: Db, uniqueIds: readonly string[]): Promise<ReadonlyMap<string, FirstPassword>>
  forget(db: Db, uniqueIds: readonly string[]): Promise<void>
}

interface SentRun extends OutboxRun {
  /**
   * Maximum share (0 to 1) of a content's upserts that the platform may reject. If the share is larger, the
   * content's inferred removals are withheld.
   */
  readonly maxRejectedShare: number
}

export function openOutbox(
  database: Database,
  run: SentRun,
  passwords: Passwords,
  now: () => string,
): Outbox {
  const analyze = analyzeAsWritten('sync.platform_items')
  return {
    operations: () => operationsOf(database.kysely, run),
    acknowledgeAll: () =>
      database.transaction(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('sync.changes')
          .set((eb) => ({
            state: 'applied',
            result: eb
              .case('action')
              .when('create')
              .then('created' as const)
              .when('handover')
              .then('created' as const)
              .when('update')
              .then('updated' as const)
              .else('removed' as const)
              .end(),
          }))
          .$call(ofRun(run))
          .where('state', '=', 'pending')
          .executeTakeFirstOrThrow()
        if (numUpdatedRows > 0n) await countAsKnown(transaction, run, null, analyze)
      }),
    nextBatch: (header, phase, most) =>
      database.transaction(async (transaction) => {
        await requireApplying(transaction, run)
        const next = await takeBatch(transaction, run, header, phase, most, now())
        if (next === null) return null
        const { number, phase: ofBatch, fence, key, sha256, changes } = next
        const ofBody = { ...header, fence, phase: ofBatch }
        const operations = changes.map(({ operation }) => operation)
        const created = changes.filter(({ isNew }) => isNew).map(({ operation }) => operation.uniqueId)
        const known = created.length === 0 ? new Map() : await passwords.of(transaction, created)
        return {
          number,
          phase: ofBatch,
          fence,
          key,
          body: bodyOf(ofBody, operations, known),
          isAsStored: sha256 === hash('sha256', bodyOf(ofBody, operations)),
          operations,
        }
      }),
    record: (batch, results) =>
      database.transaction(async (transaction) => {
        await requireApplying(transaction, run)
        await closeBatch(transaction, run, batch, 'answered', now())
        for (const group of groupsOf(withSafeCodes(batch, results)))
          await recordResults(transaction, run, batch, group)
        if (batch.phase === 'freeing') await freeHandovers(transaction, run, batch)
        const landed = new Set(results.filter(({ status }) => status !== 'failed').map(({ seq }) => seq))
        const attendees = batch.operations.flatMap(({ seq, content, op, uniqueId }) =>
          op === 'upsert' && content === 'attendees' && landed.has(seq) ? [uniqueId] : [],
        )
        if (attendees.length > 0) await passwords.forget(transaction, attendees)
        if (landed.size > 0) {
          await transaction
            .updateTable('sync.integrations')
            .set({ platform_fence: batch.fence })
            .where('integration_id', '=', run.integrationId)
            .execute()
          await countAsKnown(transaction, run, batch, analyze)
        }
      }),
    refuse: (batch) =>
      database.transaction(async (transaction) => {
        await requireApplying(transaction, run)
        await closeBatch(transaction, run, batch, 'refused', now())
        await transaction
          .updateTable('sync.changes')
          .set({ state: 'pending', batch: null, alone: true })
          .$call(ofRun(run))
          .where('batch', '=', batch.number)
          .where('seq', 'in', seqsOf(batch.operations))
          .execute()
      }),
    withholdRemovalsAfterRejections: () =>
      database.transaction(async (transaction) => {
        await requireApplying(transaction, run)
        const changes = transaction.selectFrom('sync.changes').$call(ofRun(run))
        const rejecting = changes
          .where('action', '<>', 'remove')
          .groupBy('content')
          .having(sql<boolean>`avg((state = 'failed')::integer) > ${run.maxRejectedShare}`)
          .select('content')
        await transaction
          .updateTable('sync.changes')
          .set({ state: 'withheld' })
          .$call(ofRun(run))
          .where(({ and }) => and({ state: 'pending', action: 'remove', inferred: true }))
          // A removal by a rule of `exclude` is not withheld: the item still has a record, so rejections do
          // not make the removal doubtful.
          .where(sql<boolean>`not starts_with(reason, ${reasonOfRule('')})`)
          .where('content', 'in', rejecting)
          .execute()
      }),
  }
}

/**
 * Makes the creation of a handover pending if its removal took effect. After the removal the platform no
 * longer has the previous person, so the new person can be created.
 */
async function freeHandovers(db: Db, run: OutboxRun, { number }: Batch): Promise<void> {
  const freed = await db
    .updateTable('sync.changes')
    .set({
      state: 'pending',
      batch: null,
      alone: false,
      result: null,
      code: null,
      retryable: null,
      freed: true,
    })
    .$call(ofRun(run))
    .where(({ and }) => and({ batch: number, action: 'handover', state: 'applied' }))
    .returning('unique_id')
    .execute()
  if (freed.length === 0) return
  await db
    .deleteFrom('sync.platform_items')
    .where(({ and }) => and({ integration_id: run.integrationId, content: 'attendees' }))
    .where(
      'unique_id',
      'in',
      freed.map(({ unique_id }) => unique_id),
    )
    .execute()
}

function withSafeCodes({ operations }: Batch, results: readonly Result[]): readonly Result[] {
  const fieldsOf = new Map(operations.map((operation) => [operation.seq, fieldsIn(operation)]))
  return results.map((result) =>
    result.code === undefined ? result : { ...result, code: safeCode(result.code, fieldsOf.get(result.seq)) },
  )
}

const fieldsIn = (operation: Batch['operations'][number]) =>
  operation.op === 'upsert' ? operation.fields : undefined

/** Groups equal results so that one SQL statement stores a whole group. */
function groupsOf(results: readonly Result[]) {
  const kindOf = ({ status, code, retryable }: Result) => JSON.stringify([status, code, retryable])
  return Map.groupBy(results, kindOf).values()
}

async function recordResults(db: Db, run: OutboxRun, batch: Batch, alike: readonly Result[]): Promise<void> {
  const [{ status, code, retryable } = { status: 'failed' as const, code: undefined, retryable: undefined }] =
    alike
  await db
    .updateTable('sync.changes')
    .set({
      state: status === 'failed' ? 'failed' : 'applied',
      result: status,
      code: code ?? null,
      retryable: status === 'failed' ? (retryable ?? false) : null,
    })
    .$call(ofRun(run))
    .where('batch', '=', batch.number)
    .where('seq', 'in', seqsOf(alike))
    .execute()
}

function seqsOf(list: readonly { readonly seq: number }[]): readonly number[] {
  return list.map(({ seq }) => seq)
}
