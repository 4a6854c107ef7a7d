import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** Minimum number of written rows after which the query planner needs new statistics. */
const MANY_ROWS = 500n

/**
 * Updates the planner's statistics (`analyze`) of a table into which many rows were just written. PostgreSQL
 * would update the statistics only minutes later. Without new statistics, PostgreSQL would plan the run's
 * next statements as if the table were empty.
 */
export async function analyzeAfter(db: Db, table: string, writtenRows: bigint): Promise<void> {
  if (writtenRows < MANY_ROWS) return
  await sql`select sync.refresh_statistics(${table}::regclass)`.execute(db)
}

/**
 * Makes a function for a table that is written in parts. The function updates the planner's statistics each
 * time the table has doubled its number of rows. A million rows therefore take about a dozen updates, and the
 * statistics never miss more than half of the rows.
 */
export function analyzeAsWritten(table: string): (db: Db, writtenRows: bigint) => Promise<void> {
  let written = 0n
  let due = MANY_ROWS
  return async (db, writtenRows) => {
    written += writtenRows
    if (written < due) return
    due = 2n * written
    await analyzeAfter(db, table, written)
  }
}
