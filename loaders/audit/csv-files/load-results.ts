import { ofRun } from '../../../sql/conditions.ts'
import type { Db, RunKey } from '../../../sql/tables.ts'
import { readPages } from '../../ledger/pages.ts'
import type { Mask } from './mask.ts'

const PAGE = 1000

/** What became of each planned operation, in the order of the plan; of those that were left out too. */
export async function* loadResultRows(db: Db, run: RunKey, mask: Mask) {
  const read = (after: string) =>
    db
      .selectFrom('sync.changes')
      .$call(ofRun(run))
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(PAGE)
      .select(['seq', 'content', 'unique_id', 'action', 'state', 'result', 'code', 'retryable'])
      .execute()
  for await (const page of readPages('0', PAGE, read, ({ seq }) => String(seq)))
    yield page.map((change) => [
      Number(change.seq),
      change.content,
      mask.id(change.unique_id),
      change.action === 'remove' ? 'remove' : 'upsert',
      change.state === 'withheld' ? 'withheld' : change.result,
      change.code,
      detailOf(change),
    ])
}

/** What follows from the outcome of a change; null where nothing does. */
export function detailOf(change: {
  readonly state: string
  readonly code: string | null
  readonly retryable: boolean | null
}): string | null {
  if (change.state === 'withheld') return 'left out of this run'
  if (change.state === 'failed')
    return change.retryable === true
      ? 'may succeed later; planned again by the next run'
      : 'planned again by the next run'
  return change.code === 'read_back' ? 'the answer was not clear; read back from the platform' : null
}
