import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** Number of written rows from which the planner needs new statistics. */
const MANY_ROWS = 500n

/**
 * Updates the planner's statistics of a table into which many rows were just written. The server itself would
 * do so minutes later, and the next statements of the run would be planned for an empty table.
 */
export async function analyzeAfter(db: Db, table: string, writtenRows: bigint): Promise<void> {
  if (writtenRows < MANY_ROWS) return
  await sql`select sync.refresh_statistics(${table}::regclass)`.execute(db)
}

/**
 * Does the same for a table that is written in parts, each time its number of rows has doubled. So a million
 * rows take about a dozen updates, and the statistics never miss more than half of the rows.
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
