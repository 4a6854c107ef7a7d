import { type RawBuilder, sql } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Content, CustomField, CustomFields, Db, RunKey } from '../../sql/tables.ts'
import type { FieldLookup } from '../decide/lineage.ts'
import { DECLARED_FIELDS } from '../decide/platform-fields.ts'
import { addressPaths, jsonPath, unsigned } from '../decide/signed-addresses.ts'
import { platformName } from '../declare/custom-fields.ts'
import { reasonOfRule, ruleOfReason, SUPPRESSED } from '../declare/exclude.ts'
import { currentAsOf } from '../history/as-of.ts'
import type { Plan } from '../plan/plan.ts'
import { contentNamedIn } from '../rules/platform.ts'
import { counted } from '../texts/counted.ts'
import type { StagedCustomField } from './blackout.ts'
import { checkRules, type GuardFinding } from './guard-finding.ts'

const LEAST_UPDATES = 20

/**
 * Minimum number of updates for a finding if the times of all sessions would change. The minimum is lower for
 * times, because a wrong time zone changes all times even in a small event.
 */
const LEAST_OF_ALL_TIMES = 5

/**
 * Fields with lists of links. A list of links, like a list of references, may gain entries without any fault.
 */
const LINKS: ReadonlySet<string> = new Set(['linkUrls'])

/** The run that was applied last, with the custom fields that it read. */
export interface Applied {
  readonly runId: string
  readonly custom: CustomFields
}

export interface UpdatingPlan extends RunKey {
  readonly changes: Plan['changes']
  /** Custom fields in the current configuration. */
  readonly custom: readonly StagedCustomField[]
  /** For each content, the joined records from which each of its fields is read. */
  readonly lookups: ReadonlyMap<Content, Readonly<Record<string, FieldLookup>>>
  /** Largest share (0 to 1) of a content's items on the platform in which one field may change. */
  readonly massUpdate: number
}

/**
 * Holds a plan for approval if one field would change in many items of a content. For example, with a wrong
 * time zone the times of every session would change.
 *
 * The following changes do not count:
 * - a field that had no value, because rooms and first choices of sessions are filled in all at once;
 * - a list of references or links that only gains entries;
 * - a list of references that changes only by items that the plan creates or removes;
 * - changes that follow from one edited record, such as a room with a new name.
 *
 * @param applied null if no plan was applied yet
 */
export async function findMassUpdate(
  db: Db,
  plan: UpdatingPlan,
  live: ReadonlyMap<Content, number>,
  applied: Applied | null,
): Promise<GuardFinding | null> {
  const { integrationId, runId, massUpdate: maxShare } = plan
  const found: MassChangedField[] = []
  for (const [content, items] of live) {
    const custom = await customFieldsBefore(db, { integrationId, runId }, content)
    const signed = new Set(
      addressPaths(content, customOf(plan.custom, content)).map((path) => path.join('.')),
    )
    const fields = [
      ...DECLARED_FIELDS[content].map(({ name, isTime, refersTo }) => ({
        name,
        isTime,
        changes: isChanged(name, refersTo, signed.has(name)),
      })),
      ...custom.map((name) => ({
        name: platformName(name),
        isTime: false,
        changes: differs(['custom', name], signed.has(platformName(name))),
      })),
    ]
    const counts = await countUpdates(
      db,
      plan,
      content,
      fields.map(({ changes }) => changes),
    )
    const remaining = items - (plan.changes[content]?.remove ?? 0)
    const isTooMany = (isTime: boolean, count: number) => {
      const isAllTimes = isTime && count === remaining
      return count >= (isAllTimes ? LEAST_OF_ALL_TIMES : LEAST_UPDATES) && count / items > maxShare
    }
    for (const [index, { name, isTime, changes }] of fields.entries()) {
      if (!isTooMany(isTime, counts[index] ?? 0)) continue
      const lookup = plan.lookups.get(content)?.[name]
      const follows = await followsOneEdit(db, lookup, integrationId, applied?.runId ?? null)
      const [count = 0] = await countUpdates(db, plan, content, [sql`${changes} and not ${follows}`])
      if (!isTooMany(isTime, count)) continue
      found.push({
        seen: `${name} of ${content} would change in ${count} of ${counted(items, 'live item')}`,
        redefined: describeRedefined(plan.custom, applied, content, name),
        reasons: await findReasonsBehind(db, plan, content, name),
      })
    }
  }
  if (found.length === 0) return null
  return {
    guard: 'massUpdate',
    detail: `${found.map(({ seen }) => seen).join(', ')}; guards.massUpdate is ${maxShare}`,
    todo: todoOf(found, integrationId),
    onlyRemovals: false,
  }
}

/** A field that would change in too many items. */
interface MassChangedField {
  readonly seen: string
  /**
   * How the field's definition in the configuration changed. `redefined` is null for a platform field and for
   * a definition that did not change.
   */
  readonly redefined: string | null
  /** Why items to which the field referred are left out: names of `exclude` rules, or `suppressed`. */
  readonly reasons: readonly string[]
}

function todoOf(found: readonly MassChangedField[], integrationId: string): string {
  const redefined = found.flatMap((field) => field.redefined ?? [])
  const reasons = [...new Set(found.flatMap((field) => field.reasons))]
  const rules = reasons.flatMap((reason) => ruleOfReason(reason) ?? [])
  const isOfSource = found.some((field) => field.redefined === null && field.reasons.length === 0)
  return [
    ...(redefined.length === 0 ? [] : [`Check ${redefined.join('; ')}.`]),
    ...(rules.length === 0 ? [] : [checkRules(rules)]),
    ...(reasons.includes(SUPPRESSED)
      ? [`Check what was left out by hand; \`event-sync suppress ${integrationId}\` lists it.`]
      : []),
    ...(isOfSource
      ? [
          'Check source.timeZone, and compare a few items with the source: a wrong time zone, or a field that the source fills in another way, looks like that.',
        ]
      : []),
  ].join(' ')
}

function describeRedefined(
  custom: readonly StagedCustomField[],
  applied: Applied | null,
  content: Content,
  name: string,
): string | null {
  const isOne = (field: CustomField) => platformName(field.name) === name
  const then = Object.values(applied?.custom[content] ?? {}).find(isOne)
  const now = custom.find((one) => one.content === content && isOne(one.field))?.field
  if (then === undefined) return null
  const was = `fields.${content}.${then.name}, which was ${then.from} as ${then.as}`
  if (now === undefined) return `${was} and is no longer there`
  return then.from === now.from && then.as === now.as ? null : `${was} and is ${now.from} as ${now.as} now`
}

/**
 * Finds the reasons why items to which a field no longer refers are left out, although the plan does not
 * remove these items. Each reason is the name of an `exclude` rule, or `suppressed`.
 */
async function findReasonsBehind(db: Db, plan: RunKey, content: Content, field: string) {
  const target = contentNamedIn(content, field)
  if (target === null) return []
  const { rows } = await sql<{ reason: string }>`select distinct decision.reason
    from sync.changes as change
    cross join lateral jsonb_path_query(change.before, ${sql.lit(`$.${field}[*]`)}) as named (id)
    join sync.decisions as decision
      on decision.integration_id = change.integration_id
      and decision.content = ${target}
      and decision.unique_id = named.id #>> '{}'
      and decision.valid_to_run is null
      and (decision.reason = ${SUPPRESSED} or starts_with(decision.reason, ${reasonOfRule('')}))
    where change.integration_id = ${plan.integrationId}
      and change.run_id = ${plan.runId}
      and change.content = ${content}
      and change.action in ('update', 'handover')
      and not coalesce(change.after -> ${field} @> named.id, false)
      and not ${isCreatedOrRemoved(target, sql`named.id`)}`.execute(db)
  return rows.map(({ reason }) => reason).sort()
}

/** Counts, for each of the conditions, the updated items of a content that meet it. */
async function countUpdates(
  db: Db,
  plan: RunKey,
  content: Content,
  conditions: readonly RawBuilder<boolean>[],
): Promise<readonly number[]> {
  const changed = conditions.map((condition) => sql`(count(*) filter (where ${condition}))::text`)
  const { counts } = await db
    .selectFrom('sync.changes as change')
    .$call(ofRun(plan))
    .where('content', '=', content)
    .where('action', 'in', ['update', 'handover'])
    .select(sql<readonly string[]>`array[${sql.join(changed)}]`.as('counts'))
    .executeTakeFirstOrThrow()
  return counts.map(Number)
}

/**
 * Makes the SQL condition that a change follows from an edit of one lookup record. The condition can be true
 * only if no other lookup record was edited.
 */
async function followsOneEdit(
  db: Db,
  lookup: FieldLookup | undefined,
  integrationId: string,
  appliedRunId: string | null,
): Promise<RawBuilder<boolean>> {
  if (lookup === undefined || appliedRunId === null) return sql`false`
  const edited = await findOneEdited(db, lookup.table, integrationId, appliedRunId)
  return edited === null ? sql`false` : isJoinedWith(lookup, edited)
}

/**
 * Finds the one joined record that differs from its version in the last applied run. Returns null if no
 * record or several records differ.
 */
async function findOneEdited(
  db: Db,
  table: string,
  integrationId: string,
  appliedRunId: string,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`select current.source_id as id
    from ${sql.table(table)} as current
    join ${sql.table(table)} as former
      on former.integration_id = current.integration_id
      and former.source_id = current.source_id
      and ${currentAsOf('former', appliedRunId)}
      and former.doc is distinct from current.doc
    where current.integration_id = ${integrationId}
      and current.valid_to_run is null
      and current.valid_from_run > ${appliedRunId}::uuid
    limit 2`.execute(db)
  return rows.length === 1 ? (rows[0]?.id ?? null) : null
}

/** Makes the SQL condition that the item of a change is joined with the edited lookup record. */
function isJoinedWith({ records, unique, by }: FieldLookup, edited: string): RawBuilder<boolean> {
  return sql`exists (
    select from ${sql.table(records)} as record
    where record.integration_id = change.integration_id
      and record.valid_to_run is null
      and ${sql.ref(`record.${unique}`)} = change.unique_id
      and ${sql.ref(`record.${by}`)} = ${edited}
  )`
}

function customOf(custom: readonly StagedCustomField[], content: Content): CustomFields {
  const own = custom.filter((one) => one.content === content)
  return { [content]: Object.fromEntries(own.map(({ field }) => [field.name, field])) }
}

/**
 * Finds the custom fields that updated items of a content had before. Fields that are no longer configured
 * are included.
 */
async function customFieldsBefore(db: Db, { integrationId, runId }: RunKey, content: Content) {
  const { rows } = await sql<{ name: string }>`select distinct own.name collate "C" as name
    from sync.changes as change
    cross join lateral jsonb_object_keys(change.before -> 'custom') as own (name)
    where change.integration_id = ${integrationId}
      and change.run_id = ${runId}
      and change.content = ${content}
      and change.action in ('update', 'handover')
    order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * Makes the SQL condition that a field had a value before and has a different value now.
 *
 * @param isSigned true for addresses that a source may sign. Signed addresses that differ only in their
 *   signatures are treated as equal
 */
function differs(path: readonly string[], isSigned = false): RawBuilder<boolean> {
  const keys = jsonPath(path)
  const valueIn = (side: 'before' | 'after') => {
    const value = sql`${sql.ref(`change.${side}`)} #> ${keys}`
    return isSigned ? unsigned(value) : sql`(${value})`
  }
  return sql`${valueIn('before')} is not null and ${valueIn('before')} is distinct from ${valueIn('after')}`
}

/**
 * Makes the SQL condition that a field has changed. Harmless changes, such as a list that only gains entries,
 * are not counted.
 *
 * @param target content to which the field refers; null if it has no references
 * @param isSigned see `differs`
 */
function isChanged(field: string, target: Content | null, isSigned: boolean): RawBuilder<boolean> {
  if (target === null && !LINKS.has(field)) return differs([field], isSigned)
  const [before, after] = [lasting('before', field, target), lasting('after', field, target)]
  // `offset 0` makes PostgreSQL evaluate each list only once.
  return sql`${differs([field])} and (
    select list.before <> list.after and not (
      list.after @> list.before and jsonb_array_length(list.after) > jsonb_array_length(list.before)
    )
    from (select ${before} as before, ${after} as after offset 0) as list
  )`
}

/**
 * Makes SQL for the elements of a list, without references to items that the plan creates or removes. A field
 * with a single reference is treated as a list with one element.
 */
function lasting(side: 'before' | 'after', field: string, target: Content | null) {
  return sql`(
    select coalesce(jsonb_agg(${target === null ? unsigned(sql`element.value`) : sql`element.value`} order by element.place), '[]')
    from jsonb_path_query(${sql.ref(`change.${side}`)}, ${sql.lit(`$.${field}[*]`)}) with ordinality as element (value, place)
    where ${target === null ? sql`true` : sql`not ${isCreatedOrRemoved(target, sql`element.value`)}`}
  )`
}

/** Makes the SQL condition that the plan creates or removes the item with the given id. */
function isCreatedOrRemoved(target: Content, id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`exists (
    select from sync.changes as followed
    where followed.integration_id = change.integration_id
      and followed.run_id = change.run_id
      and followed.content = ${sql.lit(target)}
      and followed.unique_id = ${id} #>> '{}'
      and followed.action in ('create', 'remove')
  )`
}
