import { type RawBuilder, sql } from 'kysely'

/** The versions that were current when a run had been staged. @param alias of a table with history */
export function currentAsOf(alias: string, runId: string): RawBuilder<boolean> {
  const [from, to] = [sql.ref(`${alias}.valid_from_run`), sql.ref(`${alias}.valid_to_run`)]
  return sql`(${from} <= ${runId}::uuid and (${to} is null or ${to} > ${runId}::uuid))`
}
