import { sql } from 'kysely'
import type { Db } from './tables.ts'

/**
 * A value of a row that is copied into the database. A list becomes `text[]`, a text of `\\x` and hex digits
 * `bytea`.
 */
export type Cell = string | number | boolean | null | readonly string[]

export interface RowSink {
  /**
   * Takes a row. Only after `commit` is it certain to be in the table.
   *
   * @returns a promise to wait for before the next row; undefined for most rows, which are only collected
   */
  write(row: readonly Cell[]): Promise<void> | undefined
  /** Makes all rows so far durable. More rows can be written afterwards. */
  commit(): Promise<void>
  /**
   * Drops uncommitted rows and frees the connection. PGlite commits full batches as they fill, so these stay.
   * It can be called after a failure, and twice.
   */
  close(): Promise<void>
}

/**
 * The lock of an integration. This process has it until it releases it, its connection is lost, or the
 * process ends.
 */
export interface IntegrationLock {
  /**
   * Runs work in one transaction, which commits only while the lock is held. So the next process with the
   * lock sees all commits of this one, and none comes later.
   *
   * @throws LockLostError
   */
  transaction: Database['transaction']
  release(): Promise<void>
}

/** The connection that held a lock was lost. Another process may be working on the integration by now. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError'

  constructor(integrationId: string, cause: unknown) {
    super(
      `${integrationId}: the lock was lost with its connection to the database; nothing was stored since`,
      {
        cause,
      },
    )
  }
}

/**
 * The embedded engine cannot continue. Its files are as after a crash; the next process that opens them
 * recovers them.
 */
export class EngineStoppedError extends Error {
  override readonly name = 'EngineStoppedError'
}

/** The two engines behind one interface: PGlite, embedded, and PostgreSQL 15 or newer. */
export interface Database {
  readonly engine: 'pglite' | 'postgres'
  /** Folder of an embedded database; null if it is in memory or on a server. */
  readonly directory: string | null
  readonly kysely: Db
  /**
   * Runs work in one transaction. PGlite has a single connection, on which other work waits meanwhile. Work
   * that uses `kysely` instead of its transaction would wait for itself forever.
   */
  transaction<Result>(work: (transaction: Db) => Promise<Result>): Promise<Result>
  script(text: string): Promise<void>
  copyInto(table: string, columns: readonly string[]): RowSink
  /**
   * Locks an integration; null if another process has the lock. It waits for commits of the previous holder.
   */
  lock(integrationId: string): Promise<IntegrationLock | null>
  /**
   * Runs one read-only statement and returns its rows page by page.
   *
   * @param timeoutMs longest wait for a page. After that, PostgreSQL reports an error; the embedded engine
   * can only be stopped together with the process, which ends
   * @throws the engine's error for a statement that writes, or for several statements
   */
  readOnly(query: string, timeoutMs?: number): AsyncIterable<QueryPage>
  /**
   * Runs SQL of a package that brings its own: one statement with values, or a script without values. A
   * failure leaves no transaction open.
   */
  executeSql(text: string, values?: readonly unknown[]): Promise<{ readonly rows: unknown[] }>
  /**
   * Removes erased rows from the database's files, as far as it can. It closes PGlite.
   *
   * @returns the work that was done, and the work that is left to the operator
   */
  scrub(tables: readonly string[], options: ScrubOptions): Promise<Scrubbed>
  close(): Promise<void>
}

/** Points at which a crash would leave traces of erased rows. */
export type ScrubPoint = 'table scrubbed' | 'rebuilt whole' | 'old directory gone' | 'rebuilt in place'

export interface ScrubOptions {
  /** On PostgreSQL: true if tables are rebuilt, which locks them meanwhile. */
  readonly isThorough: boolean
  readonly at?: (point: ScrubPoint) => void
  /** Records the completion in the database, once no erased rows are left. */
  readonly note?: (db: Db) => Promise<void>
}

export interface Scrubbed {
  readonly done: string
  readonly left: readonly string[]
}

/** A part of a query's result; the first page has the columns even if no rows exist. */
export interface QueryPage {
  readonly columns: readonly string[]
  /** Type of each column, as its object id in `pg_type`. */
  readonly types: readonly number[]
  /** Values as the engine prints them as text; null is null. */
  readonly rows: readonly (readonly (string | null)[])[]
}

/**
 * Error code if two sessions create the same object at once, such as a schema: "if not exists" may use an
 * outdated cache of the session.
 */
export const UNIQUE_VIOLATION = '23505'

/**
 * Makes all queries of a transaction see one state, and lets none of them write; it must be its first
 * statement.
 */
export async function inOneSnapshot(transaction: Db): Promise<void> {
  await sql`set transaction isolation level repeatable read, read only`.execute(transaction)
}
