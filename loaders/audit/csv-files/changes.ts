import { ofRun } from '../../../sql/conditions.ts'
import type { Action, Content, Db, Fields, FieldValue, RunKey } from '../../../sql/tables.ts'
import { type FlatFields, flatFields, isSameValue } from '../../../transforms/declare/field-values.ts'
import { readPages } from '../../ledger/pages.ts'
import { fieldCell } from './csv.ts'
import { MASKED, type Mask } from './mask.ts'

const PAGE = 500

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
export async function* changeRows(db: Db, run: RunKey, content: Content, mask: Mask) {
  for await (const page of changedItems(db, run, content, mask))
    yield page.flatMap(({ uniqueId, action, fields }) =>
      fields.map(({ name, before, after }) => [content, uniqueId, action, name, before, after]),
    )
}

/** The items that a run changes in a content, by their unique IDs. */
export async function* changedItems(db: Db, run: RunKey, content: Content, mask: Mask) {
  const read = (after: string) =>
    db
      .selectFrom('sync.changes')
      .$call(ofRun(run))
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
      fields: changesBetween(flatFields(before ?? {}), flatFields(after ?? {}), (name, value) =>
        fieldCell(mask.field(content, name, value)),
      ),
    }))
}

function labelOf(content: Content, fields: Fields, mask: Mask): string {
  const flat = flatFields(fields)
  const names = content === 'agenda' ? ['name'] : ['firstName', 'lastName']
  return names
    .map((name) => fieldCell(mask.field(content, name, flat[name])) ?? '')
    .filter((text) => text !== '' && text !== MASKED)
    .join(' ')
}

function changesBetween(
  before: FlatFields,
  after: FlatFields,
  cellOf: (name: string, value: FieldValue | undefined) => string | null,
): readonly ChangedField[] {
  return changedFields(before, after).map((name) => ({
    name,
    before: cellOf(name, before[name]),
    after: cellOf(name, after[name]),
  }))
}

/** Names of the fields in which two items differ, in byte order. */
export function changedFields(before: FlatFields, after: FlatFields): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isSameValue(before[name], after[name])).sort()
}
