import { AsyncLocalStorage } from 'node:async_hooks'
import { accessSync, constants, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { PGlite, type Results, type Transaction, types } from '@electric-sql/pglite'
import { Kysely, type KyselyPlugin, PGliteDialect } from 'kysely'
import { findKnownResources } from '../../loaders/staging/incoming.ts'
import type { Cell, Database, QueryPage, RowSink } from '../../sql/database.ts'
import type { Tables } from '../../sql/tables.ts'
import { TRANSFORMS } from '../../transforms/decide/platform-fields.ts'
import { parseJson } from '../../transforms/rules/values.ts'
import { LOG_FILE_BYTES, requireLogRoom, sizeOf } from '../runtime/disk-room.ts'
import { adviceOn, describeCode, whyNotWritable } from '../runtime/not-writable.ts'
import { startWatchdog, type Watchdog } from '../runtime/watchdog.ts'
import { toCopyLine } from './copy-text.ts'
import { type Engine, openEngine } from './engine.ts'
import { hasQueue } from './job-queue.ts'
import { type DeclaredSource, migrate } from './migrate.ts'
import { findTablesOfOthers, rebuild, settleRebuilt } from './pglite-rebuild.ts'
import { openSessionAs } from './pglite-session.ts'
import { copyTemplate, templateArchive } from './pglite-template.ts'
import { lockDirectory, makePrivateFolder, restrictContents } from './private-folder.ts'
import { pagesOf } from './read-only.ts'
import { copyStatement, readOnlySettings, vacuum } from './sql-text.ts'

/**
 * Maximum length, in characters, of the rows that one COPY sends. The rows of one COPY are in memory twice,
 * in this process and in the engine.
 */
const BATCH_LENGTH = 4_194_304

/**
 * Opens the embedded database in a directory. Until the database is closed, no other process can open the
 * directory.
 *
 * @param outside sources with tables in the database that are not part of this package
 * @param onStuck ends the process if the engine does not answer and does no work; if left out, nothing
 *   watches the engine
 * @throws UserError if another process has opened the directory
 */
export async function openPGlite(
  directory: string,
  outside: readonly DeclaredSource[] = [],
  onStuck?: OnStuck,
): Promise<Database> {
  makePrivateFolder(directory)
  const lock = await lockDirectory(directory)
  try {
    await settleRebuilt(directory)
    const engine = await openOrMake(directory).catch((cause: unknown) => {
      throw new Error(whyNotOpened(directory, cause), { cause })
    })
    restrictContents(directory)
    let watchdog: Watchdog | null = null
    return fromPGlite(engine.pglite, {
      directory,
      engine,
      outside,
      watch(limitMs) {
        if (onStuck !== undefined) watchdog ??= watchEngine(directory, engine, onStuck)
        return limitMs === undefined ? unlimited : (watchdog?.limit(limitMs) ?? unlimited)
      },
      describe: lock.describe,
      async release() {
        watchdog?.stop()
        await lock.release()
      },
    })
  } catch (error) {
    await lock.release()
    throw error
  }
}

export type OnStuck = (message: string) => void

function watchEngine(directory: string, engine: Engine, onStuck: OnStuck): Watchdog {
  const still = `the embedded database in ${directory} neither answers nor works; this process ends, and frees it`
  const late =
    'the query was stopped: it took longer than its time; ask for less, or give it more seconds (sql --timeout)'
  return startWatchdog(engine.calls, (why) => onStuck(why === 'still' ? still : late), `${still}\n`)
}

async function openOrMake(directory: string): Promise<Engine> {
  const isCopied = copyTemplate(directory)
  // A query that was killed leaves temporary files in this folder, which may contain personal data.
  rmSync(join(directory, 'base', 'pgsql_tmp'), { recursive: true, force: true })
  const isSmall = sizeOf(directory) <= LARGE_BYTES
  if (!isSmall) setFlagsFromString('--wasm-tier-up-filter=-1')
  const engine = await openEngine(directory, isSmall ? SMALL : {})
  // The copied table `migration.applied` contains the time at which the template was made. The statement
  // replaces this time by the current time.
  if (isCopied) await engine.pglite.exec('update migration.applied set applied_at = now()')
  return engine
}

/**
 * Settings for a small database. The default of 128 MB of buffers takes 0.1 s and that much memory, although
 * a small database uses few buffers.
 */
const SMALL = { startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'] }

/**
 * Size, including the log, above which a database is treated as large: about 30,000 people. Below this size,
 * a run without changes is faster without optimized code.
 */
const LARGE_BYTES = 256 * 1024 * 1024

/**
 * Explains why the database cannot be opened. The error of the engine does not tell a full disk from a
 * read-only folder.
 */
function whyNotOpened(directory: string, cause: unknown): string {
  const fault = whyNotWritable(directory) ?? whyNoRoom(directory) ?? whyRefused(directory)
  const said = cause instanceof Error ? cause.message : 'the engine gives no reason'
  const why =
    fault === null
      ? `${said}; restore a backup of the folder`
      : `the folder cannot be written${describeCode(fault)}; ${adviceOn(fault)}`
  return `the embedded database in ${directory} cannot be opened: ${why}`
}

/**
 * Tries to write a file as large as a log file.
 *
 * @returns the error of the operating system; null if there is room
 */
function whyNoRoom(directory: string): unknown {
  const path = join(directory, 'room.partial')
  try {
    writeFileSync(path, Buffer.alloc(LOG_FILE_BYTES), { mode: 0o600 })
    return null
  } catch (error) {
    return error
  } finally {
    rmSync(path, { force: true })
  }
}

/**
 * Finds a file of the database that this user may not read and write, for example one that root has left.
 *
 * @returns the error of the operating system; null if there is none
 */
function whyRefused(directory: string): unknown {
  try {
    for (const { parentPath, name } of readdirSync(directory, { recursive: true, withFileTypes: true }))
      accessSync(join(parentPath, name), constants.R_OK | constants.W_OK)
    return null
  } catch (error) {
    return error
  }
}

/**
 * Opens an embedded database that exists only in memory. It has the tables of the product if the package was
 * built, and is empty otherwise.
 */
export async function openInMemory(): Promise<Database> {
  const archive = templateArchive()
  return fromPGlite(await PGlite.create(archive === null ? SMALL : { ...SMALL, loadDataDir: archive }))
}

/** The place of a database on disk: its directory and its engine. */
interface Place {
  readonly directory: string
  readonly engine: Engine
  readonly outside: readonly DeclaredSource[]
  /**
   * Begins to watch the engine during work of this process.
   *
   * @param limitMs time limit of the work
   * @returns a function that removes the time limit
   */
  watch(limitMs?: number): () => void
  /** Sets how the lock of the directory describes this process to other processes. */
  describe(holder: string): void
  /** Releases the lock of the directory. */
  release(): Promise<void>
}

/**
 * Maximum time for a query of another program. A longer query ends this process, because neither a signal nor
 * another client can reach the process during a query.
 */
const LONGEST_QUERY_MS = 300_000

async function watched(watch: () => () => void, work: () => Promise<void>): Promise<void> {
  const ended = watch()
  return work().finally(ended)
}

const unlimited = () => undefined

/**
 * Lets a query fail that is made inside a transaction, but not by the transaction. PGlite has one connection, so
 * such a query and its transaction would wait for each other forever.
 */
function watchTransactions() {
  const storage = new AsyncLocalStorage<{ isOpen: boolean }>()
  const requireOutside = () => {
    if (storage.getStore()?.isOpen === true)
      throw new Error('a query inside a transaction does not use the connection of the transaction')
  }
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      requireOutside()
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return {
    plugin,
    async during<Result>(work: () => Promise<Result>): Promise<Result> {
      const state = { isOpen: true }
      return storage.run(state, work).finally(() => {
        state.isOpen = false
      })
    },
    requireOutside,
  }
}

/** Makes a `Database` (the common interface of both engines) from an open PGlite. */
export function fromPGlite(pglite: PGlite, place: Place | null = null): Database {
  // Parses JSON documents so that their numbers keep all digits.
  pglite.parsers[types.JSONB] = parseJson
  const open = watchTransactions()
  const own = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
  const kysely = own.withPlugin(open.plugin)
  const held = new Set<string>()
  const transaction: Database['transaction'] = async (work) => {
    // If a stopped engine were not detected here, kysely would wait forever for a transaction to begin.
    const stopped = place?.engine.stopped() ?? null
    if (stopped !== null) throw stopped
    open.requireOutside()
    return own.transaction().execute((inner) => open.during(() => work(inner)))
  }

  const database: Database = {
    engine: 'pglite',
    directory: place?.directory ?? null,
    server: null,
    name: 'postgres',
    kysely,
    transaction,
    script: (text) => pglite.transaction(async (transaction) => void (await transaction.exec(text))),
    copyInto: (table, columns) =>
      copySink(pglite, copyStatement(table, columns, "'/dev/blob'"), () => requireLogRoom(database)),
    async lock(integrationId) {
      if (held.has(integrationId)) return null
      held.add(integrationId)
      place?.watch()
      // No lock in the database is needed, because no other process can open the directory now.
      return { transaction, release: async () => void held.delete(integrationId) }
    },
    findLocked: async (integrationIds) => new Set(integrationIds.filter((id) => held.has(id))),
    readOnly: (query, timeoutMs) => readOnly(pglite, query, () => place?.watch(timeoutMs) ?? unlimited),
    executeSql: (text, values = []) => executeSql(pglite, text, values),
    async scrub(tables, { at = () => undefined, note = async () => undefined }) {
      const outside = place?.outside ?? []
      const others = [...(await findTablesOfOthers(pglite)), ...(await findUndeclared(kysely, outside))]
      if (place !== null && others.length === 0) {
        return rebuild(pglite, place.directory, {
          at,
          async prepare(fresh) {
            await migrate(fromPGlite(fresh), outside)
            if (await hasQueue(database)) await makeQueues([database, fromPGlite(fresh)])
          },
          finish: async (fresh) => note(fromPGlite(fresh).kysely),
        })
      }
      for (const table of tables) {
        await pglite.exec(vacuum(table, true))
        at('table scrubbed')
      }
      await note(kysely)
      const left = `bytes of old rows in the log of the embedded database, which is not rebuilt while it also has other tables (${others.join(', ')})`
      return { done: 'the tables were rewritten (VACUUM FULL)', left: others.length === 0 ? [] : [left] }
    },
    async serveAs(role) {
      const session = await openSessionAs(pglite, role)
      place?.describe(`process ${process.pid} (event-sync serve-database)`)
      const watch = () => place?.watch(LONGEST_QUERY_MS) ?? unlimited
      return { ...session, send: (...given) => watched(watch, () => session.send(...given)) }
    },
    async close() {
      // A stopped engine is not closed, because closing would write to its files.
      if (place === null || place.engine.stopped() === null) {
        await kysely.destroy()
        if (!pglite.closed) await pglite.close()
      }
      await place?.release()
    },
  }
  return database
}

/**
 * Finds staging tables of sources that are no longer in the configuration. A new database cannot create these
 * staging tables, because their definition is missing.
 */
async function findUndeclared(
  kysely: Kysely<Tables>,
  outside: readonly DeclaredSource[],
): Promise<readonly string[]> {
  const declared = [...Object.values(TRANSFORMS), ...outside.map(({ transform }) => transform)]
  const tables = new Set<string>(declared.flatMap(({ resources }) => resources.map(({ table }) => table)))
  const known = await findKnownResources(kysely)
  return known.map(({ table }) => table).filter((table) => !tables.has(table))
}

/**
 * Creates or upgrades the tables of the queue in the given databases, so that rows can be copied from one to
 * another.
 */
async function makeQueues(databases: readonly Database[]): Promise<void> {
  const { openQueue } = await import('./job-queue.ts')
  for (const database of databases) {
    const troubles: Error[] = []
    const queue = await openQueue(database, false, (error) => troubles.push(error))
    await queue.close()
    if (troubles[0] !== undefined) throw troubles[0]
  }
}

/** Makes an object that sends rows with COPY. @param before called before each batch of rows */
function copySink(pglite: PGlite, statement: string, before: () => void): RowSink {
  let lines: string[] = []
  let length = 0

  async function commit(): Promise<void> {
    if (length === 0) return
    before()
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
  if (!/^\s*begin\b/i.test(text)) return flat(await pglite.exec(text))
  // An embedded database has only one connection, so a script that fails must not leave its transaction open.
  // The script runs within the transaction that is opened here. A `begin` in the script causes only a
  // warning.
  return flat(await pglite.transaction((transaction) => transaction.exec(text)))
}

async function* readOnly(pglite: PGlite, query: string, begun: () => () => void): AsyncGenerator<QueryPage> {
  const parsers = Object.fromEntries(Object.keys(pglite.parsers).map((type) => [type, String]))
  const options = { rowMode: 'array', parsers } as const
  const { transaction, rollBack } = await begin(pglite)
  try {
    await transaction.exec(`${readOnlySettings} set local temp_file_limit = '1GB'`)
    yield* pagesOf(query, async (text) => {
      const ended = begun()
      return transaction.query<(string | null)[]>(text, [], options).finally(ended)
    })
  } finally {
    await rollBack()
  }
}

/**
 * Begins a transaction, which the caller must roll back. Other work on the database waits until the
 * transaction is rolled back.
 */
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
