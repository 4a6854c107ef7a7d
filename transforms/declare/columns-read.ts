import { type RawBuilder, sql } from 'kysely'
import type { Content, Db } from '../../sql/tables.ts'
import { shownKeys } from './column.ts'
import type { DeclaredContent } from './content.ts'
import { type ColumnOf, type RecordContext, type Resource, requireColumn } from './resource.ts'

/** A column that is needed for the decisions or the fields of a content. */
export interface ColumnRead {
  readonly column: ColumnOf
  /** True if a required platform field is made from this column. */
  readonly isRequired: boolean
  /** Reasons for which a record is left out and whose conditions read this column. */
  readonly reasons: readonly string[]
  /**
   * The first column that has the same keys, for example `name` for `name_folded`. Messages use its name.
   * `beside` is null if this column is the first column with its keys.
   */
  readonly beside: ColumnOf | null
}

/** All columns that are needed for a content, and the columns that join its records with other records. */
export interface ContentRead {
  readonly content: Content
  readonly records: string
  /** Column with the unique ID, in the table of the content's records. */
  readonly unique: string
  /**
   * Joined tables. For each joined table, `by` is the column with the joined record's id, in the table of the
   * content's records.
   */
  readonly lookups: readonly { readonly table: string; readonly by: string }[]
  readonly columns: readonly ColumnRead[]
}

type Find<Options> = (
  make: (context: RecordContext<Options>) => RawBuilder<unknown> | null,
) => readonly ColumnOf[]

/**
 * Lists the columns that are needed for a content under the given options: the columns named in the
 * declaration of the content, and the columns in the SQL of its conditions. The list leaves out ids of
 * records, and columns without a key of their own, such as the status of a time.
 */
export function columnsRead<Options>(
  db: Db,
  content: DeclaredContent<Options>,
  { integrationId, options }: { readonly integrationId: string; readonly options: Options },
): ContentRead {
  const { records, unique, lookups, fields, uniqueId } = content
  const find: Find<Options> = (make) => columnsIn(db, make, { integrationId, options })
  const found = new Map<string, ColumnRead>()
  const add = (columns: readonly ColumnOf[], more: Partial<Omit<ColumnRead, 'column'>> = {}) => {
    for (const column of columns) {
      const key = `${column.table}.${column.name}`
      const before = found.get(key) ?? { column, isRequired: false, reasons: [], beside: more.beside ?? null }
      const reasons = new Set([...before.reasons, ...(more.reasons ?? [])])
      const isRequired = before.isRequired || (more.isRequired ?? false)
      found.set(key, { ...before, isRequired, reasons: [...reasons] })
    }
  }
  for (const { from, also, isMissing, references } of [uniqueId, ...Object.values(fields)]) {
    const { compose, namedBy } = references ?? {}
    add(
      from.map(({ column }) => column),
      { isRequired: isMissing !== undefined },
    )
    add([...also, ...(namedBy === undefined ? [] : [namedBy])].map(({ column }) => column))
    if (isMissing !== undefined) add(find(isMissing))
    if (compose !== undefined) add(find((context) => compose(context, 'record')))
  }
  const joins = Object.values(lookups)
  const resources = [records, ...joins.map(({ resource }) => resource)]
  add(joins.map(({ by }) => by))
  for (const exclusion of content.exclusions) {
    const read = find(exclusion.when)
    if (read.length === 0) continue
    const all = [...read, ...('columns' in exclusion ? exclusion.columns : [])]
    const joinedBy = joins.flatMap(({ resource, by }) =>
      all.some(({ table }) => table === resource.table) ? by : [],
    )
    for (const column of [...joinedBy, ...all]) {
      const beside = firstOfField(resources, column)
      if (beside !== null) add([beside], { reasons: [exclusion.reason] })
      add([column], { reasons: [exclusion.reason], beside })
    }
  }
  return {
    content: content.content,
    records: records.table,
    unique: unique.name,
    lookups: joins.map(({ resource, by }) => ({ table: resource.table, by: by.name })),
    columns: [...found.values()].filter(
      ({ column }) => column.name !== 'source_id' && shownKeys(column).length > 0,
    ),
  }
}

/**
 * Returns the columns that occur in the finished SQL. The function searches the SQL text, because the code of
 * a condition may ask for a column and not use it.
 */
function columnsIn<Options>(
  db: Db,
  make: Parameters<Find<Options>>[0],
  scope: { readonly integrationId: string; readonly options: Options },
): readonly ColumnOf[] {
  const asked = new Map<string, ColumnOf>()
  const made = make({
    ...scope,
    at<Type>(column: ColumnOf<string, Type>) {
      const { table, name } = requireColumn(column)
      const reference = sql.ref<Type>(`${table}.${name}`)
      asked.set(reference.compile(db).sql, column)
      return reference
    },
  })
  if (made === null) return []
  const { sql: text } = made.compile(db)
  return [...asked].flatMap(([reference, column]) => (text.includes(reference) ? column : []))
}

/**
 * Returns the first column of the table that has the same keys; null if the given column itself is the first.
 */
function firstOfField(resources: readonly Resource[], column: ColumnOf): ColumnOf | null {
  const keys = JSON.stringify(shownKeys(column))
  const { columns = {} } = resources.find(({ table }) => table === column.table) ?? {}
  const first = Object.values(columns).find((one) => JSON.stringify(shownKeys(one)) === keys)
  return first === undefined || first.name === column.name ? null : first
}
