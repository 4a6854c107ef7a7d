import { type Kysely, type RawBuilder, sql } from 'kysely'
import { asAny } from '../../sql/staging-tables.ts'
import type { Content, StagingTables, Tables } from '../../sql/tables.ts'
import { currentAsOf } from '../as-of.ts'
import type { MappedTable } from '../content.ts'
import { resourceOfTable } from '../lineage.ts'
import { REQUIRED_FIELDS } from '../platform-fields.ts'
import { counted, type Trip } from './trip.ts'

/** A table whose columns become fields of a content. */
export interface MappedContent extends MappedTable {
  readonly content: Content
}

/** What is known of a column and of the fields it becomes, over all contents. */
interface Column {
  readonly name: string
  readonly isList: boolean
  readonly isRequired: boolean
}

/** Filled values of a column among the records that both runs have seen. */
interface Fill {
  readonly records: number
  readonly former: number
  readonly current: number
  /** Records that had a value and have none now. */
  readonly lost: number
}

const FORMER_SHARE = 0.5
const CURRENT_SHARE = 0.1
const LEAST_RECORDS = 20

/**
 * Trips where a mapped field that had values comes back empty for nearly all records: that is how a field looks that
 * was taken off "View", while the records themselves are still there.
 *
 * @param mapped tables of the contents that are synced
 * @param minCount records that must have lost the value of a required field
 * Source: design 11, "blackout".
 */
export async function blackoutTrip(
  db: Kysely<Tables>,
  integrationId: string,
  appliedRunId: string,
  mapped: readonly MappedContent[],
  minCount: number,
): Promise<Trip | null> {
  const seen: { readonly text: string; readonly lost: number }[] = []
  for (const table of new Set(mapped.map((one) => one.table))) {
    const columns = columnsOf(mapped.filter((one) => one.table === table))
    if (!(await hasNewVersion(db, table, integrationId, appliedRunId))) continue
    const fills = await countFilled(db, table, integrationId, appliedRunId, columns)
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
    detail: `${worstFirst.join(', ')}; so many records rarely lose the same field, but a field that this reader may no longer see looks like that: check at the source that it is still visible, with \`event-sync check\``,
    onlyRemovals: false,
  }
}

/** The thresholds, for one column. */
function isBlackout(fill: Fill, isRequired: boolean, minCount: number): boolean {
  const { records, former, current, lost } = fill
  if (records === 0 || current / records >= CURRENT_SHARE) return false
  if (isRequired && lost >= Math.max(minCount, 1)) return true
  return records >= LEAST_RECORDS && former / records > FORMER_SHARE
}

/** Ids are left out: a record without one is no record. */
function columnsOf(tables: readonly MappedContent[]): readonly Column[] {
  const names = new Set(tables.flatMap(({ fieldOf }) => Object.keys(fieldOf)))
  names.delete('source_id')
  return [...names].map((name) => ({
    name,
    isList: tables.some(({ lists }) => lists.includes(name)),
    isRequired: tables.some(({ content, fieldOf }) => REQUIRED_FIELDS[content].includes(fieldOf[name] ?? '')),
  }))
}

/** Without one since then nothing can have changed, and nothing needs to be counted. */
async function hasNewVersion(
  db: Kysely<Tables>,
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

/** Counts each column among the records that are current both as of the applied run and now. */
async function countFilled(
  db: Kysely<Tables>,
  table: keyof StagingTables,
  integrationId: string,
  appliedRunId: string,
  columns: readonly Column[],
): Promise<readonly Fill[]> {
  const filled = (alias: string, { name, isList }: Column) => {
    const value = sql.ref(`${alias}.${name}`)
    return isList ? sql<boolean>`cardinality(${value}) > 0` : sql<boolean>`${value} is not null`
  }
  const count = (condition: RawBuilder<boolean>) => sql`(count(*) filter (where ${condition}))::text`
  const counts = columns.map((column) => {
    const [former, current] = [filled('former', column), filled('current', column)]
    return sql`array[${count(former)}, ${count(current)}, ${count(sql`${former} and not ${current}`)}]`
  })
  const { records, fills } = await db
    .selectFrom(`${asAny(table)} as current`)
    .innerJoin(`${asAny(table)} as former`, (join) =>
      join
        .onRef('former.integration_id', '=', 'current.integration_id')
        .onRef('former.source_id', '=', 'current.source_id'),
    )
    .where('current.integration_id', '=', integrationId)
    .where('current.valid_to_run', 'is', null)
    .where(currentAsOf('former', appliedRunId))
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
