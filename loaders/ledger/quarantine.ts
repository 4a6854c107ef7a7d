import { ofRun } from '../../sql/conditions.ts'
import type { Db } from '../../sql/tables.ts'
import { readPages } from './pages.ts'

const PAGE = 1000

export interface Quarantined {
  readonly resource: string
  /** Position of the record in the source's order, starting at 1. */
  readonly place: number
  readonly sourceId: string | null
  /** JSON path of the fault; `$` is the record. */
  readonly path: string
  readonly detail: string
}

/**
 * Finds the records that a run could not read, page by page. Sorts them by resource, then by their position
 * at the source.
 */
export async function* findQuarantined(
  db: Db,
  integrationId: string,
  runId: string,
): AsyncGenerator<readonly Quarantined[]> {
  const read = async (after: Pick<Quarantined, 'resource' | 'place'>): Promise<readonly Quarantined[]> => {
    const rows = await db
      .selectFrom('sync.unstaged')
      .$call(ofRun({ integrationId, runId }))
      .where('reason', '=', 'invalid_record')
      .where((eb) => eb(eb.refTuple('resource', 'ordinal'), '>', eb.tuple(after.resource, after.place)))
      .orderBy('resource')
      .orderBy('ordinal')
      .limit(PAGE)
      .select(['resource', 'ordinal as place', 'source_id as sourceId', 'path', 'detail'])
      .execute()
    return rows.map((row) => ({ ...row, place: Number(row.place) }))
  }
  yield* readPages({ resource: '', place: 0 }, PAGE, read, (row) => row)
}
