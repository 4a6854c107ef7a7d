import type { ExpressionBuilder } from 'kysely'
import type { Db, RunKey, Tables } from '../../sql/tables.ts'
import { inPlatformOrder } from '../../transforms/registry/platform-fields.ts'
import { readPages } from '../ledger/pages.ts'
import type { Operation } from './target.ts'

const PAGE = 1000

export interface OutboxRun extends RunKey {
  /** Opens the id of somebody who was forgotten, for the platform alone. */
  readonly openId?: (token: string, sealed: Uint8Array) => string
}

export function isOfRun(eb: ExpressionBuilder<Tables, 'sync.changes'>, { integrationId, runId }: OutboxRun) {
  return eb.and({ integration_id: integrationId, run_id: runId })
}

export interface OutgoingChange {
  readonly operation: Operation
  readonly isNew: boolean
  readonly alone: boolean
}

export function selectChanges(db: Db, run: OutboxRun) {
  return db
    .selectFrom('sync.changes')
    .where((eb) => isOfRun(eb, run))
    .orderBy('seq')
    .select((eb) => [
      'seq',
      'content',
      'unique_id',
      'action',
      'reason',
      'after',
      'alone',
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

/** A change as it is sent; of somebody who was forgotten with the id that the platform knows, which is nowhere else. */
export function toOutgoing(
  { seq, content, unique_id, action, reason, after, alone, sealed_id }: ChangeRow,
  { openId }: OutboxRun,
): OutgoingChange {
  if (sealed_id !== null && openId === undefined)
    throw new Error('an id is sealed, and nothing opens it here')
  const uniqueId = sealed_id === null || openId === undefined ? unique_id : openId(unique_id, sealed_id)
  const common = { content, uniqueId }
  const operation: Operation =
    after === null
      ? { seq: Number(seq), op: 'remove', ...common, reason }
      : { seq: Number(seq), op: 'upsert', ...common, fields: inPlatformOrder(content, after) }
  return { operation, isNew: action === 'create' && content === 'attendees', alone }
}

/** The operations of a run's plan in the order in which they are sent, page by page from the database. */
export async function* operationsOf(db: Db, run: OutboxRun): AsyncGenerator<Operation> {
  const read = (after: string) =>
    selectChanges(db, run).where('state', '<>', 'withheld').where('seq', '>', after).limit(PAGE).execute()
  for await (const page of readPages('0', PAGE, read, ({ seq }) => String(seq))) {
    for (const row of page) yield toOutgoing(row, run).operation
  }
}
