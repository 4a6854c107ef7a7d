import { type RawBuilder, sql } from 'kysely'
import { notExists } from '../../sql/conditions.ts'
import { insertFrom, namesOf, type Selection } from '../../sql/insert-from.ts'
import { analyzeAfter } from '../../sql/statistics.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../declare/resource.ts'

/** A table with history. In a table with history, at most one version of each key is current. */
export interface History extends RunKey {
  readonly table: keyof StagingTables | 'sync.decisions' | 'sync.desired_items'
  readonly key: readonly string[]
}

/** Closes the current versions. The caller may add conditions, in which the table has the alias `version`. */
export function closeVersions(db: Db, { table, integrationId, runId }: Omit<History, 'key'>) {
  return db
    .updateTable(`${asAny(table as keyof StagingTables)} as version`)
    .set({ valid_to_run: runId })
    .where(({ and }) => and({ 'version.integration_id': integrationId, 'version.valid_to_run': null }))
}

/**
 * Inserts the rows as new versions, except rows whose key already has a current version.
 *
 * @param order columns by which the rows are sorted before they are written. The order of the table's largest
 *   index is cheapest, because each row then goes next to the previous row
 */
export async function insertVersions(
  db: Db,
  { table, key, integrationId, runId }: History,
  rows: Selection<object>,
  order: readonly string[] = [],
): Promise<bigint> {
  const versioned = asAny(table as keyof StagingTables)
  const made = db
    .selectFrom(rows.as('made'))
    .where(({ selectFrom }) =>
      notExists(
        selectFrom(`${versioned} as version`)
          .select('version.integration_id')
          .where(({ and }) => and({ 'version.integration_id': integrationId, 'version.valid_to_run': null }))
          .where(isSame(key)),
      ),
    )
    .select((eb) => [
      eb.val(integrationId).as('integration_id'),
      ...namesOf(rows).map((column) => sql.ref(`made.${column}`).as(column as 'source_id')),
      eb.cast<string>(eb.val(runId), 'uuid').as('valid_from_run'),
    ])
  const ordered = order.reduce((query, column) => query.orderBy(sql.ref(`made.${column}`)), made)
  const { numInsertedOrUpdatedRows = 0n } = await insertFrom(db, versioned, ordered).executeTakeFirstOrThrow()
  await analyzeAfter(db, table, numInsertedOrUpdatedRows)
  return numInsertedOrUpdatedRows
}

/**
 * For some contents, closes the current versions that are missing in the new rows or differ from them. Also
 * inserts new versions for the rows that are new or different.
 *
 * @param history `other`: columns outside the key. A different value in one of these columns makes a new
 *   version
 */
export async function mergeVersions(
  db: Db,
  history: History & { readonly contents: readonly Content[]; readonly other: readonly string[] },
  rows: Selection<object>,
): Promise<void> {
  const { key, contents, other } = history
  await closeVersions(db, history)
    .where(sql.ref('version.content'), 'in', [...contents])
    .where(({ selectFrom }) =>
      notExists(selectFrom(rows.as('made')).select(sql.lit(1).as('same')).where(isSame(key, other))),
    )
    .execute()
  await insertVersions(db, history, rows, key)
}

/** @param other columns that may be null; two nulls are treated as equal */
function isSame(key: readonly string[], other: readonly string[] = []): RawBuilder<boolean> {
  const pair = (column: string) => [sql.ref(`made.${column}`), sql.ref(`version.${column}`)] as const
  const equal = key.map(pair).map(([made, version]) => sql`${made} = ${version}`)
  const alike = other.map(pair).map(([made, version]) => sql`${made} is not distinct from ${version}`)
  return sql`(${sql.join([...equal, ...alike], sql` and `)})`
}
