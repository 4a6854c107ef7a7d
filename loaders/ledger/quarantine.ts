import { ofRun } from '../../sql/conditions.ts'
import type { Db } from '../../sql/tables.ts'

const PAGE = 1000

export interface Quarantined {
  readonly resource: string
  /** Place in the order in which the source gave the records, from 1. */
  readonly place: number
  readonly sourceId: string | null
  /** JSON path of the fault, `$` being the record. */
  readonly path: string
  readonly detail: string
}

/** Records that a run could not read, by resource, in the order of the source, page by page. */
export async function* findQuarantined(
  db: Db,
  integrationId: string,
  runId: string,
): AsyncGenerator<readonly Quarantined[]> {
  for (let last: Quarantined = { resource: '', place: 0, sourceId: null, path: '', detail: '' }; ; ) {
    const { resource, place } = last
    const rows = await db
      .selectFrom('sync.unstaged')
      .$call(ofRun({ integrationId, runId }))
      .where('reason', '=', 'invalid_record')
      .where((eb) => eb(eb.refTuple('resource', 'ordinal'), '>', eb.tuple(resource, place)))
      .orderBy('resource')
      .orderBy('ordinal')
      .limit(PAGE)
      .select(['resource', 'ordinal', 'source_id', 'path', 'detail'])
      .execute()
    const page = rows.map((row) => ({
      resource: row.resource,
      place: Number(row.ordinal),
      sourceId: row.source_id,
      path: row.path,
      detail: row.detail,
    }))
    if (page.length > 0) yield page
    const end = page.at(-1)
    if (end === undefined || page.length < PAGE) return
    last = end
  }
}
