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

/** Returns the body of a batch (`contract/platform.schema.json`). The same operations give the same bytes. */
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
 * Returns as many of the first changes as fit into a batch by count and by bytes in JSON, but at least one.
 * If a group of changes that must stay together does not fit, the batch ends before the group. A group at the
 * start of the batch is split.
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
 * Returns the batch to send next. If the answer to the last batch is unknown, because the process died or the
 * platform did not answer, it returns that batch again, even if that batch is of another phase. Otherwise it
 * returns a new batch with the next pending changes of the phase; null if the phase has no pending changes.
 * Batches are sent one at a time, so only the last batch can lack an answer.
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
    // After a crash during the removals, for example, this batch is of a later phase than the requested one.
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
  // The hash covers the body without passwords. Otherwise guessed passwords could be tested against the hash.
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
 * Selects the changes of a phase. A handover belongs to two phases: its removal to `freeing`, its creation to
 * `upserts`.
 */
function isOfPhase(phase: Phase) {
  // This is exactly the condition of the index.
  return phase === 'freeing'
    ? sql<boolean>`(phase = 'freeing' or action = 'handover') and not freed`
    : sql<boolean>`phase = ${phase}`
}

/**
 * Returns one change that must be sent alone, if there is one. Otherwise it returns as many pending changes
 * as fit, of those that were not in a batch yet.
 */
async function nextChanges(db: Db, run: OutboxRun, phase: Phase, highestSeq: number, most: BatchLimits) {
  const pending = selectChanges(db, run).where('state', '=', 'pending').where(isOfPhase(phase))
  const alone = await pending.where('alone', '=', true).limit(1).execute()
  if (alone.length > 0) return alone.map((row) => toOutgoing(row, phase, run))
  // Reads one change more than fits, to see whether a group continues.
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
 * Records that the answer to a batch is known.
 *
 * @throws Error if the answer was known already, because another process works on the run
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

/** The order in which changes are sent. */
export const PHASES: readonly Phase[] = ['freeing', 'upserts', 'removals']

export interface OutboxRun extends RunKey {
  /** Decrypts the id of a forgotten person; only the platform gets it. */
  readonly openId?: (token: string, sealed: Uint8Array) => string
}

export interface OutgoingChange {
  readonly operation: Operation
  readonly isNew: boolean
  readonly alone: boolean
  /** Changes with the same value are sent in one batch; null for other changes. */
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
 * Converts a row of a change to the operation that is sent. For a forgotten person, it decrypts the id under
 * which the platform knows the person.
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

/**
 * Reads the operations of a run's plan in the order in which they are sent, page by page from the database.
 */
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
