import { ofRun } from '../../sql/conditions.ts'
import type { Action, ChangeState, Content, Db, RunKey } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../../transforms/decide/platform-fields.ts'
import { type FlatFields, flatFields } from '../../transforms/declare/field-values.ts'
import { changedFields, detailOf } from './csv-files/rows.ts'

/**
 * Number of changes that one page (one query) returns. The number is small because each change has the whole
 * item, with a description that may be very long.
 */
const PAGE = 100

export interface PlannedChange {
  readonly action: Action
  readonly content: Content
  readonly uniqueId: string
  /** Why the plan removes the item; empty for create and update. */
  readonly reason: string
  readonly before: FlatFields | null
  readonly after: FlatFields | null
}

export interface PlannedCount extends Pick<PlannedChange, 'content' | 'action' | 'reason'> {
  readonly count: number
}

export async function countPlanned(db: Db, run: RunKey): Promise<readonly PlannedCount[]> {
  const rows = await db
    .selectFrom('sync.changes')
    .$call(ofRun(run))
    .groupBy(['content', 'action', 'reason'])
    .orderBy('content')
    .orderBy('action')
    .orderBy('reason')
    .select(({ fn }) => ['content', 'action', 'reason', fn.countAll<string>().as('count')])
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/**
 * Reads the first changes of a content, page by page, in the order in which they are sent to the platform.
 *
 * @param limit maximum number of changes to read
 */
export async function* firstPlanned(
  db: Db,
  run: RunKey,
  content: Content,
  limit: number,
): AsyncGenerator<readonly PlannedChange[]> {
  let left = limit
  for (let last = 0; left > 0; ) {
    const size = Math.min(PAGE, left)
    const page = await db
      .selectFrom('sync.changes')
      .$call(ofRun(run))
      .where('content', '=', content)
      .where('seq', '>', last)
      .orderBy('seq')
      .limit(size)
      .select(['seq', 'action', 'content', 'unique_id as uniqueId', 'reason', 'before', 'after'])
      .execute()
    if (page.length > 0)
      yield page.map(({ seq: _, before, after, ...change }) => ({
        ...change,
        before: before === null ? null : flatFields(before),
        after: after === null ? null : flatFields(after),
      }))
    if (page.length < size) return
    last = Number(page.at(-1)?.seq ?? last)
    left -= page.length
  }
}

/**
 * Reads the first changes of a run that have a given state. Each change comes with its consequence in words.
 */
export async function findOutcomes(db: Db, run: RunKey, state: ChangeState, limit: number) {
  const rows = await db
    .selectFrom('sync.changes')
    .$call(ofRun(run))
    .where('state', '=', state)
    .orderBy('seq')
    .limit(limit)
    .select(['seq', 'action', 'content', 'unique_id as uniqueId', 'reason', 'before', 'after'])
    .select(['state', 'code', 'retryable'])
    .execute()
  return rows.map(({ seq, before, after, state, code, retryable, ...change }) => ({
    ...change,
    seq: Number(seq),
    before: before === null ? null : flatFields(before),
    after: after === null ? null : flatFields(after),
    code,
    detail: detailOf({ action: change.action, state, code, retryable }) ?? '',
  }))
}

/** Returns the names of the fields that a change modifies, in the order of the specification. */
export function plannedFields({ content, before, after }: PlannedChange): readonly string[] {
  const changed = new Set(changedFields(before ?? {}, after ?? {}))
  const known = new Set(PLATFORM_FIELDS[content])
  // The platform may still have a field that only an earlier product version sent.
  const others = [...changed].filter((field) => !known.has(field))
  return [...[...known].filter((field) => changed.has(field)), ...others]
}
