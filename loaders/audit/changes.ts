import type { Kysely } from 'kysely'
import type { Action, Content, RunKey, Tables } from '../../sql/tables.ts'
import { readPages } from '../pages.ts'
import { type CsvCell, fieldCell } from './csv.ts'
import { MASKED, type Mask } from './mask.ts'

const PAGE = 500

/** Columns of `changes.csv`. Source: design 9 (contract). */
export const CHANGE_COLUMNS = ['content', 'unique_id', 'action', 'field', 'before', 'after']

/** An item that a run changes, with its changed fields in byte order. */
export interface ChangedItem {
  readonly content: Content
  readonly uniqueId: string
  readonly action: Action
  /** What people call the item; empty where nobody may know, or it has no name. */
  readonly label: string
  readonly fields: readonly ChangedField[]
}

interface ChangedField {
  readonly name: string
  /** Null where there was no value. */
  readonly before: string | null
  readonly after: string | null
}

/** Each field that the run changes in a content: of created items every field, of removed ones too. */
export async function* changeRows(
  db: Kysely<Tables>,
  run: RunKey,
  content: Content,
  mask: Mask,
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  for await (const page of changedItems(db, run, content, mask))
    yield page.flatMap(({ uniqueId, action, fields }) =>
      fields.map(({ name, before, after }) => [content, uniqueId, action, name, before, after]),
    )
}

/** The items that a run changes in a content, by their unique IDs. */
export async function* changedItems(
  db: Kysely<Tables>,
  { integrationId, runId }: RunKey,
  content: Content,
  mask: Mask,
): AsyncGenerator<readonly ChangedItem[]> {
  const read = (after: string) =>
    db
      .selectFrom('sync.changes')
      .where('integration_id', '=', integrationId)
      .where('run_id', '=', runId)
      .where('content', '=', content)
      .where('state', '<>', 'withheld')
      .where('unique_id', '>', after)
      .orderBy('unique_id')
      .limit(PAGE)
      .select(['unique_id', 'action', 'before', 'after'])
      .execute()
  for await (const page of readPages('', PAGE, read, ({ unique_id }) => unique_id))
    yield page.map(({ unique_id, action, before, after }) => ({
      content,
      uniqueId: mask.id(unique_id),
      action,
      label: labelOf(content, after ?? before ?? {}, mask),
      fields: changedFields(before ?? {}, after ?? {}).map((name) => ({
        name,
        before: fieldCell(mask.field(content, name, before?.[name])),
        after: fieldCell(mask.field(content, name, after?.[name])),
      })),
    }))
}

function labelOf(content: Content, fields: Fields, mask: Mask): string {
  const names = content === 'agenda' ? ['name'] : ['firstName', 'lastName']
  return names
    .map((name) => fieldCell(mask.field(content, name, fields[name])) ?? '')
    .filter((text) => text !== '' && text !== MASKED)
    .join(' ')
}

type Fields = Readonly<Record<string, string | readonly string[]>>

/** Names of the fields in which two items differ, in byte order. */
export function changedFields(before: Fields, after: Fields): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isSame(before[name], after[name])).sort()
}

function isSame(one: Fields[string] | undefined, other: typeof one): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
}
