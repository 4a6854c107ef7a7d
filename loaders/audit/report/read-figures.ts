import { countRows, ofRun } from '../../../sql/conditions.ts'
import type { Db, RunKey } from '../../../sql/tables.ts'
import { detailOf } from '../csv-files/load-results.ts'
import type { Mask } from '../csv-files/mask.ts'

const MOST_REJECTIONS = 100
const MOST_QUARANTINED = 50

export async function readRejections(db: Db, run: RunKey, mask: Mask) {
  const failed = db.selectFrom('sync.changes').$call(ofRun(run)).where('state', '=', 'failed')
  const rows = await failed
    .orderBy('seq')
    .limit(MOST_REJECTIONS)
    .select(['seq', 'content', 'unique_id', 'action', 'state', 'code', 'retryable'])
    .execute()
  return {
    total: await countRows(failed),
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

export async function readQuarantined(db: Db, run: RunKey, mask: Mask) {
  const unread = db.selectFrom('sync.unstaged').$call(ofRun(run)).where('reason', '=', 'invalid_record')
  const rows = await unread
    .orderBy('resource')
    .orderBy('ordinal')
    .limit(MOST_QUARANTINED)
    .select(['resource', 'source_id', 'path', 'detail'])
    .execute()
  return {
    total: await countRows(unread),
    rows: rows.map(({ resource, source_id, path, detail }) => ({
      resource,
      sourceId: source_id === null ? null : mask.id(source_id),
      path,
      detail,
    })),
  }
}
