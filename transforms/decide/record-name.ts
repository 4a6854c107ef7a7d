import { sql } from 'kysely'
import type { Content } from '../../sql/tables.ts'
import { NAMES } from '../declare/field-values.ts'
import type { AnyTransform } from '../declare/source.ts'
import { lineageOf, tableOf } from './lineage.ts'

/** Returns SQL that joins the name columns of a record; null if the record's own table does not have them. */
export function recordName(transform: AnyTransform, content: Content) {
  const table = tableOf(transform, content)
  const columns = lineageOf(transform, content)
    .filter(({ field }) => NAMES[content].includes(field))
    .flatMap(({ from }) => from.filter(({ column }) => column.startsWith(`${table}.`)).slice(0, 1))
    .map(({ column }) => sql`nullif(${sql.ref(column.replace(table, 'record'))}::text, '')`)
  return columns.length === 0
    ? sql<string | null>`null::text`
    : sql<string | null>`nullif(concat_ws(' ', ${sql.join(columns)}), '')`
}
