import { type AliasedExpression, type RawBuilder, sql } from 'kysely'
import type { Content, CustomFields, Db } from '../../sql/tables.ts'
import type { Condition } from './exclude-conditions.ts'
import type { StagingTables } from './resource.ts'

/** Describes what a transform is made for: one integration, the contents it syncs, and the options that decide. */
export interface Scope<Options> {
  readonly integrationId: string
  readonly contents: readonly Content[]
  readonly options: Options
  readonly custom?: CustomFields
  readonly exclude?: readonly ExcludeRule[]
}

/** Describes what was decided on one record: `reason` is null where it is synced. */
export interface Decision {
  readonly source_id: string
  readonly unique_id: string | null
  readonly reason: string | null
}

/** A decision with the warnings of the record's reading and, if it is synced, its platform fields. */
export interface DecisionWithFields extends Decision {
  readonly detail: string
  readonly fields: unknown
}

export interface MappedTable {
  readonly table: keyof StagingTables
  readonly fieldOf: Readonly<Record<string, string>>
  /** Columns that hold lists, in which an empty list is not a value. */
  readonly lists: readonly string[]
}

/** The warnings of a staged record (`warning:column`) as warnings of platform fields, but for columns that this content does not use. */
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
 * @param warnings lists of warnings; null elements fall away
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
 * The ids of a list that are synced for a content, in the order of the list; where this integration does not
 * sync the content, all of them.
 *
 * @param reason reason of the record with the list: if it is not synced itself, its references are not checked
 * @param isLong true if a list has many ids: these are asked of all that are synced, gathered once, before one is looked up
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
        from verdicts
        where content = ${sql.lit(content)}
          and reason is null
          and unique_id is not null
      ) ?& ${ids} then ${ids}`
    : sql``
  return sql`case when ${reason} is not null then '{}' ${areAll} else array(
    select named.id
    from unnest(${ids}) with ordinality as named (id, place)
    where exists (
      select from verdicts
      where verdicts.content = ${sql.lit(content)}
        and verdicts.unique_id = named.id
        and verdicts.reason is null
    )
    order by named.place
  ) end`
}

/**
 * Columns that are evaluated once for each record, to be joined laterally. Without `offset 0` the planner would put the
 * expressions wherever the columns are named.
 */
export function evaluatedOnce<Columns extends readonly AliasedExpression<unknown, string>[]>(
  db: Db,
  columns: Columns,
) {
  return db.selectNoFrom(columns).offset(sql.lit(0))
}

/** A list of one warning that counts the references of a synced item that were dropped, else the empty list. */
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
 * Builds the platform fields of an item; those without a value, and empty lists, are left out.
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

/** An instant as the platform receives it: `YYYY-MM-DDTHH:MM:SSZ`. */
export function timeField(instant: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
}

export interface ExcludeRule {
  readonly name: string
  readonly contents: readonly Content[]
  /** True if it excludes what does not match in all fields, rather than what does. */
  readonly isUnless: boolean
  readonly fields: Readonly<Record<string, Condition>>
}
