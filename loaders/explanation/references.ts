import type { Content, Db } from '../../sql/tables.ts'
import type { StagedColumn } from '../../transforms/declare/source-lineage.ts'
import { asAny } from '../../transforms/resources/staging-tables.ts'

/** What became of records that others refer to: the reason by source id, empty where one is synced. */
export async function findReasons(
  db: Db,
  integrationId: string,
  content: Content,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (sourceIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('sync.decisions')
    .where('integration_id', '=', integrationId)
    .where('content', '=', content)
    .where('source_id', 'in', [...sourceIds])
    .where('valid_to_run', 'is', null)
    .select(['source_id', 'reason'])
    .execute()
  return new Map(rows.map((row) => [row.source_id, row.reason]))
}

/** Ids of current records that name an id in a list, in byte order. */
export async function findNaming(db: Db, integrationId: string, [table, column]: StagedColumn, id: string) {
  const rows = await db
    .selectFrom(asAny(table))
    .where('integration_id', '=', integrationId)
    .where('valid_to_run', 'is', null)
    .where((eb) => eb(eb.val(id), '=', eb.fn.any(column as 'speaking_at')))
    .orderBy('source_id')
    .select('source_id')
    .execute()
  return rows.map((row) => row.source_id)
}
