import { countRows, ofRun } from '../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { findDecision, findKnown, type ItemKey } from './item.ts'

/** Contents of which an id is known, if it is not of the one that was asked for. */
export async function findElsewhere(db: Db, key: ItemKey, contents: readonly Content[]) {
  const known: Content[] = []
  for (const content of contents.filter((one) => one !== key.content)) {
    const other = { ...key, content }
    if ((await findDecision(db, other)) ?? (await findKnown(db, other))) known.push(content)
  }
  return known
}

/** Records of a resource that a run could not read: any of them may be one that seems not to be there. */
export async function countQuarantined(db: Db, run: RunKey, resource: string): Promise<number> {
  const records = db
    .selectFrom('sync.unstaged')
    .$call(ofRun(run))
    .where('resource', '=', resource)
    .where('reason', '=', 'invalid_record')
  return countRows(records)
}
