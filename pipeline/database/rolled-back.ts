import { sql } from 'kysely'
import type { Cell, Database, RowSink } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import { toCellText } from './copy-text.ts'

/** Maximum length, in characters, of the rows in one statement. */
const BATCH_LENGTH = 1_048_576

/** Error that rolls back a transaction although its work has succeeded. */
class RolledBack extends Error {
  override readonly name = 'RolledBack'
}

/**
 * Does work in a transaction that is always rolled back, even if the process dies. Only the work itself sees
 * the rows that it writes.
 *
 * The transaction stays open until the work has ended. On PostgreSQL, other processes may have to wait for
 * rows that the work changes. On PGlite, which has only one connection, all other work waits.
 *
 * @param work may use only `kysely`, `transaction` and `copyInto` of its database
 */
export async function inRolledBack<Result>(
  database: Database,
  work: (inside: Database) => Promise<Result>,
): Promise<Result> {
  const done = Promise.withResolvers<Result>()
  try {
    await database.transaction(async (transaction) => {
      // The transaction may be idle for a long time, for example while the work waits for a source.
      await sql`set local idle_in_transaction_session_timeout to 0`.execute(transaction)
      done.resolve(await work(insideOf(database, transaction)))
      throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  return done.promise
}

function insideOf(database: Database, transaction: Db): Database {
  let last: Promise<unknown> = Promise.resolve()
  return {
    ...database,
    kysely: transaction,
    // Resources are read in parallel, but savepoints are nested. Therefore a savepoint must end before the
    // next savepoint begins.
    transaction(work) {
      const result = last.then(() => inSavepoint(transaction, work))
      last = result.catch(() => undefined)
      return result
    },
    copyInto: (table, columns) => insertSink(transaction, table, columns),
  }
}

async function inSavepoint<Result>(
  transaction: Db,
  work: (transaction: Db) => Promise<Result>,
): Promise<Result> {
  await sql`savepoint inside`.execute(transaction)
  try {
    const result = await work(transaction)
    await sql`release savepoint inside`.execute(transaction)
    return result
  } catch (error) {
    await sql`rollback to savepoint inside`.execute(transaction)
    throw error
  }
}

/**
 * Makes an object that sends rows as JSON in `insert` statements. COPY would need a connection of its own.
 */
function insertSink(transaction: Db, table: string, columns: readonly string[]): RowSink {
  let rows: object[] = []
  let length = 0
  let types: ReadonlyMap<string, string> | null = null

  async function commit(): Promise<void> {
    if (rows.length === 0) return
    const batch = JSON.stringify(rows)
    rows = []
    length = 0
    types ??= await findTypes(transaction, table)
    const texts = columns.map((_, place) => sql`${sql.ref(`c${place}`)} text`)
    const values = columns.map((column, place) => {
      return sql`${sql.ref(`c${place}`)}::${sql.raw(types?.get(column) ?? 'text')}`
    })
    await sql`
      insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
      select ${sql.join(values)}
      from json_to_recordset(${batch}::json) as given (${sql.join(texts)})`.execute(transaction)
  }

  return {
    write(row: readonly Cell[]) {
      const texts = row.map(toCellText)
      rows.push(Object.fromEntries(texts.map((text, place) => [`c${place}`, text])))
      for (const text of texts) length += text?.length ?? 0
      return length >= BATCH_LENGTH ? commit() : undefined
    },
    commit,
    async close() {
      rows = []
      length = 0
    },
  }
}

/** Finds the type of each column of a table. */
async function findTypes(db: Db, table: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, atttypmod) as type
    from pg_attribute
    where attrelid = ${table}::regclass
      and attnum > 0
      and not attisdropped`.execute(db)
  return new Map(rows.map(({ name, type }) => [name, type]))
}
