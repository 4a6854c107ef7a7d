import type { ExpressionBuilder, Kysely } from 'kysely'
import type { Tables } from '../../sql/tables.ts'
import { inPlatformOrder } from '../../transforms/platform-fields.ts'
import type { Operation } from './target.ts'

const PAGE = 1000

/** A plan that is being applied. */
export interface OutboxRun {
  readonly integrationId: string
  readonly runId: string
}

/** The condition that a change belongs to a run. */
export function ofRun(eb: ExpressionBuilder<Tables, 'sync.changes'>, { integrationId, runId }: OutboxRun) {
  return eb.and({ integration_id: integrationId, run_id: runId })
}

/** An operation with what its change says beside it. */
export interface OutgoingChange {
  readonly operation: Operation
  readonly isNew: boolean
  readonly alone: boolean
}

/** Changes of a run in the order in which they are sent. */
export function selectChanges(db: Kysely<Tables>, run: OutboxRun) {
  return db
    .selectFrom('sync.changes')
    .where((eb) => ofRun(eb, run))
    .orderBy('seq')
    .select(['seq', 'content', 'unique_id', 'action', 'reason', 'after', 'alone'])
}

type ChangeRow = Awaited<ReturnType<ReturnType<typeof selectChanges>['execute']>>[number]

/** A change as it is sent. */
export function toOutgoing({
  seq,
  content,
  unique_id,
  action,
  reason,
  after,
  alone,
}: ChangeRow): OutgoingChange {
  const common = { content, uniqueId: unique_id }
  const operation: Operation =
    after === null
      ? { seq: Number(seq), op: 'remove', ...common, reason }
      : { seq: Number(seq), op: 'upsert', ...common, fields: inPlatformOrder(content, after) }
  return { operation, isNew: action === 'create' && content === 'attendees', alone }
}

/** The operations of a run's plan in the order in which they are sent, page by page from the database. */
export async function* operationsOf(db: Kysely<Tables>, run: OutboxRun): AsyncGenerator<Operation> {
  for (let last = 0; ; ) {
    const page = await selectChanges(db, run)
      .where('state', '<>', 'withheld')
      .where('seq', '>', last)
      .limit(PAGE)
      .execute()
    for (const row of page) {
      const { operation } = toOutgoing(row)
      yield operation
      last = operation.seq
    }
    if (page.length < PAGE) return
  }
}
