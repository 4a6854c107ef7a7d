import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Content, Db } from '../../sql/tables.ts'
import type { DeclaredContent } from './content.ts'
import type { ExcludeRule, Scope } from './contents.ts'
import { matches } from './exclude-conditions.ts'

export const SUPPRESSED = 'suppressed'

export function reasonOfRule(name: string): string {
  return `excluded_by_rule:${name}`
}

/** Returns the name of the `exclude` rule in a reason; null if the reason is not a rule. */
export function ruleOfReason(reason: string): string | null {
  const prefix = reasonOfRule('')
  return reason.startsWith(prefix) ? reason.slice(prefix.length) : null
}

/**
 * States how many items a rule leaves out, as a sentence without its subject. The sentence is followed by
 * advice if the rule leaves out no item.
 */
export interface RuleEffect {
  readonly rule: ExcludeRule
  readonly seen: string
  readonly todo: string | null
}

/**
 * Reports for each rule how many items the rule leaves out.
 *
 * @param contents contents that the integration syncs
 * @param excluded numbers of items that are not synced, by reason
 */
export function ruleEffects(
  rules: readonly ExcludeRule[],
  contents: readonly Content[],
  excluded: Readonly<Record<string, number>>,
): readonly RuleEffect[] {
  const countOf = ({ name }: ExcludeRule) => excluded[reasonOfRule(name)] ?? 0
  return rules.map((rule, index) => {
    const of = rule.contents.filter((content) => contents.includes(content))
    const items = countOf(rule) === 1 ? '1 item' : `${countOf(rule)} items`
    const seen = `leaves out ${items} of ${(of.length === 0 ? rule.contents : of).join(', ')}`
    if (countOf(rule) > 0) return { rule, seen, todo: null }
    if (of.length === 0) {
      return {
        rule,
        seen: `${seen}, which the integration does not sync`,
        todo: 'take it out, or see content',
      }
    }
    const hasLess = rules
      .slice(0, index)
      .some((earlier) => countOf(earlier) > 0 && earlier.contents.some((content) => of.includes(content)))
    const which = hasLess ? 'that the rules before it leave' : 'that would be synced'
    const why = rule.isUnless ? `all ${which} match` : `none ${which} matches`
    const todo = 'compare its fields and values with what the source gives'
    return { rule, seen: `${seen}: ${why}`, todo }
  })
}

/**
 * Makes the statements that leave out two kinds of items: suppressed items, and items that a rule excludes.
 * References to excluded items are dropped only after all rules were tested. Every rule therefore sees the
 * items as they would be without any rule, and the order of rules does not matter.
 */
export function exclusions<Options>(
  db: Db,
  contents: readonly DeclaredContent<Options>[],
  { integrationId, exclude = [] }: Scope<Options>,
): readonly CompiledQuery[] {
  const excluded = contents.map(({ content }) => {
    const cases = exclude
      .filter((rule) => rule.contents.includes(content))
      .map((rule) => sql`when ${isExcluded(rule)} then ${sql.lit(reasonOfRule(rule.name))}`)
    return sql`update outcomes as outcome
      set reason = tested.reason, fields = null, detail = (
        select coalesce(string_agg(mark, '; ' order by mark collate "C"), '')
        from unnest(string_to_array(nullif(outcome.detail, ''), '; ')) as mark
        where not starts_with(mark, 'not_synced:')
      )
      from (
        select outcome.source_id, case
          when exists (
            select from (${suppressedOf(integrationId)}) as item
            where item.content = ${sql.lit(content)} and item.unique_id = outcome.unique_id
          ) then ${sql.lit(SUPPRESSED)}
          ${sql.join(cases, sql` `)} end as reason
        from outcomes as outcome
        where outcome.content = ${sql.lit(content)} and outcome.reason is null
        offset 0
      ) as tested
      where outcome.content = ${sql.lit(content)}
        and outcome.source_id = tested.source_id
        and tested.reason is not null`.compile(db)
  })
  const synced = new Set(contents.map(({ content }) => content))
  const followed = contents.flatMap(({ content, fields }) =>
    Object.entries(fields).flatMap(([field, { references }]) =>
      references === undefined || !synced.has(references.content)
        ? []
        : [dropReferences(content, field, references.content, TO_EXCLUDED).compile(db)],
    ),
  )
  return [...excluded, ...followed]
}

/** Selects the suppressed items of the source event that an integration reads. */
export function suppressedOf(integrationId: string): RawBuilder<unknown> {
  return sql`select content, unique_id
    from sync.suppressed
    where (source, source_place, source_event_id) = (
      select source, source_place, source_event_id from sync.integrations where integration_id = ${integrationId}
    )`
}

function isExcluded({ isUnless, fields }: ExcludeRule): RawBuilder<boolean> {
  const all = sql.join(
    Object.entries(fields).map(([field, condition]) => matches(fieldOf(field), condition, field)),
    sql` and `,
  )
  return isUnless ? sql`not (${all})` : sql`(${all})`
}

function fieldOf(field: string): RawBuilder<unknown> {
  if (field === 'uniqueId') return sql`to_jsonb(outcome.unique_id)`
  const custom = /^custom\.(.*)$/.exec(field)?.[1]
  return custom === undefined
    ? sql`outcome.fields -> ${sql.lit(field)}`
    : sql`outcome.fields -> 'custom' -> ${sql.lit(custom)}`
}

/** Describes which references are dropped. */
interface Dropped {
  /** Condition on `target`, the outcomes that are joined to the references. */
  readonly compared: RawBuilder<unknown>
  /**
   * Condition on `named.id`, the id in the reference, and on `target`, the row of the named item. The row
   * `target` is null if there is no such item.
   */
  readonly isDropped: RawBuilder<unknown>
}

const TO_EXCLUDED: Dropped = {
  compared: sql`(target.reason = ${sql.lit(SUPPRESSED)} or starts_with(target.reason, 'excluded_by_rule:'))`,
  isDropped: sql`target.unique_id is not null`,
}

/**
 * Makes a statement that drops references. The statement adds the number of dropped references to the count
 * of earlier statements.
 */
export function dropReferences(
  content: Content,
  field: string,
  target: Content,
  { compared, isDropped }: Dropped,
): RawBuilder<unknown> {
  const warning = `not_synced:${field}=`
  return sql`update outcomes as outcome
    set
      fields = case
        when kept.ids is null then outcome.fields - ${sql.lit(field)}
        else jsonb_set(outcome.fields, array[${sql.lit(field)}], kept.ids)
      end,
      detail = (
        select string_agg(mark, '; ' order by mark collate "C")
        from (
          select mark
          from unnest(string_to_array(nullif(outcome.detail, ''), '; ')) as mark
          where not starts_with(mark, ${sql.lit(warning)})
          union all
          select ${sql.lit(warning)} || (
            kept.dropped + coalesce(substring(outcome.detail from ${sql.lit(`${warning}([0-9]+)`)})::bigint, 0)
          )
        ) as marks
      )
    from (
      select
        referring.source_id,
        jsonb_agg(named.id order by named.place) filter (where (${isDropped}) is not true) as ids,
        count(*) filter (where ${isDropped}) as dropped
      from outcomes as referring
      cross join lateral jsonb_path_query(referring.fields, ${sql.lit(`lax $.${field}[*]`)})
        with ordinality as named (id, place)
      left join outcomes as target
        on target.content = ${sql.lit(target)}
        and target.unique_id = named.id #>> '{}'
        and ${compared}
      where referring.content = ${sql.lit(content)}
        and referring.reason is null
      group by referring.source_id
      having count(*) filter (where ${isDropped}) > 0
    ) as kept
    where outcome.content = ${sql.lit(content)}
      and outcome.source_id = kept.source_id`
}
