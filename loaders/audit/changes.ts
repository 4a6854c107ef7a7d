import type { Kysely } from 'kysely'
import type { Content, Tables } from '../../sql/tables.ts'
import { type CsvCell, fieldCell } from './csv.ts'
import type { AuditedRun } from './items.ts'

const PAGE = 500

/** Columns of `changes.csv`. Source: design 9 (contract). */
export const CHANGE_COLUMNS = ['content', 'unique_id', 'action', 'field', 'before', 'after']

/** Each field that the run changes in a content: of created items every field, of removed ones too. */
export async function* changeRows(
  db: Kysely<Tables>,
  { integrationId, runId }: AuditedRun,
  content: Content,
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  for (let last = ''; ; ) {
    const page = await db
      .selectFrom('sync.changes')
      .where('integration_id', '=', integrationId)
      .where('run_id', '=', runId)
      .where('content', '=', content)
      .where('state', '<>', 'withheld')
      .where('unique_id', '>', last)
      .orderBy('unique_id')
      .limit(PAGE)
      .select(['unique_id', 'action', 'before', 'after'])
      .execute()
    yield page.flatMap(({ unique_id, action, before, after }) =>
      changedFields(before ?? {}, after ?? {}).map((field) => [
        content,
        unique_id,
        action,
        field,
        fieldCell(before?.[field]),
        fieldCell(after?.[field]),
      ]),
    )
    if (page.length < PAGE) return
    last = page.at(-1)?.unique_id ?? last
  }
}

type Fields = Readonly<Record<string, string | readonly string[]>>

/** Names of the fields in which two items differ, in byte order. */
export function changedFields(before: Fields, after: Fields): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort()
}
