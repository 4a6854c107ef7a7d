import { mkdirSync } from 'node:fs'
import { PGlite, type Results, type Transaction } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import type { Cell, Database, QueryPage, RowSink } from '../../sql/database.ts'
import * as statements from '../../sql/statements.ts'
import type { Tables } from '../../sql/tables.ts'
import { toCopyLine } from './copy-text.ts'
import { type DirectoryLock, lockDirectory } from './directory-lock.ts'
import { migrate } from './migrate.ts'
import { findTablesOfOthers, hasQueue, rebuild, settleRebuilt } from './pglite-rebuild.ts'

/** Rows of one COPY stand in memory twice (here and in the engine), so a batch is kept small. */
const BATCH_LENGTH = 4_194_304

/**
 * Opens the embedded database in a directory, which this process then holds alone.
 *
 * @throws DirectoryLockedError where another process has it open
 */
export async function openPGlite(directory: string): Promise<Database> {
  mkdirSync(directory, { recursive: true })
  const lock = await lockDirectory(directory)
  try {
    await settleRebuilt(directory)
    const pglite = await PGlite.create(directory)
    return fromPGlite(pglite, lock, directory)
  } catch (error) {
    await lock.release()
    throw error
  }
}

/**
 * Puts an open PGlite behind the engine's interface.
 *
 * @param lock released when the database is closed; null where nobody else can open it
 * @param directory where it is; null where it is in memory only
 */
export function fromPGlite(
  pglite: PGlite,
  lock: DirectoryLock | null,
  directory: string | null = null,
): Database {
  const kysely = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
  const held = new Set<string>()
  const transaction: Database['transaction'] = (work) => kysely.transaction().execute(work)

  const database: Database = {
    engine: 'pglite',
    kysely,
    transaction,
    script: (text) => pglite.transaction(async (transaction) => void (await transaction.exec(text))),
    copyInto: (table, columns) => copySink(pglite, statements.copyStatement(table, columns, "'/dev/blob'")),
    async lock(integrationId) {
      if (held.has(integrationId)) return null
      held.add(integrationId)
      // Nobody else can open the directory as long as this process lives.
      return { transaction, release: async () => void held.delete(integrationId) }
    },
    readOnly: (query) => readOnly(pglite, query),
    executeSql: (text, values = []) => executeSql(pglite, text, values),
    async scrub(tables, { at = () => undefined, note = async () => undefined }) {
      const others = await findTablesOfOthers(pglite)
      if (directory !== null && others.length === 0) {
        return rebuild(pglite, directory, {
          at,
          async prepare(fresh) {
            await migrate(fromPGlite(fresh, null))
            if (await hasQueue(pglite)) await makeQueues([database, fromPGlite(fresh, null)])
          },
          finish: async (fresh) => note(fromPGlite(fresh, null).kysely),
        })
      }
      for (const table of tables) {
        await pglite.exec(statements.vacuum(table, true))
        at('table scrubbed')
      }
      await note(kysely)
      const left = `bytes of old rows in the log of the embedded database, which is not rebuilt beside tables that are not the product's (${others.join(', ')})`
      return { done: 'the tables were written anew (VACUUM FULL)', left: others.length === 0 ? [] : [left] }
    },
    async close() {
      await kysely.destroy()
      if (!pglite.closed) await pglite.close()
      await lock?.release()
    },
  }
  return database
}

/** Makes the queue's tables, or brings them to this version of the queue, so that rows go from one to the other. */
async function makeQueues(databases: readonly Database[]): Promise<void> {
  const { openQueue } = await import('../unattended/queue.ts')
  for (const database of databases) {
    const troubles: Error[] = []
    const queue = await openQueue(database, false, (error) => troubles.push(error))
    await queue.close()
    if (troubles[0] !== undefined) throw troubles[0]
  }
}

function copySink(pglite: PGlite, statement: string): RowSink {
  let lines: string[] = []
  let length = 0

  async function commit(): Promise<void> {
    if (length === 0) return
    const blob = new Blob(lines)
    lines = []
    length = 0
    await pglite.query(statement, [], { blob })
  }

  return {
    write(row: readonly Cell[]) {
      const line = toCopyLine(row)
      lines.push(line)
      length += line.length
      return length >= BATCH_LENGTH ? commit() : undefined
    },
    commit,
    async close() {
      lines = []
      length = 0
    },
  }
}

async function executeSql(pglite: PGlite, text: string, values: readonly unknown[]) {
  if (values.length > 0) return pglite.query<unknown>(text, [...values])
  const flat = (results: readonly Results[]) => ({ rows: results.flatMap(({ rows }) => rows as unknown[]) })
  if (!statements.isTransaction(text)) return flat(await pglite.exec(text))
  // There is one connection: a script that fails must not leave its transaction to whoever comes next. That it begins
  // one within this one and ends it is a warning, and no more.
  return flat(await pglite.transaction((transaction) => transaction.exec(text)))
}

async function* readOnly(pglite: PGlite, query: string): AsyncGenerator<QueryPage> {
  // Values as text, as on PostgreSQL; a prepared statement, so several statements in one text are refused.
  const parsers = Object.fromEntries(Object.keys(pglite.parsers).map((type) => [type, String]))
  const options = { rowMode: 'array', parsers } as const
  const { transaction, rollBack } = await begin(pglite)
  try {
    await transaction.exec(statements.readOnlySettings)
    const ask = async (text: string): Promise<QueryPage> => {
      const page = await transaction.query<(string | null)[]>(text, [], options)
      return {
        columns: page.fields.map((field) => field.name),
        types: page.fields.map((field) => field.dataTypeID),
        rows: page.rows as unknown as (string | null)[][],
      }
    }
    if (statements.isExplain(query)) return yield await ask(query)
    await transaction.query(statements.declareCursor(query))
    for (;;) {
      const page = await ask(statements.fetchPage)
      yield page
      if (page.rows.length === 0) return
    }
  } finally {
    await rollBack()
  }
}

/** Begins a transaction that other work waits for until it is rolled back. */
async function begin(pglite: PGlite): Promise<{ transaction: Transaction; rollBack(): Promise<void> }> {
  const begun = Promise.withResolvers<Transaction>()
  const done = Promise.withResolvers<void>()
  const ended = pglite.transaction(async (transaction) => {
    begun.resolve(transaction)
    await done.promise
    await transaction.rollback()
  })
  ended.catch(begun.reject)
  return {
    transaction: await begun.promise,
    rollBack() {
      done.resolve()
      return ended
    },
  }
}
