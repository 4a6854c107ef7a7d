import { type ExpressionBuilder, sql } from 'kysely'
import { notExists } from '../../sql/conditions.ts'
import type { Database } from '../../sql/database.ts'
import { insertFrom } from '../../sql/insert-from.ts'
import { analyzeAfter } from '../../sql/statistics.ts'
import type { Content, Db, Tables } from '../../sql/tables.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { dropIncomingTable, incomingName } from '../staging/incoming.ts'
import type { OutboxRun } from './batches.ts'
import type { Batch, Operation, PlatformPage } from './target.ts'

/**
 * Updates the known items (what the database knows of the platform's items) with the changes that the
 * platform has applied.
 *
 * @param batch the batch whose applied changes are used; null for all applied changes of the run
 */
export async function countAsKnown(
  transaction: Db,
  { integrationId, runId }: OutboxRun,
  batch: Pick<Batch, 'operations'> | null,
  onWritten: (transaction: Db, rows: bigint) => Promise<void>,
): Promise<void> {
  const ofRun = {
    'change.integration_id': integrationId,
    'change.run_id': runId,
    'change.state': 'applied',
  } as const
  const seqs = batch?.operations.map(({ seq }) => seq)
  const landed = (eb: ExpressionBuilder<Tables & { change: Tables['sync.changes'] }, 'change'>) =>
    seqs === undefined ? eb.and(ofRun) : eb.and([eb.and(ofRun), eb('change.seq', 'in', seqs)])
  // Deleting and inserting rows is cheaper than `on conflict do update`.
  await transaction
    .deleteFrom('sync.platform_items as item')
    .where('item.integration_id', '=', integrationId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('sync.changes as change')
          .where(landed)
          .whereRef('change.content', '=', 'item.content')
          .whereRef('change.unique_id', '=', 'item.unique_id')
          .select('change.seq'),
      ),
    )
    .execute()
  const upserts = transaction
    .selectFrom('sync.changes as change')
    .where(landed)
    .where('change.action', '<>', 'remove')
    .select([
      'change.integration_id',
      'change.content',
      'change.unique_id',
      'change.after as fields',
      'change.run_id',
    ])
  const known = await insertFrom(transaction, 'sync.platform_items', upserts).executeTakeFirstOrThrow()
  await onWritten(transaction, known.numInsertedOrUpdatedRows ?? 0n)
  await countState(transaction, integrationId)
}

/** Counts the known items of the platform by content. */
export async function countKnown(db: Db, integrationId: string): Promise<ReadonlyMap<Content, number>> {
  const rows = await db
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .groupBy('content')
    .select(['content', (eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('items')])
    .execute()
  return new Map(rows.map(({ content, items }) => [content, items]))
}

/**
 * Replaces the known items with the items that were read back from the platform. Also drops the working table
 * of items read back.
 *
 * If the platform's fence number is higher than the stored number, the platform's number is stored, because
 * the next run needs a still higher number. If a content is read back for the first time, items that were not
 * known before are marked as preexisting.
 *
 * @param stillKnown contents that were read back earlier and whose known items stay valid. A content that is
 *   in neither `stillKnown` nor `contents` is read back by its next sync
 * @throws Error if rows of the working table are missing, for example after a crash of the server
 */
export async function replaceKnownItems(
  transaction: Db,
  { integrationId, runId }: OutboxRun,
  contents: readonly Content[],
  { table, items, fence }: ReadBack,
  stillKnown: readonly Content[] = [],
): Promise<void> {
  await transaction
    .deleteFrom('sync.platform_items as item')
    .where('item.integration_id', '=', integrationId)
    .where('item.content', 'in', [...contents])
    .where(({ selectFrom }) =>
      notExists(
        selectFrom(`${table} as found`)
          .whereRef('found.content', '=', 'item.content')
          .whereRef('found.unique_id', '=', 'item.unique_id')
          .select('found.unique_id'),
      ),
    )
    .execute()
  const found = transaction
    .selectFrom([`${table} as found`, 'sync.integrations as bound'])
    .where('bound.integration_id', '=', integrationId)
    .select((eb) => [
      'bound.integration_id',
      'found.content',
      'found.unique_id',
      'found.fields',
      eb.cast<string>(eb.val(runId), 'uuid').as('run_id'),
      sql<boolean>`found.content <> all (bound.contents_read_back)`.as('preexisting'),
    ])
  const inserting = insertFrom(transaction, 'sync.platform_items', found).onConflict((conflict) =>
    conflict
      .columns(['integration_id', 'content', 'unique_id'])
      .doUpdateSet({ fields: ({ ref }) => ref('excluded.fields') }),
  )
  const { numInsertedOrUpdatedRows: written = 0n } = await inserting.executeTakeFirstOrThrow()
  if (written !== BigInt(items)) {
    throw new Error(
      `read back ${counted(items, 'item')} from the platform, but the database holds ${written} of them; it may have crashed: run again`,
    )
  }
  await transaction.schema.dropTable(table).execute()
  await analyzeAfter(transaction, 'sync.platform_items', written)
  await transaction
    .updateTable('sync.integrations')
    .set((eb) => ({
      fence: eb.fn<string>('greatest', ['fence', eb.val(fence)]),
      platform_fence: fence,
      contents_read_back: [...stillKnown, ...contents].sort(),
    }))
    .where('integration_id', '=', integrationId)
    .execute()
  await countState(transaction, integrationId)
}

/**
 * Updates the known items with operations that took effect on the platform but are missing in this database.
 * The operations are applied in their order.
 *
 * @param operations the operations of one file, in which no item occurs twice, except in the two operations
 *   of a handover
 */
export async function replayOperations(
  transaction: Db,
  { integrationId, runId }: OutboxRun,
  operations: AsyncIterable<Operation>,
): Promise<void> {
  let page: Operation[] = []
  for await (const operation of operations) {
    page.push(operation)
    if (page.length === MOST_ROWS) await write()
  }
  if (page.length > 0) await write()
  await countState(transaction, integrationId)

  async function write(): Promise<void> {
    for (const content of new Set(page.map((operation) => operation.content))) {
      const ids = page.filter((operation) => operation.content === content).map(({ uniqueId }) => uniqueId)
      await transaction
        .deleteFrom('sync.platform_items')
        .where(({ and }) => and({ integration_id: integrationId, content }))
        .where('unique_id', 'in', ids)
        .execute()
    }
    const rows = page.flatMap((operation) =>
      operation.op === 'remove'
        ? []
        : {
            integration_id: integrationId,
            content: operation.content,
            unique_id: operation.uniqueId,
            fields: JSON.stringify(operation.fields),
            run_id: runId,
          },
    )
    if (rows.length > 0) await transaction.insertInto('sync.platform_items').values(rows).execute()
    page = []
  }
}

/**
 * Maximum number of rows in one statement, which keeps the statement below PostgreSQL's limit of 65,535
 * parameters.
 */
const MOST_ROWS = 1000

/** Records that the known items changed. A change of the known items makes all stored plans outdated. */
async function countState(transaction: Db, integrationId: string): Promise<void> {
  await transaction
    .updateTable('sync.integrations')
    .set((eb) => ({ base: eb('base', '+', eb.lit(1)) }))
    .where('integration_id', '=', integrationId)
    .execute()
}

/**
 * Word in the name of the table with the items read back. Other incoming tables have the name of a resource
 * instead of this word.
 */
export const READ_BACK = 'platform'

/**
 * Copies the items of a platform into a separate table, without a transaction. Only one page of items is in
 * memory at a time.
 */
export async function readBack(database: Database, { runId }: OutboxRun, pages: AsyncIterable<PlatformPage>) {
  const { kysely } = database
  const name = incomingName(runId, READ_BACK)
  await dropIncomingTable(kysely, name)
  const table = kysely.schema.createTable(name)
  await (database.engine === 'postgres' ? table.modifyFront(sql`unlogged`) : table)
    .as(
      kysely
        .selectFrom('sync.platform_items')
        .where((eb) => eb.lit(false))
        .select(['content', 'unique_id', 'fields']),
    )
    .execute()
  const sink = database.copyInto(name, ['content', 'unique_id', 'fields'])
  let items = 0
  /** Highest fence number that the platform has accepted. */
  let fence = 0
  try {
    for await (const page of pages) {
      fence = Math.max(fence, page.fence ?? 0)
      items += page.items.length
      for (const { content, uniqueId, fields } of page.items) {
        await sink.write([content, uniqueId, JSON.stringify(fields)])
      }
      await sink.commit()
    }
  } finally {
    await sink.close()
  }
  return { table: name as string as 'incoming.items', items, fence }
}

export type ReadBack = Awaited<ReturnType<typeof readBack>>
