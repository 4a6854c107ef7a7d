import { type RawBuilder, sql } from 'kysely'
import type { StagingTables } from '../sql/tables.ts'

/**
 * The versions that were current when a run had been staged.
 *
 * @param alias of a table with history
 */
export function currentAsOf(alias: string, runId: string): RawBuilder<boolean> {
  const [from, to] = [sql.ref(`${alias}.valid_from_run`), sql.ref(`${alias}.valid_to_run`)]
  return sql`(${from} <= ${runId}::uuid and (${to} is null or ${to} > ${runId}::uuid))`
}

/** One staging table stands for all in the types: those who use it touch only what all of them have, or columns by name. */
export function asAny(table: keyof StagingTables): 'staging.a_users' {
  return table as 'staging.a_users'
}
