import { sql } from 'kysely'
import type { Database } from '../../sql/database.ts'
import { dropIncomingTable, incomingName } from '../staging/incoming.ts'
import type { OutboxRun } from './outgoing.ts'
import type { PlatformPage } from './target.ts'

/** In place of a resource in the name of the table. */
export const READ_BACK = 'platform'

/** Takes what a platform says it has into a table of its own, one page in memory at a time, without a transaction. */
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
  /** Highest fence number that the platform has taken. */
  let fence = 0
  try {
    for await (const page of pages) {
      fence = Math.max(fence, page.fence)
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
