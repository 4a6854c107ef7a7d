import type { ExpressionBuilder, Kysely } from 'kysely'
import { analyzeAfter } from '../../sql/statements.ts'
import type { Content, Tables } from '../../sql/tables.ts'
import type { OutboxRun } from './outgoing.ts'
import type { Batch, PlatformPage } from './target.ts'

/**
 * Counts what the platform has acknowledged as known to be there: its items, and its state.
 *
 * @param batch the batch that it acknowledged; null for all of the run
 */
export async function countAsKnown(
  transaction: Kysely<Tables>,
  { integrationId, runId }: OutboxRun,
  batch: Pick<Batch, 'operations'> | null,
): Promise<void> {
  const ofRun = {
    'change.integration_id': integrationId,
    'change.run_id': runId,
    'change.state': 'applied',
  } as const
  const seqs = batch?.operations.map(({ seq }) => seq)
  const landed = (eb: ExpressionBuilder<Tables & { change: Tables['sync.changes'] }, 'change'>) =>
    seqs === undefined ? eb.and(ofRun) : eb.and([eb.and(ofRun), eb('change.seq', 'in', seqs)])
  const known = await transaction
    .insertInto('sync.platform_items')
    .columns(['integration_id', 'content', 'unique_id', 'fields', 'run_id'])
    .expression(
      transaction
        .selectFrom('sync.changes as change')
        .where(landed)
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
          .where(landed)
          .where('change.action', '=', 'remove')
          .whereRef('change.content', '=', 'item.content')
          .whereRef('change.unique_id', '=', 'item.unique_id')
          .select('change.seq'),
      ),
    )
    .execute()
  await countState(transaction, integrationId)
}

/**
 * Takes what the platform says it has for what is known to be there.
 *
 * @param runId the run that asked
 * @param contents that were read back; nothing changes for others
 * @param fence highest fence number that the platform has taken: the next run needs a higher one
 */
export async function replaceKnownItems(
  transaction: Kysely<Tables>,
  { integrationId, runId }: OutboxRun,
  contents: readonly Content[],
  pages: AsyncIterable<PlatformPage>,
): Promise<void> {
  await transaction
    .deleteFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .where('content', 'in', [...contents])
    .execute()
  let highest = 0
  let written = 0
  for await (const { items, fence } of pages) {
    highest = Math.max(highest, fence)
    written += items.length
    for (const part of partsOf(items)) {
      await transaction
        .insertInto('sync.platform_items')
        .values(
          part.map(({ content, uniqueId, fields }) => ({
            integration_id: integrationId,
            content,
            unique_id: uniqueId,
            fields: JSON.stringify(fields),
            run_id: runId,
          })),
        )
        .execute()
    }
  }
  await analyzeAfter(transaction, 'sync.platform_items', BigInt(written))
  const before = await transaction
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('contents_read_back')
    .executeTakeFirstOrThrow()
  await transaction
    .updateTable('sync.integrations')
    .set((eb) => ({
      fence: eb.fn<string>('greatest', ['fence', eb.val(highest)]),
      contents_read_back: [...new Set([...before.contents_read_back, ...contents])].sort(),
    }))
    .where('integration_id', '=', integrationId)
    .execute()
  await countState(transaction, integrationId)
}

/** A statement takes 65,535 parameters at most. */
const MOST_ROWS = 1000

function* partsOf<Of>(list: readonly Of[]): Generator<readonly Of[]> {
  for (let start = 0; start < list.length; start += MOST_ROWS) yield list.slice(start, start + MOST_ROWS)
}

/** Plans that were made for the state before are no longer current. */
async function countState(transaction: Kysely<Tables>, integrationId: string): Promise<void> {
  await transaction
    .updateTable('sync.integrations')
    .set((eb) => ({ base: eb('base', '+', eb.lit(1)) }))
    .where('integration_id', '=', integrationId)
    .execute()
}
