import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Db, Phase, RunKey } from '../../sql/tables.ts'
import { inPlatformOrder } from '../../transforms/decide/platform-fields.ts'
import { takeFence } from '../ledger/ledger.ts'
import { readPages } from '../ledger/pages.ts'
import type { Batch, BatchLimits, FirstPassword, Operation, PlanHeader } from './target.ts'

interface BatchHeader extends PlanHeader {
  readonly fence: number
  readonly phase: Phase
}

/**
 * Returns the JSON body of a batch (see `contract/platform.schema.json`). The bytes of a batch depend only on
 * its operations.
 */
export function bodyOf(
  { contract, integration, run, planHash, fence, phase }: BatchHeader,
  operations: readonly Operation[],
  passwords: ReadonlyMap<string, FirstPassword> = new Map(),
): string {
  const sent = operations.map((operation) =>
    operation.content === 'attendees' ? { ...operation, ...passwords.get(operation.uniqueId) } : operation,
  )
  const inContract = phase === 'upserts' ? phase : 'removals'
  return JSON.stringify({ contract, integration, run, planHash, fence, phase: inContract, operations: sent })
}

/**
 * Returns the first changes, as many as fit into a batch. The limits are a number of changes and a size of
 * their JSON in bytes; at least one change is returned. If a group of changes that must be sent together does
 * not fit, the batch ends before the group. A group at the start of the batch is split if it does not fit.
 */
function firstThatFit(changes: readonly OutgoingChange[], most: BatchLimits): readonly OutgoingChange[] {
  let bytes = 0
  const end = changes.findIndex(({ operation }, index) => {
    bytes += Buffer.byteLength(JSON.stringify(operation))
    return index >= most.count || (index > 0 && bytes > most.bytes)
  })
  if (end === -1) return changes
  const group = changes[end]?.together ?? null
  const start = group === null ? end : changes.findIndex(({ together }) => together === group)
  return changes.slice(0, start === 0 ? end : start)
}

/**
 * Returns true if a run may have sent something to the platform. Each batch is stored before it is sent, so
 * without a batch nothing was sent. A target that writes files has no batches.
 */
export async function mayHaveSent(db: Db, run: OutboxRun): Promise<boolean> {
  const batch = await db
    .selectFrom('sync.batches')
    .$call(ofRun(run))
    .select('batch')
    .limit(1)
    .executeTakeFirst()
  return batch !== undefined
}

/**
 * Returns the batch to send next. If the answer to the last batch is unknown, the function returns the last
 * batch again, even if that batch belongs to another phase. An answer is unknown if the process died or the
 * platform did not answer. If the answer is known, the function returns a new batch with the next pending
 * changes of the phase. If the phase has no pending changes, the function returns null. Batches are sent one
 * after the other, so only the last batch can lack an answer.
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
    .select(['batch', 'phase', 'state', 'first_seq', 'last_seq', 'idempotency_key', 'sha256'])
    .executeTakeFirst()
  if (last?.state === 'sent') {
    const rows = await selectChanges(db, run)
      .where('seq', '>=', last.first_seq)
      .where('seq', '<=', last.last_seq)
      .where('batch', '=', last.batch)
      .execute()
    // The phase of the last batch may be later than the requested phase, for example after a crash during the
    // removals.
    const { batch: number, phase: sent, idempotency_key: key, sha256 } = last
    const fence = await takeFence(db, run)
    return { number, phase: sent, fence, key, sha256, changes: rows.map((row) => toOutgoing(row, sent, run)) }
  }
  const lastOfPhase = await db
    .selectFrom('sync.batches')
    .$call(ofRun(run))
    .where('phase', '=', phase)
    .orderBy('batch', 'desc')
    .limit(1)
    .select('reach')
    .executeTakeFirst()
  const highestSeq = Number(lastOfPhase?.reach ?? 0)
  const changes = await nextChanges(db, run, phase, highestSeq, most)
  if (changes.length === 0) return null
  const fence = await takeFence(db, run)
  const number = (last?.batch ?? 0) + 1
  const operations = changes.map(({ operation }) => operation)
  const seqs = operations.map(({ seq }) => seq)
  const [firstSeq, lastSeq] = [Math.min(...seqs), Math.max(...seqs)]
  const key = `${run.runId}-${number}`
  // The hash is computed over the body without passwords. If the hash covered passwords, someone could test
  // guessed passwords against it.
  const sha256 = hash('sha256', bodyOf({ ...header, fence, phase }, operations))
  await db
    .insertInto('sync.batches')
    .values({
      integration_id: run.integrationId,
      run_id: run.runId,
      batch: number,
      phase,
      first_seq: firstSeq,
      last_seq: lastSeq,
      reach: Math.max(highestSeq, lastSeq),
      idempotency_key: key,
      sha256,
      state: 'sent',
      sent_at: now,
    })
    .execute()
  await db
    .updateTable('sync.changes')
    .set({ state: 'sent', batch: number })
    .$call(ofRun(run))
    .where('seq', 'in', seqs)
    .execute()
  return { number, phase, fence, key, sha256, changes }
}

/**
 * Selects the changes that are sent in a phase. A handover belongs to two phases: its removal is sent in
 * `freeing`, its creation in `upserts`.
 */
function isOfPhase(phase: Phase) {
  // The condition in parentheses must equal the condition of the partial index, so that PostgreSQL can use
  // the index.
  return phase === 'freeing'
    ? sql<boolean>`(phase = 'freeing' or action = 'handover') and not freed`
    : sql<boolean>`phase = ${phase}`
}

/**
 * If a change must be sent alone, returns only this change. If no change must be sent alone, the function
 * returns as many pending changes as fit. The function takes only pending changes that were not in a batch
 * yet.
 */
async function nextChanges(db: Db, run: OutboxRun, phase: Phase, highestSeq: number, most: BatchLimits) {
  const pending = selectChanges(db, run).where('state', '=', 'pending').where(isOfPhase(phase))
  const alone = await pending.where('alone', '=', true).limit(1).execute()
  if (alone.length > 0) return alone.map((row) => toOutgoing(row, phase, run))
  // The query reads one change more than fits. The extra change shows if a group of changes continues.
  const rows = await pending
    .where('seq', '>', highestSeq)
    .limit(most.count + 1)
    .execute()
  return firstThatFit(
    rows.map((row) => toOutgoing(row, phase, run)),
    most,
  )
}

/**
 * Records that the platform has answered a batch.
 *
 * @throws Error if the answer was recorded already, which means that another process works on the run
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
    .where(({ and }) => and({ batch: number, state: 'sent' }))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n)
    throw new Error(
      `another process already recorded the answer to batch ${number} of this run; wait until it ends`,
    )
}

const PAGE = 1000

/** The phases in the order in which their changes are sent. */
export const PHASES: readonly Phase[] = ['freeing', 'upserts', 'removals']

export interface OutboxRun extends RunKey {
  /** Decrypts the id of a forgotten person; only the platform receives the decrypted id. */
  readonly openId?: (token: string, sealed: Uint8Array) => string
}

export interface OutgoingChange {
  readonly operation: Operation
  readonly isNew: boolean
  readonly alone: boolean
  /**
   * Changes with the same value must be sent in one batch; null for a change that can be sent with any
   * others.
   */
  readonly together: string | null
}

function selectChanges(db: Db, run: OutboxRun) {
  return db
    .selectFrom('sync.changes')
    .$call(ofRun(run))
    .orderBy('seq')
    .select((eb) => [
      'seq',
      'content',
      'unique_id',
      'action',
      'reason',
      'after',
      'alone',
      'together',
      eb
        .case()
        .when('reason', '=', 'forgotten')
        .then(
          eb
            .selectFrom('sync.forgotten as gone')
            .where('gone.integration_id', '=', run.integrationId)
            .whereRef('gone.token', '=', 'sync.changes.unique_id')
            .select('gone.sealed_id'),
        )
        .end()
        .as('sealed_id'),
    ])
}

type ChangeRow = Awaited<ReturnType<ReturnType<typeof selectChanges>['execute']>>[number]

/**
 * Converts a database row of a change to the operation that is sent to the platform. For a forgotten person,
 * the function decrypts the id by which the platform knows the person.
 */
function toOutgoing(
  { seq, content, unique_id, action, reason, after, alone, together, sealed_id }: ChangeRow,
  phase: Phase,
  { openId }: OutboxRun,
): OutgoingChange {
  if (sealed_id !== null && openId === undefined)
    throw new Error('the id of a forgotten person is sealed, and no key to open it was given')
  const uniqueId = sealed_id === null || openId === undefined ? unique_id : openId(unique_id, sealed_id)
  const common = { content, uniqueId }
  const operation: Operation =
    after === null || phase === 'freeing'
      ? { seq: Number(seq), op: 'remove', ...common, reason: action === 'handover' ? action : reason }
      : { seq: Number(seq), op: 'upsert', ...common, fields: inPlatformOrder(content, after) }
  const isNew =
    (action === 'create' || action === 'handover') && content === 'attendees' && operation.op === 'upsert'
  return { operation, isNew, alone, together: together === null ? null : String(together) }
}

/** Reads all operations of a run's plan in the order of sending, page by page from the database. */
export async function* operationsOf(db: Db, run: OutboxRun): AsyncGenerator<Operation> {
  for (const phase of PHASES) {
    const ofPhase =
      phase === 'freeing' ? sql<boolean>`(phase = 'freeing' or action = 'handover')` : isOfPhase(phase)
    const read = (after: string) =>
      selectChanges(db, run)
        .where('state', '<>', 'withheld')
        .where(ofPhase)
        .where('seq', '>', after)
        .limit(PAGE)
        .execute()
    for await (const page of readPages('0', PAGE, read, ({ seq }) => String(seq))) {
      for (const row of page) yield toOutgoing(row, phase, run).operation
    }
  }
}
