import { sql } from 'kysely'
import type { Db } from './tables.ts'

/**
 * A value in a row that is copied into the database. A list becomes `text[]`. A text of `\\x` and hex digits
 * becomes `bytea`.
 */
export type Cell = string | number | boolean | null | readonly string[]

export interface RowSink {
  /**
   * Takes a row. The row is certain to be in the table only after `commit`.
   *
   * @returns a promise that the caller must await before the next row. For most rows the result is undefined,
   *   because the row is only collected in memory
   */
  write(row: readonly Cell[]): Promise<void> | undefined
  /** Makes all rows that were written until now durable. After a commit, more rows can be written. */
  commit(): Promise<void>
  /**
   * Drops uncommitted rows and frees the database connection. Rows of full batches may stay in the table: PGlite
   * commits each full batch immediately, and PostgreSQL commits it if another COPY waits for a connection. `close` can be called after a failure, and can be called twice.
   */
  close(): Promise<void>
}

/**
 * The lock that lets only one process work on an integration. This process has the lock until the process
 * releases it, the process ends, or the database connection is lost.
 */
export interface IntegrationLock {
  /**
   * Runs work in one transaction, which commits only while this process has the lock. The next process with
   * the lock therefore sees all commits of this process, and no later commit can follow.
   *
   * @throws LockLostError
   */
  transaction: Database['transaction']
  release(): Promise<void>
}

/**
 * Thrown if the connection that held the lock of an integration was lost. After the loss, another process may
 * already be working on the integration.
 */
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
 * Thrown if the embedded engine (PGlite) cannot continue. The database files are in the same state as after a
 * crash; the next process that opens the files recovers them.
 */
export class EngineStoppedError extends Error {
  override readonly name = 'EngineStoppedError'
}

/** One interface for the two database engines: embedded PGlite, and PostgreSQL 15 or newer. */
export interface Database {
  readonly engine: 'pglite' | 'postgres'
  /** Folder of an embedded database; null if the database is in memory or on a server. */
  readonly directory: string | null
  /** Address of the database's server, without user and password; null for an embedded database. */
  readonly server: { readonly host: string; readonly port: number } | null
  /** Name of the database on its engine. */
  readonly name: string
  readonly kysely: Db
  /**
   * Runs work in one transaction. PGlite has a single connection. While a transaction uses the connection,
   * all other work waits for it. Inside a transaction, work must not use `kysely`: on PGlite it would wait
   * for itself forever, so the query fails.
   */
  transaction<Result>(work: (transaction: Db) => Promise<Result>): Promise<Result>
  script(text: string): Promise<void>
  copyInto(table: string, columns: readonly string[]): RowSink
  /**
   * Locks an integration; returns null if another process has the lock. Before it returns, the function waits
   * for unfinished commits of the previous owner of the lock.
   */
  lock(integrationId: string): Promise<IntegrationLock | null>
  /** Returns those of the given integrations whose locks a process has. It does not take the locks. */
  findLocked(integrationIds: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Runs one read-only statement and returns its rows page by page.
   *
   * @param timeoutMs maximum time for a page. If a page takes longer, PostgreSQL reports an error. The
   * embedded engine cannot be interrupted, so the whole process ends
   * @throws the engine's error if the text is a statement that writes, or several statements
   */
  readOnly(query: string, timeoutMs?: number): AsyncIterable<QueryPage>
  /**
   * Runs SQL of a package that has its own SQL. The text is either one statement with values, or a script
   * without values. After a failure, no transaction stays open.
   */
  executeSql(text: string, values?: readonly unknown[]): Promise<{ readonly rows: unknown[] }>
  /**
   * Removes all traces of erased rows from the database's files, as far as possible. On PGlite, the function
   * closes the database.
   *
   * @returns what was done, and what the operator must still do
   */
  scrub(tables: readonly string[], options: ScrubOptions): Promise<Scrubbed>
  /**
   * Gives the session of the embedded engine to a role. Until the database is closed, nothing in this process
   * can work with other rights than those of the role. Null for a server, to which clients connect themselves.
   */
  readonly serveAs: ((role: string) => Promise<EngineSession>) | null
  close(): Promise<void>
}

/**
 * The only session of the embedded engine, in the protocol of PostgreSQL. All clients of the session have the
 * rights of one role.
 */
export interface EngineSession {
  /**
   * Sends messages of the protocol. The whole process waits until the engine has answered.
   *
   * @throws EngineStoppedError
   */
  send(messages: Uint8Array, onAnswer: (bytes: Buffer) => void): Promise<void>
  /** Returns true from `begin` until the transaction has ended, also after an error in it. */
  isInTransaction(): boolean
}

/** Points in `scrub` at which a crash would leave traces of erased rows; tests stop there. */
export type ScrubPoint = 'table scrubbed' | 'rebuilt whole' | 'old directory gone' | 'rebuilt in place'

export interface ScrubOptions {
  /** On PostgreSQL: true if tables are rebuilt, which locks them during the rebuild. */
  readonly isThorough: boolean
  readonly at?: (point: ScrubPoint) => void
  /** Records the completion in the database, after all traces of erased rows are gone. */
  readonly note?: (db: Db) => Promise<void>
}

export interface Scrubbed {
  readonly done: string
  readonly left: readonly string[]
}

/** A page of a query's result. The first page has the columns even if the result has no rows. */
export interface QueryPage {
  readonly columns: readonly string[]
  /** Type of each column, as the object id (OID) in `pg_type`. */
  readonly types: readonly number[]
  /** Values as the texts that the engine prints; a null value stays null. */
  readonly rows: readonly (readonly (string | null)[])[]
}

/**
 * Error code of PostgreSQL that occurs, for example, if two sessions create the same schema at the same time.
 * "if not exists" does not prevent the error, because it may use an outdated cache of the session.
 */
export const UNIQUE_VIOLATION = '23505'

/**
 * Makes all queries of a transaction see the same state of the database, and forbids them to write. The call
 * must be the first statement of the transaction.
 */
export async function inOneSnapshot(transaction: Db): Promise<void> {
  await sql`set transaction isolation level repeatable read, read only`.execute(transaction)
}
