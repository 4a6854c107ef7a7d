import { type RawBuilder, sql } from 'kysely'
import type { Content } from '../../sql/tables.ts'
import { NAMES } from '../declare/field-values.ts'
import type { AnyTransform } from '../declare/source.ts'
import { lineageOf, tableOf } from './lineage.ts'

/**
 * Returns SQL that joins the name columns of the table alias `record` into one text. Returns null if the
 * record's own table has no name columns.
 */
export function nameIn(transform: AnyTransform, content: Content): RawBuilder<string | null> {
  const table = tableOf(transform, content)
  const names = new Set(NAMES[content])
  const columns = lineageOf(transform, content)
    .filter(({ field }) => names.has(field))
    .flatMap(({ from }) => from.filter(({ column }) => column.startsWith(`${table}.`)).slice(0, 1))
    .map(({ column }) => sql`nullif(${sql.ref(column.replace(table, 'record'))}::text, '')`)
  return columns.length === 0
    ? sql<string | null>`null::text`
    : sql<string | null>`nullif(concat_ws(' ', ${sql.join(columns)}), '')`
}

/**
 * Returns the name of the column that is null if the source gave a person no id. If that column is null, the
 * id of the record is the person's e-mail address. The function returns null if every record of the content
 * has its own id.
 */
export function ownIdColumn(transform: AnyTransform, content: Content): string | null {
  const { people } = transform
  return people.table === tableOf(transform, content) ? people.ownId : null
}

/**
 * Returns SQL for the e-mail address in the record with table alias `record`; the SQL is null if the record
 * is not about a person.
 */
export function addressIn(transform: AnyTransform, content: Content): RawBuilder<string | null> {
  const { table, address } = transform.people
  return table === tableOf(transform, content) && address !== null
    ? sql<string | null>`${sql.ref(`record.${address}`)}`
    : sql<string | null>`null::text`
}

/** Returns the SQL condition that the source gave no id to the record with table alias `record`. */
export function lacksOwnId(transform: AnyTransform, content: Content): RawBuilder<boolean> {
  const column = ownIdColumn(transform, content)
  return column === null ? sql<boolean>`false` : sql<boolean>`${sql.ref(`record.${column}`)} is null`
}
