import { type AliasedExpression, type RawBuilder, sql } from 'kysely'
import type { Content, CustomFields, Db } from '../../sql/tables.ts'
import type { Condition } from './exclude-conditions.ts'
import type { StagingTables } from './resource.ts'

/** The integration for which SQL is made, with its contents and the options that change decisions. */
export interface Scope<Options> {
  readonly integrationId: string
  readonly contents: readonly Content[]
  readonly options: Options
  readonly custom?: CustomFields
  readonly exclude?: readonly ExcludeRule[]
}

/** The decision on one record; `reason` is null if the record is synced. */
export interface Decision {
  readonly source_id: string
  readonly unique_id: string | null
  readonly reason: string | null
}

/** A decision with the warnings of the record and, if it is synced, its platform fields. */
export interface DecisionWithFields extends Decision {
  readonly detail: string
  readonly fields: unknown
}

export interface MappedTable {
  readonly table: keyof StagingTables
  readonly fieldOf: Readonly<Record<string, string>>
  /** Columns that contain lists. An empty list does not count as a value. */
  readonly lists: readonly string[]
}

/**
 * Renames the warnings of a staged record (`warning:column`) to warnings of platform fields. Warnings of
 * columns that the content does not use are dropped.
 */
export function warningsAsFields(
  warnings: RawBuilder<unknown>,
  fieldOf: MappedTable['fieldOf'],
): RawBuilder<readonly string[]> {
  const fields = sql.val(JSON.stringify(fieldOf))
  return sql`case when ${warnings} = '{}' then '{}'::text[] else array(
    select split_part(mark, ':', 1) || ':' || (${fields}::jsonb ->> split_part(mark, ':', 2))
    from unnest(${warnings}) as mark
    where ${fields}::jsonb ? split_part(mark, ':', 2)
  ) end`
}

/**
 * Writes the detail of a decision: warnings in byte order, each once, joined with `; `.
 *
 * @param warnings lists of warnings; null elements are ignored
 */
export function detailOf(...warnings: readonly RawBuilder<unknown>[]): RawBuilder<string> {
  const all = sql.join(warnings, sql` || `)
  return sql`case when (${all}) = '{}' then '' else (
    select coalesce(string_agg(mark, '; ' order by mark), '')
    from (select distinct mark collate "C" as mark from unnest(${all}) as mark where mark is not null) as marks
  ) end`
}

export function warningIf(condition: RawBuilder<unknown>, warning: string): RawBuilder<readonly string[]> {
  return sql`case when ${condition} then array[${sql.lit(warning)}] else '{}'::text[] end`
}

/**
 * Makes SQL for those ids of a list that are synced in a content, in the order of the list. If the
 * integration does not sync the content, these are all ids.
 *
 * @param reason reason for which the record with the list is left out. If it is not null, the references are
 *   not checked
 * @param isLong true if lists may have many ids. Then one comparison with the set of all synced ids comes
 *   first; ids are looked up one by one only if one of them is not synced
 */
export function syncedOf(
  ids: RawBuilder<unknown>,
  content: Content,
  scope: Scope<unknown>,
  reason: RawBuilder<unknown>,
  isLong: boolean,
): RawBuilder<readonly string[]> {
  if (!scope.contents.includes(content)) return sql`${ids}`
  const areAll = isLong
    ? sql`when (
        select jsonb_object_agg(unique_id, true)
        from content_decisions
        where content = ${sql.lit(content)}
          and reason is null
          and unique_id is not null
      ) ?& ${ids} then ${ids}`
    : sql``
  return sql`case when ${reason} is not null then '{}' ${areAll} else array(
    select named.id
    from unnest(${ids}) with ordinality as named (id, place)
    where exists (
      select from content_decisions
      where content_decisions.content = ${sql.lit(content)}
        and content_decisions.unique_id = named.id
        and content_decisions.reason is null
    )
    order by named.place
  ) end`
}

/**
 * Makes a query for a lateral join that evaluates columns once for each record. Without `offset 0`,
 * PostgreSQL would copy the expressions to each place that uses a column, and evaluate them each time.
 */
export function evaluatedOnce<Columns extends readonly AliasedExpression<unknown, string>[]>(
  db: Db,
  columns: Columns,
) {
  return db.selectNoFrom(columns).offset(sql.lit(0))
}

/**
 * Makes SQL for a list with a warning about the number of dropped references of a synced item. The list is
 * empty if no reference was dropped.
 */
export function droppedWarning(
  field: string,
  all: RawBuilder<unknown>,
  kept: RawBuilder<unknown>,
  reason: RawBuilder<unknown>,
): RawBuilder<readonly string[]> {
  return sql`case when ${reason} is null and cardinality(${all}) > cardinality(${kept})
    then array[${sql.lit(`not_synced:${field}=`)} || (cardinality(${all}) - cardinality(${kept}))]
    else '{}'::text[] end`
}

/**
 * Builds the platform fields of an item. Fields without a value are left out.
 *
 * @param fields expressions by field; a list must be `text[]`
 */
export function fieldsOf(fields: Readonly<Record<string, RawBuilder<unknown>>>): RawBuilder<unknown> {
  const pairs = Object.entries(fields).map(([name, value]) => sql`${sql.lit(name)}, ${value}`)
  return sql`jsonb_strip_nulls(jsonb_build_object(${sql.join(pairs)}))`
}

export function listField(list: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when cardinality(${list}) > 0 then to_jsonb(${list}) end`
}

/** Makes SQL for an instant as the platform receives it: `YYYY-MM-DDTHH:MM:SSZ`. */
export function timeField(instant: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
}

export interface ExcludeRule {
  readonly name: string
  readonly contents: readonly Content[]
  /** True if the rule excludes items that do not match in all fields; false if it excludes matching items. */
  readonly isUnless: boolean
  readonly fields: Readonly<Record<string, Condition>>
}
