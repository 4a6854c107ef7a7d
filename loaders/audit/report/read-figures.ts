import type { Kysely } from 'kysely'
import type { RunKey, Tables } from '../../../sql/tables.ts'
import { detailOf } from '../load-results.ts'
import type { Mask } from '../mask.ts'
import type { FirstOf, QuarantinedRecord, Rejection } from './figures.ts'

const MOST_REJECTIONS = 100
const MOST_QUARANTINED = 50

/** The first operations that the platform rejected, in the order of the plan. */
export async function readRejections(
  db: Kysely<Tables>,
  { integrationId, runId }: RunKey,
  mask: Mask,
): Promise<FirstOf<Rejection>> {
  const failed = db
    .selectFrom('sync.changes')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .where('state', '=', 'failed')
  const { count } = await failed
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  const rows = await failed
    .orderBy('seq')
    .limit(MOST_REJECTIONS)
    .select(['seq', 'content', 'unique_id', 'action', 'state', 'code', 'retryable'])
    .execute()
  return {
    total: Number(count),
    rows: rows.map((row) => ({
      seq: Number(row.seq),
      content: row.content,
      uniqueId: mask.id(row.unique_id),
      op: row.action === 'remove' ? 'remove' : 'upsert',
      code: row.code ?? '',
      detail: detailOf(row) ?? '',
    })),
  }
}

/** The first records that could not be read, by resource and place. */
export async function readQuarantined(
  db: Kysely<Tables>,
  { integrationId, runId }: RunKey,
  mask: Mask,
): Promise<FirstOf<QuarantinedRecord>> {
  const unread = db
    .selectFrom('sync.unstaged')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .where('reason', '=', 'invalid_record')
  const { count } = await unread
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  const rows = await unread
    .orderBy('resource')
    .orderBy('ordinal')
    .limit(MOST_QUARANTINED)
    .select(['resource', 'source_id', 'path', 'detail'])
    .execute()
  return {
    total: Number(count),
    rows: rows.map(({ resource, source_id, path, detail }) => ({
      resource,
      sourceId: source_id === null ? null : mask.id(source_id),
      path,
      detail,
    })),
  }
}
