import type { Db } from '../../sql/tables.ts'

/**
 * A move of all data from this database to another one (`old`), or from another database into this one
 * (`new`).
 */
export interface Move {
  readonly moveId: string
  readonly part: 'old' | 'new'
  /** Time at which the move ended; null if the move has not ended. */
  readonly movedAt: string | null
}

/** Returns the moves of a database, the newest first. */
export async function findMoves(db: Db): Promise<readonly Move[]> {
  const rows = await db
    .selectFrom('sync.moves')
    .orderBy('started_at', 'desc')
    .select(['move_id', 'part', 'moved_at'])
    .execute()
  return rows.map(({ move_id: moveId, part, moved_at }) => {
    return { moveId, part, movedAt: moved_at === null ? null : moved_at.toISOString() }
  })
}

/** Records that a move was started. The record replaces the record of an earlier move that did not end. */
export async function beginMove(transaction: Db, moveId: string, part: Move['part'], now: string) {
  await transaction.deleteFrom('sync.moves').where('part', '=', part).where('moved_at', 'is', null).execute()
  await transaction.insertInto('sync.moves').values({ move_id: moveId, part, started_at: now }).execute()
}

/**
 * Records that a move ended. After this, the old database refuses runs, and the new database accepts runs.
 *
 * @returns false if the end was already recorded
 */
export async function endMove(db: Db, moveId: string, now: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sync.moves')
    .set({ moved_at: now })
    .where('move_id', '=', moveId)
    .where('moved_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Number and checksum of the rows of a table. */
export interface TableSum {
  readonly rows: number
  readonly checksum: string
}

/**
 * Returns the tables that a move has copied, each with its number of rows and its checksum in the old
 * database.
 */
export async function findMovedTables(db: Db, moveId: string): Promise<ReadonlyMap<string, TableSum>> {
  const rows = await db
    .selectFrom('sync.moved_tables')
    .where('move_id', '=', moveId)
    .select(['table_name', 'row_count', 'checksum'])
    .execute()
  return new Map(
    rows.map(({ table_name, row_count, checksum }) => [table_name, { rows: Number(row_count), checksum }]),
  )
}

/** Records that a move has copied all rows of a table. */
export async function noteMovedTable(
  db: Db,
  moveId: string,
  table: string,
  { rows, checksum }: TableSum,
  now: string,
): Promise<void> {
  await db
    .insertInto('sync.moved_tables')
    .values({ move_id: moveId, table_name: table, row_count: rows, checksum, copied_at: now })
    .execute()
}

/** Deletes the record that a table was copied, before the move copies the table again. */
export async function forgetMovedTable(db: Db, moveId: string, table: string): Promise<void> {
  await db
    .deleteFrom('sync.moved_tables')
    .where('move_id', '=', moveId)
    .where('table_name', '=', table)
    .execute()
}

/** Finds a run whose plan is being sent, or whose audit pack is not written yet. */
export function findOpenRun(db: Db) {
  return db
    .selectFrom('sync.runs')
    .where('status', 'in', ['applying', 'applied'])
    .orderBy('run_id')
    .select(['integration_id', 'run_id'])
    .limit(1)
    .executeTakeFirst()
}
