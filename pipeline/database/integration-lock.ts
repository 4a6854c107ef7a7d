import { type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { type Database, type IntegrationLock, LockLostError } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import { IS_READ_ONLY } from '../runtime/message-of.ts'
import { systemCodeOf } from '../runtime/not-writable.ts'
import { within } from './silence.ts'
import { identifier } from './sql-text.ts'

/**
 * Interval at which the session of a lock is pinged. The ping keeps a firewall from dropping the connection,
 * and reveals a lost connection.
 */
const PING_EVERY_MS = 10_000

/** Maximum wait for a commit of the session that held the lock before. */
const COMMIT_MS = 300_000

/** Maximum wait for the server's answer when a lock is released. */
const UNLOCK_MS = 5_000

/**
 * Key of the lock for a move. A move of the whole database takes the lock exclusively, and each lock of an
 * integration also takes it as shared.
 */
const moveKey = "hashtextextended('event-content-sync: move', 0)"

/**
 * Takes two session locks in PostgreSQL: the lock of an integration, and a shared lock against a move.
 * PostgreSQL releases both locks when the connection ends.
 */
const tryLock = `
select
  current_setting('transaction_read_only') = 'on' as read_only,
  pg_try_advisory_lock_shared(${moveKey}) as not_moving,
  pg_try_advisory_lock(hashtextextended('event-content-sync ' || $1, 0)) as locked`

/** Condition for the row of `pg_locks` of an advisory lock that a session of this database holds alone. */
const IS_HELD_ALONE = sql`
      locktype = 'advisory'
      and mode = 'ExclusiveLock'
      and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())`

/**
 * Returns true if a database session holds the lock of an integration. The function does not take the lock
 * itself.
 */
export async function isLocked(db: Db, integrationId: string): Promise<boolean> {
  return (await findLocked(db, [integrationId])).has(integrationId)
}

/**
 * Returns those of the given integrations whose locks a database session holds, with one query. The function
 * does not take the locks itself.
 */
export async function findLocked(db: Db, integrationIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select named.id
    from unnest(${[...integrationIds]}::text[]) as named (id)
    cross join lateral hashtextextended('event-content-sync ' || named.id, 0) as lock (key)
    inner join pg_locks
      on classid::bigint = (lock.key >> 32) & 4294967295
      and objid::bigint = lock.key & 4294967295
    where ${IS_HELD_ALONE}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Returns true if another session is moving the database. */
export function isMoving(db: Db): Promise<boolean> {
  return isMovedBy(db, sql`true`)
}

/**
 * Returns true if the session of this transaction is moving the database. The transaction may be one of another
 * database, or of the same database under another address.
 */
export async function isMovedByTransaction(db: Db, transaction: Db): Promise<boolean> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction)
  return isMovedBy(db, sql`pid = ${rows[0]?.pid}`)
}

async function isMovedBy(db: Db, session: RawBuilder<unknown>): Promise<boolean> {
  const key = sql.raw(moveKey)
  const { rows } = await sql<{ locked: boolean }>`select exists (
    select
    from pg_locks
    where ${IS_HELD_ALONE}
      and ${session}
      and classid::bigint = (${key} >> 32) & 4294967295
      and objid::bigint = ${key} & 4294967295
  ) as locked`.execute(db)
  return rows[0]?.locked === true
}

/**
 * Releases the lock immediately. The lock also ends with the session, but the server may notice the end of a
 * session late.
 */
const unlock = `
select
  pg_advisory_unlock(hashtextextended('event-content-sync ' || $1, 0)),
  pg_advisory_unlock_shared(${moveKey})`

/** Waits until earlier holders of the lock have finished their commits. */
const awaitCommits = `
select pg_advisory_xact_lock(hashtextextended('event-content-sync commits ' || $1, 0))`

/** Makes the next holder of the lock wait for the end of this transaction. */
export async function announceCommit(transaction: Db, integrationId: string): Promise<void> {
  const key = sql`hashtextextended('event-content-sync commits ' || ${integrationId}, 0)`
  await sql`select pg_advisory_xact_lock_shared(${key})`.execute(transaction)
}

/**
 * Takes the lock of an integration and holds it until the transaction ends.
 *
 * @returns false if another process holds the lock
 */
export async function lockUntilCommit(transaction: Db, integrationId: string): Promise<boolean> {
  const key = sql`hashtextextended('event-content-sync ' || ${integrationId}, 0)`
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(${key}) as locked`.execute(
    transaction,
  )
  return rows[0]?.locked === true
}

interface TriedLock {
  readonly read_only: boolean
  readonly not_moving: boolean
  readonly locked: boolean
}

/** Locks an integration: see `Database.lock`. */
export async function lockIntegration(
  pool: pg.Pool,
  transaction: Database['transaction'],
  integrationId: string,
): Promise<IntegrationLock | null> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<TriedLock>(tryLock, [integrationId])
    const { read_only, not_moving, locked } = rows[0] ?? {}
    if (read_only === true) throw new Error(IS_READ_ONLY)
    if (locked !== true || not_moving !== true) {
      client.release(true)
      return null
    }
    await within(COMMIT_MS, client.query(awaitCommits, [integrationId]), stillCommitting(integrationId))
  } catch (error) {
    client.release(true)
    throw error
  }
  // A connection runs one query at a time, but resources are read in parallel. Queries on the connection are
  // therefore queued here.
  let asked: Promise<unknown> = Promise.resolve()
  let waiting = 0
  async function ping(): Promise<void> {
    waiting += 1
    asked = asked.then(() => client.query('select 1'))
    try {
      await asked
    } finally {
      waiting -= 1
    }
  }
  const pinging = setInterval(() => {
    // The next transaction reports a ping that fails.
    if (waiting === 0) ping().catch(() => undefined)
  }, PING_EVERY_MS)
  pinging.unref()
  return {
    transaction: (work) =>
      transaction(async (db) => {
        const result = await work(db)
        // The announcement must come before the check of the session. If the session still exists after the
        // announcement, a later holder of the lock waits for this commit.
        await announceCommit(db, integrationId)
        await ping().catch((cause: unknown) => {
          throw new LockLostError(integrationId, cause)
        })
        return result
      }),
    async release() {
      clearInterval(pinging)
      await asked.catch(() => undefined)
      // If the connection is broken, the lock is released when the session ends.
      await within(UNLOCK_MS, client.query(unlock, [integrationId])).then(
        () => client.release(),
        () => client.release(true),
      )
    },
  }
}

function stillCommitting(integrationId: string): string {
  return `${integrationId}: the session that held its lock has been committing for ${COMMIT_MS / 60_000} minutes, and no run can start until that ends; run again later, or look in pg_stat_activity for what that session waits for`
}

/** Longest wait for statements of other sessions that are changing the tables. */
const QUIET = '10s'

/** SQLSTATEs of two errors: a lock was not free in time, or a deadlock occurred. */
const NOT_FREE: readonly (string | null)[] = ['55P03', '40P01']

/**
 * Does work while no other process holds the lock of an integration, moves the database, or changes these
 * tables.
 *
 * @param work on PostgreSQL, receives a transaction that holds all locks until it ends. On the embedded
 *   engine, receives a connection without locks, because no other process can open the database
 * @returns null if another process is using the database
 */
export async function whileAlone<Result>(
  database: Database,
  tables: readonly string[],
  work: (db: Db) => Promise<Result>,
): Promise<Result | null> {
  if (database.engine === 'pglite') return work(database.kysely)
  return database.transaction(async (transaction) => {
    const isAlone = await takeAll(transaction, tables).catch((error: unknown) => {
      if (!NOT_FREE.includes(systemCodeOf(error))) throw error
      return false
    })
    return isAlone ? work(transaction) : null
  })
}

/** @returns false if another session holds the lock of an integration, or is moving the database */
async function takeAll(transaction: Db, tables: readonly string[]): Promise<boolean> {
  // This session sends no statements while other connections copy the rows, so it must not time out.
  await sql.raw('set local idle_in_transaction_session_timeout to 0').execute(transaction)
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${sql.raw(moveKey)}) as taken`.execute(transaction)
  if (rows[0]?.taken !== true) return false
  await sql.raw(`set local lock_timeout to '${QUIET}'`).execute(transaction)
  if (tables.length === 0) return true
  await sql.raw(`lock table ${tables.map(identifier).join(', ')} in share mode`).execute(transaction)
  return true
}
