import type { Content } from '../../sql/tables.ts'
import { shownKeys } from '../declare/column.ts'
import type { DeclaredContent, Lookup } from '../declare/content.ts'
import type { ColumnOf, StagingTables } from '../declare/resource.ts'
import type { AnyTransform, ReferenceField, StagedColumn } from '../declare/source.ts'

/** The source records of a platform field's value, and the rule that makes the value. */
export interface FieldLineage {
  /** Platform field, or `uniqueId`. */
  readonly field: string
  /**
   * For example `spec 2.2.3`. For a source that does not belong to this package, the clause is any text in
   * the source's declaration.
   */
  readonly clause: string
  readonly from: readonly FieldOrigin[]
  readonly rule: string
}

/**
 * One place from which a field's value comes, as resource, path and column: `users`, `$.FirstName`,
 * `staging.a_users.first_name`.
 */
export interface FieldOrigin {
  readonly resource: string
  readonly column: string
  /** JSON path of the value; `$` is the record. The case of keys does not matter in records of Source A. */
  readonly path: string
  /** Option of event-sync.yaml that can replace the key in the path by another key. */
  readonly option?: string
}

/**
 * Returns the key that event-sync.yaml sets in place of the key of an origin.
 *
 * @param fields `source.fields` of the integration
 * @returns undefined if the configuration does not replace the key
 */
export function configuredKey(
  { option }: FieldOrigin,
  fields: Readonly<Record<string, string>>,
): string | undefined {
  return option === undefined ? undefined : fields[option.replace('source.fields.', '')]
}

/** Returns every platform field of a content that a source can fill; the unique ID is the first element. */
export function lineageOf(source: AnyTransform, content: Content): readonly FieldLineage[] {
  const { uniqueId, fields } = contentOf(source, content)
  return Object.entries({ uniqueId, ...fields }).map(([field, { clause, rule, from, also, references }]) => ({
    field,
    clause: /^\d/.test(clause) ? `spec ${clause}` : clause,
    rule,
    from: [...from, ...also, ...(references?.namedBy === undefined ? [] : [references.namedBy])].flatMap(
      ({ column, key }) => originsOf(column).filter(({ path }) => key === undefined || path === `$.${key}`),
    ),
  }))
}

/**
 * Returns the resources and JSON paths from which a staged column is read. The list is empty if the column is
 * computed, such as a title in lower case.
 */
export function originsOfColumn({ resources }: AnyTransform, [table, name]: StagedColumn) {
  return resources
    .filter((resource) => resource.table === table)
    .flatMap(({ id, columns }) => [id, ...Object.values(columns)].filter((column) => column.name === name))
    .flatMap(originsOf)
}

export function tableOf(source: AnyTransform, content: Content): keyof StagingTables {
  return contentOf(source, content).records.table as keyof StagingTables
}

export function tablesOf({ resources }: AnyTransform): readonly (keyof StagingTables)[] {
  return resources.map(({ table }) => table as keyof StagingTables)
}

export function lookupsOf({ contents }: AnyTransform, table: keyof StagingTables): readonly Lookup[] {
  return contents.flatMap(({ lookups }) => Object.values(lookups)).filter(({ by }) => by.table === table)
}

/**
 * The joined records from which a field is read, and the columns by which an item finds its joined record.
 */
export interface FieldLookup {
  /** Name of the table with the joined records. */
  readonly table: string
  /**
   * Three names: the table of the item's own records, its column with the unique ID, and its column with the
   * id of the joined record.
   */
  readonly records: string
  readonly unique: string
  readonly by: string
}

/** Returns the joined records from which each field is read, as a map by field name. */
export function fieldLookupsOf(
  source: AnyTransform,
  content: Content,
): Readonly<Record<string, FieldLookup>> {
  const { records, unique, lookups, fields } = contentOf(source, content)
  const found = Object.entries(fields).flatMap(([field, { from }]) =>
    Object.values(lookups)
      .filter(({ resource: { table } }) => from.some(({ column }) => column.table === table))
      .map(({ resource: { table }, by }) => {
        return [field, { table, records: records.table, unique: unique.name, by: by.name }] as const
      }),
  )
  return Object.fromEntries(found)
}

export function referencesOf(source: AnyTransform, content: Content): readonly ReferenceField[] {
  const { uniqueId, fields } = contentOf(source, content)
  return Object.entries(fields).flatMap(([field, { references }]) => {
    const column = references?.from ?? uniqueId.from[0]?.column
    if (references === undefined || column === undefined) return []
    const namedBy = references.namedBy && { namedBy: stagedColumn(references.namedBy.column) }
    return [{ field, content: references.content, column: stagedColumn(column), ...namedBy }]
  })
}

/**
 * Returns true if a staged column may contain personal values. Columns with ids are not personal in the sense
 * of this function. An id that is an e-mail address is treated as personal in another way, wherever it
 * occurs.
 */
export function isPersonalColumn({ people }: AnyTransform, [table, column]: StagedColumn): boolean {
  return table === people.table && !people.plain.includes(column)
}

/**
 * Returns the name of a table's resource, for example `time_slots` for `staging.a_time_slots`. The function
 * relies on the rule that the name of a source has no underscore.
 */
export function resourceOfTable(table: string): string {
  return table.replace(/^staging\.[a-z0-9]+_/, '')
}

function contentOf({ contents }: AnyTransform, content: Content): DeclaredContent<never> {
  const found = contents.find((one) => one.content === content)
  if (found === undefined) throw new Error(`the source has no ${content}`)
  return found
}

function originsOf(column: ColumnOf): readonly FieldOrigin[] {
  const common = { resource: resourceOfTable(column.table), column: `${column.table}.${column.name}` }
  return shownKeys(column).map((key) =>
    typeof key === 'string'
      ? { ...common, path: `$.${key}` }
      : { ...common, path: `$.${key.key}`, option: `source.fields.${key.option}` },
  )
}

function stagedColumn({ table, name }: ColumnOf): StagedColumn {
  return [table as keyof StagingTables, name]
}
