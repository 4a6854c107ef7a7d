import { type RawBuilder, sql } from 'kysely'
import type { Content, CustomField, Db, RunKey } from '../../sql/tables.ts'
import { resourceOfTable } from '../decide/lineage.ts'
import type { ContentRead } from '../declare/columns-read.ts'
import { CUSTOM_COLUMN, platformName } from '../declare/custom-fields.ts'
import type { ColumnOf } from '../declare/resource.ts'
import { asAny, type StagingTables } from '../declare/resource.ts'
import { currentAsOf } from '../history/as-of.ts'
import { counted } from '../texts/counted.ts'
import type { GuardFinding } from './guard-finding.ts'
import { countShown, countShownByJoin, type PlanOverApplied, reasonsOfShown } from './shown-items.ts'

export interface StagedCustomField {
  readonly content: Content
  readonly field: CustomField
  readonly table: keyof StagingTables
}

interface WatchedColumn {
  readonly name: string
  /**
   * The first column that has the same keys, whose name messages use. `beside` is null if this column is the
   * first column with its keys.
   */
  readonly beside: string | null
  readonly isRequired: boolean
  /** Reasons for which records are left out and whose conditions read this column. */
  readonly excludes: readonly ExcludingReason[]
  isFilled(alias: string): RawBuilder<boolean>
}

interface ExcludingReason {
  readonly content: Content
  readonly reason: string
  readonly records: string
  /** Column with the unique ID, in the table of the content's records. */
  readonly unique: string
}

export interface BlackoutScope extends RunKey {
  readonly read: readonly ContentRead[]
  readonly custom: readonly StagedCustomField[]
  /** Tables of those resources of which this run read only changes. */
  readonly readByChanges: ReadonlySet<keyof StagingTables>
  readonly removals: { readonly minCount: number | null }
  /** Contents that would have no item left on the platform after the plan. */
  readonly emptied: ReadonlySet<Content>
}

interface LostField extends Pick<WatchedColumn, 'name' | 'beside'> {
  readonly text: string
  /** Number of records that had a value in this field and have none now. */
  readonly lost: number
}

/**
 * The records to which a lookup table is joined.
 *
 * `records` is the table whose records the lookup table is joined to; `by` is the column with the id of the
 * lookup record.
 */
interface Join {
  readonly records: string
  readonly by: string
}

interface ComparedRuns extends PlanOverApplied {
  readonly isOfChanges: boolean
  readonly minCount: number
  readonly emptied: ReadonlySet<Content>
  /** Returns true if the plan creates items of records that were left out for this reason before. */
  isShown(exclusion: ExcludingReason): boolean
}

const FORMER_SHARE = 0.5
const CURRENT_SHARE = 0.1
const LEAST_RECORDS = 20
/** Minimum number of records that must have lost a required field, if the configuration sets no number. */
const LEAST_REQUIRED = 5
/**
 * Minimum number of records that must have lost a deciding field. A deciding field decides if a record is
 * synced. If the values of a deciding field are lost, items are removed, or hidden records become visible.
 */
const LEAST_DECISIVE = 5

/**
 * Holds a plan for approval if a field is now empty in nearly all records and had values before. The guard
 * checks only fields that influence decisions or items. A field becomes empty in all records if someone takes
 * the field off "View" at the source. A field of a joined record, such as the name of a type, is also counted
 * once for each record to which it is joined.
 *
 * If a run read only changes, the guard examines only the changed records, because other records still have
 * their former values.
 *
 * @param scope `custom`: custom fields that both runs read in the same way. `removals.minCount`: minimum
 * number of records that must have lost a required field
 */
export async function findBlackout(
  db: Db,
  appliedRunId: string,
  scope: BlackoutScope,
): Promise<GuardFinding | null> {
  const { integrationId, runId, read, custom, readByChanges, removals, emptied } = scope
  const plan = { integrationId, runId, appliedRunId }
  const shown = await reasonsOfShown(db, plan)
  const isShown = ({ content, reason }: ExcludingReason) =>
    shown.some((one) => one.content === content && one.reason === reason)
  const seen: LostField[] = []
  for (const table of new Set(read.flatMap(tablesOf))) {
    const declared = watchedColumns(read, table)
    const decisive = declared.filter(({ excludes }) => excludes.length > 0)
    const joins = decisive.length === 0 ? [] : joinsOf(read, table)
    for (const join of joins) seen.push(...(await findShown(db, plan, table, decisive, join, isShown)))
    if (!(await hasNewVersion(db, table, integrationId, appliedRunId))) continue
    const isOfChanges = readByChanges.has(table)
    const minCount = removals.minCount ?? LEAST_REQUIRED
    const run = { ...plan, isOfChanges, minCount, emptied, isShown }
    const own = custom.filter((one) => one.table === table).map(customColumn)
    seen.push(...(await findLost(db, run, table, [...declared, ...own], null)))
    for (const join of joins) seen.push(...(await findLost(db, run, table, decisive, join)))
  }
  if (seen.length === 0) return null
  const worstFirst = seen.toSorted((one, other) => other.lost - one.lost)
  const names = worstFirst.map(({ name }) => name)
  const reported = worstFirst.filter(
    ({ name, beside }, place) =>
      names.indexOf(name) === place && !(beside !== null && names.includes(beside)),
  )
  return {
    guard: 'blackout',
    detail: reported.map(({ text }) => text).join(', '),
    todo: 'Check at the source that this reader may still see it (`event-sync check`): a field that was hidden looks like that.',
    onlyRemovals: false,
  }
}

function tablesOf({ columns }: ContentRead): readonly (keyof StagingTables)[] {
  return columns.map(({ column }) => column.table as keyof StagingTables)
}

/** Returns the joins with the records of a table, as the other table and its column. */
function joinsOf(read: readonly ContentRead[], table: string): readonly Join[] {
  const all = read.flatMap(({ records, lookups }) =>
    lookups.flatMap((lookup) => (lookup.table === table ? [{ records, by: lookup.by }] : [])),
  )
  return [...new Map(all.map((join) => [`${join.records}.${join.by}`, join])).values()]
}

function watchedColumns(read: readonly ContentRead[], table: string): readonly WatchedColumn[] {
  const all = read.flatMap((content) =>
    content.columns.flatMap((one) => (one.column.table === table ? { ...one, content } : [])),
  )
  const columns = new Map(all.map(({ column }) => [column.name, column]))
  return [...columns.values()].map((column) => {
    const uses = all.filter((one) => one.column.name === column.name)
    const nameOf = ({ name }: ColumnOf) => `${resourceOfTable(table)}.${name}`
    const besides = uses.map(({ beside }) => beside)
    const [beside = null] = besides.includes(null) ? [] : besides
    return {
      name: nameOf(column),
      beside: beside && nameOf(beside),
      isRequired: uses.some(({ isRequired }) => isRequired),
      excludes: uses.flatMap(({ content: { content, records, unique }, reasons }) =>
        reasons.map((reason) => ({ content, reason, records, unique })),
      ),
      isFilled: (alias) => isFilled(column, sql.ref(`${alias}.${column.name}`)),
    }
  })
}

/**
 * Makes the SQL condition that a column has a value. The default of a column that is never null is treated as
 * no value.
 */
function isFilled({ type, isNullable, oneOf }: ColumnOf, value: RawBuilder<unknown>): RawBuilder<boolean> {
  if (type === 'ids' || type === 'texts') return sql`cardinality(${value}) > 0`
  if (isNullable || type === 'instant') return sql`${value} is not null`
  return type === 'flag' ? sql`${value}` : sql`${value} <> ${sql.lit(oneOf?.[0] ?? '')}`
}

function customColumn({ content, table, field: { name } }: StagedCustomField): WatchedColumn {
  return {
    name: `${resourceOfTable(table)}.${platformName(name)} of ${content}`,
    beside: null,
    isRequired: false,
    excludes: [],
    isFilled: (alias) =>
      sql`${sql.ref(`${alias}.${CUSTOM_COLUMN}`)} #> array[${sql.lit(content)}, ${sql.lit(name)}] is not null`,
  }
}

/**
 * Finds the columns whose values were lost.
 *
 * @param join if null, each record of the table is counted once. With a join, each record is counted once for
 *   each record to which it is joined
 */
async function findLost(
  db: Db,
  run: ComparedRuns,
  table: keyof StagingTables,
  columns: readonly WatchedColumn[],
  join: Join | null,
): Promise<readonly LostField[]> {
  const fills = await countFilled(db, run, table, columns, join)
  const found: LostField[] = []
  for (const [index, column] of columns.entries()) {
    const fill = fills[index]
    if (fill === undefined) continue
    const beside = fills[columns.findIndex(({ name }) => name === column.beside)]
    // A registrant type is not lost if the source now gives it as a number without the type's name.
    const isReplaced = beside !== undefined && beside.current / beside.records >= CURRENT_SHARE
    const isLost =
      (!isReplaced && isBlackout(fill, column, run)) || (await hasRemoved(db, run, table, column, fill, join))
    const shown = isLost || join !== null ? 0 : await countShownBy(db, run, table, column, fill)
    if (shown >= LEAST_DECISIVE) found.push(shownField(column, shown, table))
    if (!isLost) continue
    const { records, former, current, lost } = fill
    const of = join === null ? '' : ` of ${resourceOfTable(join.records)}`
    const text = `${column.name}${column.isRequired ? ' (required)' : ''} had a value in ${former} of ${counted(records, 'record')}${of}, now in ${current}`
    found.push({ name: column.name, beside: column.beside, text, lost })
  }
  return found
}

function isBlackout(
  { records, former, current, lost }: Fill,
  { isRequired, excludes }: WatchedColumn,
  { isOfChanges, minCount }: ComparedRuns,
): boolean {
  if (records === 0 || current / records >= CURRENT_SHARE) return false
  if (isRequired && lost >= Math.max(minCount, 1)) return true
  if (current === 0 && lost >= LEAST_RECORDS) return true
  if (former / records <= FORMER_SHARE) return false
  // If a run read only changes, a few records that an organiser edited together may be most of the compared
  // records.
  const isDecisive = excludes.length > 0 && !isOfChanges
  return records >= LEAST_RECORDS || (isDecisive && lost >= LEAST_DECISIVE)
}

/**
 * Returns true if no record has the field any more and the plan removes items of records that lost it. At
 * least five items, or the last items of a content, must be removed.
 */
async function hasRemoved(
  db: Db,
  run: ComparedRuns,
  table: keyof StagingTables,
  { excludes, isFilled }: WatchedColumn,
  { current, lost }: Fill,
  join: Join | null,
): Promise<boolean> {
  if (run.isOfChanges || current > 0 || lost === 0) return false
  const count = (removing: readonly ExcludingReason[], kind: RawBuilder<boolean>) =>
    countRemoved(db, run, table, isFilled, removing, kind, join)
  const reading = excludes.filter(({ records }) => records === (join?.records ?? table))
  if (lost >= LEAST_DECISIVE && (await count(reading, sql`true`)) >= LEAST_DECISIVE) return true
  // The guard `removals` already holds a plan with inferred removals of the last items.
  const last = reading.filter(({ content }) => run.emptied.has(content))
  return (await count(last, sql`not change.inferred`)) > 0
}

async function countRemoved(
  db: Db,
  run: ComparedRuns,
  table: keyof StagingTables,
  isFilled: WatchedColumn['isFilled'],
  removing: readonly ExcludingReason[],
  kind: RawBuilder<boolean>,
  join: Join | null,
): Promise<number> {
  if (removing.length === 0) return 0
  const alias = join === null ? 'current' : 'record'
  const removed = removing.map(
    ({ content, reason, unique }) => sql`${sql.ref(`${alias}.${unique}`)} in (
        select change.unique_id
        from sync.changes as change
        where change.integration_id = ${run.integrationId}
          and change.run_id = ${run.runId}
          and change.content = ${content}
          and change.action = 'remove'
          and change.reason = ${reason}
          and ${kind}
      )`,
  )
  const { count } = await comparedRecords(db, run, table, join)
    .where(
      sql<boolean>`${isFilled('former')} and not ${isFilled('current')} and (${sql.join(removed, sql` or `)})`,
    )
    .select(sql<string>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Counts the records that a field kept out of the sync before, if no record has the field any more and the
 * plan now creates their items.
 */
async function countShownBy(
  db: Db,
  run: ComparedRuns,
  table: keyof StagingTables,
  { excludes, isFilled }: WatchedColumn,
  { current, lost }: Fill,
): Promise<number> {
  if (run.isOfChanges || current > 0 || lost < LEAST_DECISIVE) return 0
  const reasons = excludes.filter((one) => one.records === table && run.isShown(one))
  return reasons.length === 0 ? 0 : countShown(db, run, table, reasons, isFilled)
}

/**
 * Finds lost fields of joined records whose loss shows hidden records: the plan creates items of records that
 * were left out because of these fields.
 */
async function findShown(
  db: Db,
  plan: PlanOverApplied,
  table: keyof StagingTables,
  columns: readonly WatchedColumn[],
  join: Join,
  isShown: ComparedRuns['isShown'],
): Promise<readonly LostField[]> {
  const found: LostField[] = []
  for (const column of columns) {
    const reasons = column.excludes.filter((one) => one.records === join.records && isShown(one))
    if (reasons.length === 0) continue
    const shown = await countShownByJoin(db, plan, table, join, reasons, column.isFilled)
    if (shown >= LEAST_DECISIVE) found.push(shownField(column, shown, join.records))
  }
  return found
}

function shownField({ name, beside }: WatchedColumn, shown: number, records: string): LostField {
  const of = `${counted(shown, 'record')} of ${resourceOfTable(records)}`
  const text = `${name} is gone for ${of} that were left out because of it and would be created`
  return { name, beside, text, lost: shown }
}

/** For one column, how many of the records in both runs have or had a value. */
type Fill = Awaited<ReturnType<typeof countFilled>>[number]

/**
 * Returns true if a table has a record version that is newer than the last applied run. If the table has no
 * newer version, no value can be lost.
 */
async function hasNewVersion(
  db: Db,
  table: keyof StagingTables,
  integrationId: string,
  appliedRunId: string,
): Promise<boolean> {
  const version = await db
    .selectFrom(asAny(table))
    .where('integration_id', '=', integrationId)
    .where('valid_from_run', '>', appliedRunId)
    .select('source_id')
    .limit(1)
    .executeTakeFirst()
  return version !== undefined
}

async function countFilled(
  db: Db,
  run: ComparedRuns,
  table: keyof StagingTables,
  columns: readonly WatchedColumn[],
  join: Join | null,
) {
  const count = (condition: RawBuilder<boolean>) => sql`(count(*) filter (where ${condition}))::text`
  const counts = columns.map((column) => {
    const [former, current] = [column.isFilled('former'), column.isFilled('current')]
    return sql`array[${count(former)}, ${count(current)}, ${count(sql`${former} and not ${current}`)}]`
  })
  const { records, fills } = await comparedRecords(db, run, table, join)
    .select([
      sql<string>`count(*)`.as('records'),
      sql<readonly (readonly string[])[]>`array[${sql.join(counts)}]`.as('fills'),
    ])
    .executeTakeFirstOrThrow()
  return fills.map(([former, current, lost]) => ({
    records: Number(records),
    former: Number(former),
    current: Number(current),
    lost: Number(lost),
  }))
}

/** Selects the records that both runs have seen, each with its earlier version and its current version. */
function comparedRecords(
  db: Db,
  { integrationId, appliedRunId, isOfChanges }: ComparedRuns,
  table: keyof StagingTables,
  join: Join | null,
) {
  const both = db
    .selectFrom(`${asAny(table)} as current`)
    .innerJoin(`${asAny(table)} as former`, (on) =>
      on
        .onRef('former.integration_id', '=', 'current.integration_id')
        .onRef('former.source_id', '=', 'current.source_id'),
    )
    .where(({ and }) => and({ 'current.integration_id': integrationId, 'current.valid_to_run': null }))
    .where(currentAsOf('former', appliedRunId))
    .$if(isOfChanges, (query) => query.where('current.valid_from_run', '>', appliedRunId))
  if (join === null) return both
  return both.innerJoin(`${asAny(join.records as keyof StagingTables)} as record`, (on) =>
    on
      .onRef('record.integration_id', '=', 'current.integration_id')
      .on('record.valid_to_run', 'is', null)
      .on(sql<boolean>`${sql.ref(`record.${join.by}`)} = current.source_id`),
  )
}
