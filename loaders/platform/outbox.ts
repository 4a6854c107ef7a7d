import type { Kysely } from 'kysely'
import { analyzeAfter } from '../../sql/statements.ts'
import type { Tables } from '../../sql/tables.ts'
import { inPlatformOrder } from '../../transforms/platform-fields.ts'
import type { Operation } from './target.ts'

const PAGE = 1000

/** The operations of a run's plan in the order in which they are sent, page by page from the database. */
export async function* operationsOf(
  db: Kysely<Tables>,
  integrationId: string,
  runId: string,
): AsyncGenerator<Operation> {
  for (let last = 0; ; ) {
    const page = await db
      .selectFrom('sync.changes')
      .where('integration_id', '=', integrationId)
      .where('run_id', '=', runId)
      .where('seq', '>', last)
      .orderBy('seq')
      .limit(PAGE)
      .select(['seq', 'content', 'unique_id', 'action', 'reason', 'after'])
      .execute()
    for (const change of page) {
      const { content, unique_id: uniqueId, reason, after } = change
      const seq = Number(change.seq)
      yield after === null
        ? { seq, op: 'remove', content, uniqueId, reason }
        : { seq, op: 'upsert', content, uniqueId, fields: inPlatformOrder(content, after) }
      last = seq
    }
    if (page.length < PAGE) return
  }
}

/**
 * Records that the platform has every change of a run: the changes, the platform's items and its state.
 *
 * Runs in the transaction it is given, so that all of it counts or nothing does.
 */
export async function acknowledge(
  transaction: Kysely<Tables>,
  integrationId: string,
  runId: string,
): Promise<void> {
  const known = await transaction
    .insertInto('sync.platform_items')
    .columns(['integration_id', 'content', 'unique_id', 'fields', 'run_id'])
    .expression(
      transaction
        .selectFrom('sync.changes as change')
        .where('change.integration_id', '=', integrationId)
        .where('change.run_id', '=', runId)
        .where('change.state', '=', 'pending')
        .where('change.action', '<>', 'remove')
        .select((eb) => [
          'change.integration_id',
          'change.content',
          'change.unique_id',
          eb.ref('change.after').$castTo<string>().as('fields'),
          'change.run_id',
        ]),
    )
    .onConflict((conflict) =>
      conflict.columns(['integration_id', 'content', 'unique_id']).doUpdateSet((eb) => ({
        fields: eb.ref('excluded.fields').$castTo<string>(),
        run_id: eb.ref('excluded.run_id'),
      })),
    )
    .executeTakeFirstOrThrow()
  await analyzeAfter(transaction, 'sync.platform_items', known.numInsertedOrUpdatedRows ?? 0n)
  await transaction
    .deleteFrom('sync.platform_items as item')
    .where('item.integration_id', '=', integrationId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('sync.changes as change')
          .where('change.integration_id', '=', integrationId)
          .where('change.run_id', '=', runId)
          .where('change.state', '=', 'pending')
          .where('change.action', '=', 'remove')
          .whereRef('change.content', '=', 'item.content')
          .whereRef('change.unique_id', '=', 'item.unique_id')
          .select('change.seq'),
      ),
    )
    .execute()
  const { numUpdatedRows } = await transaction
    .updateTable('sync.changes')
    .set({ state: 'applied' })
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return
  await transaction
    .updateTable('sync.integrations')
    .set((eb) => ({ base: eb('base', '+', eb.lit(1)) }))
    .where('integration_id', '=', integrationId)
    .execute()
}
