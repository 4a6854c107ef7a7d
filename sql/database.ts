import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** A value of a row that is copied into the database. A list becomes `text[]`, the text `\\x` with hex digits `bytea`. */
export type Cell = string | number | boolean | null | readonly string[]

export interface RowSink {
  /**
   * Takes a row, which is sure to be in the table only after `commit`.
   *
   * @returns a promise to wait for before the next row; undefined for most rows, which are only gathered
   */
  write(row: readonly Cell[]): Promise<void> | undefined
  /** Makes everything written so far durable; the sink can be written to afterwards. */
  commit(): Promise<void>
  /**
   * Gives up what was not committed (but for whole batches, which PGlite commits as they fill) and frees the
   * connection. Safe to call after a failure, and twice.
   */
  close(): Promise<void>
}

/** One integration at a time: held by this process until released, until the process dies or its connection does. */
export interface IntegrationLock {
  /**
   * Runs work in one transaction, which is committed only while the lock is held: a person who takes the lock next sees
   * what was committed, and nothing of it comes later.
   *
   * @throws LockLostError
   */
  transaction: Database['transaction']
  release(): Promise<void>
}

/** The connection that held a lock is gone: another process may work for the integration by now. */
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

/** The embedded engine cannot go on. Its files are as after the death of its process; who opens them next recovers them. */
export class EngineStoppedError extends Error {
  override readonly name = 'EngineStoppedError'
}

/** The two engines behind one interface: PGlite, embedded, and PostgreSQL 15 or newer. */
export interface Database {
  readonly engine: 'pglite' | 'postgres'
  /** Folder of an embedded database; null where it is in memory, or on a server. */
  readonly directory: string | null
  readonly kysely: Db
  /**
   * Runs work in one transaction. On PGlite, which has a single connection, other work waits meanwhile: work
   * that uses `kysely` instead of its transaction waits for itself, and never ends.
   */
  transaction<Result>(work: (transaction: Db) => Promise<Result>): Promise<Result>
  script(text: string): Promise<void>
  copyInto(table: string, columns: readonly string[]): RowSink
  /** Locks an integration; null where another process holds it. Waits for what a holder before is committing. */
  lock(integrationId: string): Promise<IntegrationLock | null>
  /**
   * Runs one statement that can change nothing, and hands over its rows page by page.
   *
   * @param timeoutMs longest wait for a page. PostgreSQL's error follows it; the embedded engine can be stopped only with the
   *   process, which ends then
   * @throws the engine's error for a statement that writes, or for several statements
   */
  readOnly(query: string, timeoutMs?: number): AsyncIterable<QueryPage>
  /**
   * Runs what a package that brings its own SQL hands over: one statement with values, or a script without. A failure
   * leaves nothing open.
   */
  executeSql(text: string, values?: readonly unknown[]): Promise<{ readonly rows: unknown[] }>
  /**
   * Sees to it that nothing of erased rows is left in the database's files, as far as it can; PGlite is closed then.
   *
   * @returns the work that was done, and the work that is left to others
   */
  scrub(tables: readonly string[], options: ScrubOptions): Promise<Scrubbed>
  close(): Promise<void>
}

/** Points at which the death of a process would leave something of erased rows. */
export type ScrubPoint = 'table scrubbed' | 'rebuilt whole' | 'old directory gone' | 'rebuilt in place'

export interface ScrubOptions {
  /** On PostgreSQL: whether tables are rebuilt, which locks them meanwhile. */
  readonly isThorough: boolean
  readonly at?: (point: ScrubPoint) => void
  /** Notes in the database, when nothing is left, that it is done. */
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

/** Two sessions make one thing at once, such as a schema: "if not exists" may look at what a session remembers. */
export const UNIQUE_VIOLATION = '23505'

/** Makes all queries of a transaction see one state, and lets none of them write; it must be its first statement. */
export async function inOneSnapshot(transaction: Db): Promise<void> {
  await sql`set transaction isolation level repeatable read, read only`.execute(transaction)
}
