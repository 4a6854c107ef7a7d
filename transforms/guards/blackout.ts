import { type RawBuilder, sql } from 'kysely'
import type { Content, CustomField, Db } from '../../sql/tables.ts'
import type { MappedTable } from '../declare/contents.ts'
import { currentAsOf } from '../history/as-of.ts'
import { resourceOfTable } from '../registry/lineage.ts'
import { REQUIRED_FIELDS } from '../registry/platform-fields.ts'
import { CUSTOM_COLUMN, platformName } from '../resources/custom-fields.ts'
import { asAny, type StagingTables } from '../resources/staging-tables.ts'
import { counted, type GuardFinding } from './guard-finding.ts'

export interface MappedContent extends MappedTable {
  readonly content: Content
}

export interface StagedCustomField {
  readonly content: Content
  readonly field: CustomField
  readonly table: keyof StagingTables
}

interface WatchedColumn {
  readonly name: string
  readonly isRequired: boolean
  isFilled(alias: string): RawBuilder<boolean>
}

export interface BlackoutScope {
  readonly integrationId: string
  readonly mapped: readonly MappedContent[]
  readonly custom: readonly StagedCustomField[]
  /** Tables of resources of which only changes were read. */
  readonly readByChanges: ReadonlySet<keyof StagingTables>
  readonly removals: { readonly minCount: number | null }
}

const FORMER_SHARE = 0.5
const CURRENT_SHARE = 0.1
const LEAST_RECORDS = 20
/** Records that must have lost a required field, where the configuration does not say how many. */
const LEAST_REQUIRED = 5

/**
 * Holds a plan where a mapped field that had values comes back empty for nearly all records: that is how a field looks that
 * was taken off "View", while the records themselves are still there.
 *
 * Where only changes were read, the records that changed since are looked at alone: the others cannot show the loss.
 *
 * @param plan custom: fields that both runs read in the same way; removals.minCount: records that must have lost the value
 *   of a required field
 */
export async function findBlackout(
  db: Db,
  appliedRunId: string,
  { integrationId, mapped, custom, readByChanges, removals }: BlackoutScope,
): Promise<GuardFinding | null> {
  const minCount = removals.minCount ?? LEAST_REQUIRED
  const seen: { readonly text: string; readonly lost: number }[] = []
  for (const table of new Set(mapped.map((one) => one.table))) {
    const columns = [
      ...columnsOf(mapped.filter((one) => one.table === table)),
      ...custom.filter((one) => one.table === table).map(customColumn),
    ]
    if (!(await hasNewVersion(db, table, integrationId, appliedRunId))) continue
    const run = { integrationId, appliedRunId, isOfChanges: readByChanges.has(table) }
    const fills = await countFilled(db, table, run, columns)
    for (const [index, column] of columns.entries()) {
      const fill = fills[index]
      if (fill === undefined || !isBlackout(fill, column.isRequired, minCount)) continue
      const name = `${resourceOfTable(table)}.${column.name}`
      const text = `${name}${column.isRequired ? ' (required)' : ''} had a value in ${fill.former} of ${counted(fill.records, 'record')}, now in ${fill.current}`
      seen.push({ text, lost: fill.lost })
    }
  }
  if (seen.length === 0) return null
  const worstFirst = seen.toSorted((one, other) => other.lost - one.lost).map(({ text }) => text)
  return {
    guard: 'blackout',
    detail: worstFirst.join(', '),
    todo: 'Check at the source that this reader may still see it (`event-sync check`): a field that was hidden looks like that.',
    onlyRemovals: false,
  }
}

function isBlackout(fill: Fill, isRequired: boolean, minCount: number): boolean {
  const { records, former, current, lost } = fill
  if (records === 0 || current / records >= CURRENT_SHARE) return false
  if (isRequired && lost >= Math.max(minCount, 1)) return true
  if (current === 0 && lost >= LEAST_RECORDS) return true
  return records >= LEAST_RECORDS && former / records > FORMER_SHARE
}

/** Ids are left out: a record without one is no record. */
function columnsOf(tables: readonly MappedContent[]): readonly WatchedColumn[] {
  const names = new Set(tables.flatMap(({ fieldOf }) => Object.keys(fieldOf)))
  names.delete('source_id')
  return [...names].map((name) => {
    const isList = tables.some(({ lists }) => lists.includes(name))
    return {
      name,
      isRequired: tables.some(({ content, fieldOf }) =>
        REQUIRED_FIELDS[content].includes(fieldOf[name] ?? ''),
      ),
      isFilled(alias) {
        const value = sql.ref(`${alias}.${name}`)
        return isList ? sql`cardinality(${value}) > 0` : sql`${value} is not null`
      },
    }
  })
}

function customColumn({ content, field: { name } }: StagedCustomField): WatchedColumn {
  return {
    name: `${platformName(name)} of ${content}`,
    isRequired: false,
    isFilled: (alias) =>
      sql`${sql.ref(`${alias}.${CUSTOM_COLUMN}`)} #> array[${sql.lit(content)}, ${sql.lit(name)}] is not null`,
  }
}

/** Filled values of a column among the records that both runs have seen. */
type Fill = Awaited<ReturnType<typeof countFilled>>[number]

/** Without one since then nothing can have changed, and nothing needs to be counted. */
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
  table: keyof StagingTables,
  run: { readonly integrationId: string; readonly appliedRunId: string; readonly isOfChanges: boolean },
  columns: readonly WatchedColumn[],
) {
  const { integrationId, appliedRunId, isOfChanges } = run
  const count = (condition: RawBuilder<boolean>) => sql`(count(*) filter (where ${condition}))::text`
  const counts = columns.map((column) => {
    const [former, current] = [column.isFilled('former'), column.isFilled('current')]
    return sql`array[${count(former)}, ${count(current)}, ${count(sql`${former} and not ${current}`)}]`
  })
  const { records, fills } = await db
    .selectFrom(`${asAny(table)} as current`)
    .innerJoin(`${asAny(table)} as former`, (join) =>
      join
        .onRef('former.integration_id', '=', 'current.integration_id')
        .onRef('former.source_id', '=', 'current.source_id'),
    )
    .where(({ and }) => and({ 'current.integration_id': integrationId, 'current.valid_to_run': null }))
    .where(currentAsOf('former', appliedRunId))
    .$if(isOfChanges, (query) => query.where('current.valid_from_run', '>', appliedRunId))
    .select([
      sql<string>`count(*)`.as('records'),
      sql<readonly (readonly string[])[]>`array[${sql.join(counts)}]`.as('fills'),
    ])
    .executeTakeFirstOrThrow()
  return fills.map(([former, current, lost]) => ({
    records: Number(records),
    former: Number(former),
    current: Number(current),
    /** Records that had a value and have none now. */
    lost: Number(lost),
  }))
}
