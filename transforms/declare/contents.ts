import { type AliasedExpression, type RawBuilder, sql } from 'kysely'
import type { Content, CustomFields, Db } from '../../sql/tables.ts'
import type { Condition } from './exclude-conditions.ts'
import type { StagingTables } from './resource.ts'

/** The integration for which SQL is made, with its contents and the options that influence decisions. */
export interface Scope<Options> {
  readonly integrationId: string
  readonly contents: readonly Content[]
  readonly options: Options
  readonly custom?: CustomFields
  readonly exclude?: readonly ExcludeRule[]
  /** Fields for which the platform has no place. Items are made without them. */
  readonly missing?: MissingFields
}

/** Names of platform fields by content; `custom` stands for all custom fields. */
export type MissingFields = Readonly<Partial<Record<Content, readonly string[]>>>

/**
 * The decision on one record. `reason` says why the record is left out; it is null if the record is synced.
 */
export interface Decision {
  readonly source_id: string
  readonly unique_id: string | null
  readonly reason: string | null
}

/** A decision together with the record's warnings and, if the record is synced, its platform fields. */
export interface DecisionWithFields extends Decision {
  readonly detail: string
  readonly fields: unknown
}

export interface MappedTable {
  readonly table: keyof StagingTables
  readonly fieldOf: Readonly<Record<string, string>>
  /** Columns that contain lists. An empty list is treated as no value. */
  readonly lists: readonly string[]
}

/**
 * Changes the warnings of a staged record from column names (`warning:column`) to names of platform fields.
 * Warnings of columns that the content does not use are dropped.
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
 * Makes SQL for the detail of a decision: the warnings in byte order, each once, joined with `; `.
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
 * Makes SQL for those ids of a list that belong to synced items of a content, in the order of the list. If
 * the integration does not sync the content, the SQL returns all ids.
 *
 * @param reason SQL for the reason why the record with the list is left out. If the reason is not null, the
 *   ids are not checked
 * @param isLong true if lists may have many ids. A long list is first compared as a whole with the set of all
 *   synced ids. Single ids are looked up only if the comparison finds an id that is not synced
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
 * Makes a query for a lateral join, in which PostgreSQL evaluates the given columns once for each record.
 * Without `offset 0`, PostgreSQL would copy each expression to every place where the column is used, and
 * evaluate it there again.
 */
export function evaluatedOnce<Columns extends readonly AliasedExpression<unknown, string>[]>(
  db: Db,
  columns: Columns,
) {
  return db.selectNoFrom(columns).offset(sql.lit(0))
}

/**
 * Makes SQL for a list with at most one warning. The warning has the number of references that were dropped
 * from a synced item. The list is empty if no reference of the item was dropped.
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
 * Makes SQL for the JSON object with the platform fields of an item. Fields without a value are left out.
 *
 * @param fields SQL expressions by field name; an expression for a list must have type `text[]`
 */
export function fieldsOf(fields: Readonly<Record<string, RawBuilder<unknown>>>): RawBuilder<unknown> {
  const pairs = Object.entries(fields).map(([name, value]) => sql`${sql.lit(name)}, ${value}`)
  return sql`jsonb_strip_nulls(jsonb_build_object(${sql.join(pairs)}))`
}

export function listField(list: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when cardinality(${list}) > 0 then to_jsonb(${list}) end`
}

/** Makes SQL that formats an instant for the platform, as `YYYY-MM-DDTHH:MM:SSZ`. */
export function timeField(instant: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
}

export interface ExcludeRule {
  readonly name: string
  readonly contents: readonly Content[]
  /**
   * If true, the rule excludes every item that does not match all fields of the rule. If false, the rule
   * excludes every item that matches all fields of the rule.
   */
  readonly isUnless: boolean
  readonly fields: Readonly<Record<string, Condition>>
}
