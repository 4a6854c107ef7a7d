import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** Rows that a statement writes before the planner needs new figures; below, the old ones still serve. */
const MANY_ROWS = 500n

/**
 * Gives the planner new figures of a table into which many rows were just written, which the server itself would do
 * minutes later: without it the next statements of the run are planned for an empty table.
 */
export async function analyzeAfter(db: Db, table: string, writtenRows: bigint): Promise<void> {
  if (writtenRows < MANY_ROWS) return
  await sql`select sync.refresh_statistics(${table}::regclass)`.execute(db)
}

/**
 * The same for a table that is written part by part: again whenever twice as much was written, so that a million rows cost
 * the planner a dozen looks, and its figures are never off by more than half of them.
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
