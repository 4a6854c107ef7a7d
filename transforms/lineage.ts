import type { Content, StagingTables } from '../sql/tables.ts'
import type { MappedTable } from './content.ts'
import type { ReferenceField, SourceLineage, SourcePath, StagedColumn } from './source-lineage.ts'
import type { AnyTransform } from './source-transform.ts'

/** Where a platform field comes from, and the rule that shapes it. */
export interface FieldLineage {
  /** Platform field, or `uniqueId`. */
  readonly field: string
  /** Such as `spec 2.2.3`. */
  readonly clause: string
  /** Where its value stands at the source and in staging; several where it is made of several. */
  readonly from: readonly FieldOrigin[]
  /** One sentence. */
  readonly rule: string
}

/** One place that a field's value comes from: `users`, `$.FirstName`, `staging.a_users.first_name`. */
export interface FieldOrigin extends SourcePath {
  readonly resource: string
  /** Staged column, with its table. */
  readonly column: string
}

/** Every platform field that a source can fill in one content, the unique ID first. */
export function lineageOf({ lineage, contents }: AnyTransform, content: Content): readonly FieldLineage[] {
  const mapped = contents.find((one) => one.content === content)?.mapped ?? []
  return lineage.rules[content].map(({ also = [], ...rule }) => ({
    ...rule,
    from: [
      ...columnsOf(mapped, rule.field).flatMap((column) => originsOf(lineage, column)),
      ...also.flatMap(([table, column, path]) =>
        originsOf(lineage, [table, column]).filter((origin) => path === undefined || origin.path === path),
      ),
    ],
  }))
}

/** Where the value of a staged column stands at the source; nowhere for one that is made, such as a folded title. */
export function originsOfColumn({ lineage }: AnyTransform, column: StagedColumn): readonly FieldOrigin[] {
  return originsOf(lineage, column)
}

/** The table of the records that become a content. */
export function tableOf({ contents }: AnyTransform, content: Content): keyof StagingTables {
  const [first] = contents.find((one) => one.content === content)?.mapped ?? []
  if (first === undefined) throw new Error(`the source has no ${content}`)
  return first.table
}

/** The tables of the records that become items of any content. */
export function tablesOf(source: AnyTransform): ReadonlySet<keyof StagingTables> {
  return new Set(source.contents.map(({ content }) => tableOf(source, content)))
}

/** Records that are joined to those of a table. */
export function lookupsOf({ lineage }: AnyTransform, table: keyof StagingTables): SourceLineage['lookups'] {
  return lineage.lookups.filter(({ by }) => by[0] === table)
}

/** Fields of a content that name items. */
export function referencesOf({ lineage }: AnyTransform, content: Content): readonly ReferenceField[] {
  return lineage.references[content]
}

/** Whether a column can hold a value of a person. An id that is an e-mail address is one wherever it stands. */
export function isPersonalColumn({ people }: AnyTransform, [table, column]: StagedColumn): boolean {
  return table === people.table && !people.plain.includes(column)
}

function columnsOf(mapped: readonly MappedTable[], field: string): readonly StagedColumn[] {
  return mapped.flatMap(({ table, fieldOf }) =>
    Object.keys(fieldOf)
      .filter((column) => fieldOf[column] === field)
      .map((column): StagedColumn => [table, column]),
  )
}

function originsOf({ paths }: SourceLineage, [table, column]: StagedColumn): readonly FieldOrigin[] {
  return (paths[table]?.[column] ?? []).map((path) => ({
    resource: resourceOfTable(table),
    column: `${table}.${column}`,
    ...path,
  }))
}

/** `staging.a_time_slots` has the records of `time_slots`. */
export function resourceOfTable(table: keyof StagingTables): string {
  return table.replace(/^staging\.[a-z]_/, '')
}
