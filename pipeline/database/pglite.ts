import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { PGlite, type Results, type Transaction, types } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import { findKnownResources } from '../../loaders/staging/incoming.ts'
import type { Cell, Database, QueryPage, RowSink } from '../../sql/database.ts'
import type { Tables } from '../../sql/tables.ts'
import { TRANSFORMS } from '../../transforms/registry/platform-fields.ts'
import { parseJson } from '../../transforms/rules/values.ts'
import { describeCode, systemCodeOf, whyNotWritable } from '../runtime/not-writable.ts'
import { toCopyLine } from './copy-text.ts'
import { hasQueue } from './job-queue.ts'
import { type DeclaredSource, migrate } from './migrate.ts'
import { findTablesOfOthers, rebuild, settleRebuilt } from './pglite-rebuild.ts'
import { copyTemplate } from './pglite-template.ts'
import { type DirectoryLock, lockDirectory, makePrivateFolder, restrictContents } from './private-folder.ts'
import { pagesOf } from './read-only.ts'
import { copyStatement, readOnlySettings, vacuum } from './sql-text.ts'

/** Rows of one COPY are in memory twice, here and in the engine. */
const BATCH_LENGTH = 4_194_304

/**
 * Opens the embedded database in a directory, which this process then holds alone.
 *
 * @param outside sources whose tables it has, beside those of this package
 * @throws UserError where another process has it open
 */
export async function openPGlite(
  directory: string,
  outside: readonly DeclaredSource[] = [],
): Promise<Database> {
  makePrivateFolder(directory)
  const lock = await lockDirectory(directory)
  try {
    await settleRebuilt(directory)
    const pglite = await openOrMake(directory).catch((cause: unknown) => {
      throw new Error(whyNotOpened(directory, cause), { cause })
    })
    restrictContents(directory)
    return fromPGlite(pglite, lock, directory, outside)
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function openOrMake(directory: string): Promise<PGlite> {
  const isCopied = copyTemplate(directory)
  const isSmall = !isLarge(directory)
  if (!isSmall) setFlagsFromString('--wasm-tier-up-filter=-1')
  const pglite = await PGlite.create(directory, isSmall ? SMALL : {})
  // Not when the template was made.
  if (isCopied) await pglite.exec('update migration.applied set applied_at = now()')
  return pglite
}

/** Buffers of 128 MB are the engine's own choice: to make them takes 0.1 s and all of that memory, and a small database fills few. */
const SMALL = { startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'] }

/** With its log, that of some 30,000 people. Up to here an unchanged run is faster without optimized code. */
const LARGE_BYTES = 256 * 1024 * 1024

function isLarge(directory: string): boolean {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return files.reduce((sum, file) => sum + statSync(join(directory, file)).size, 0) > LARGE_BYTES
}

/** The engine needs room for at least one more file of its log. */
const LOG_FILE_BYTES = 16 * 1024 * 1024

/** Of a full disk and of a read-only folder the engine says the same, or nothing at all. */
function whyNotOpened(directory: string, cause: unknown): string {
  const code = whyNotWritable(directory) ?? whyNoRoom(directory)
  const said = cause instanceof Error ? cause.message : 'the engine gives no reason'
  const why =
    code === null
      ? `${said}; check that this user can read and write the files in the folder`
      : `the folder cannot be written${describeCode(code)}; ${NO_ROOM.has(code) ? 'free some disk space' : 'let this user write there'}`
  return `the embedded database in ${directory} cannot be opened: ${why}, and run again; platform untouched`
}

const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** @returns the system's code of the fault; null where there is room */
function whyNoRoom(directory: string): string | null {
  const path = join(directory, 'room.partial')
  try {
    writeFileSync(path, Buffer.alloc(LOG_FILE_BYTES))
    return null
  } catch (error) {
    return systemCodeOf(error)
  } finally {
    rmSync(path, { force: true })
  }
}

/** Opens an embedded database that is in memory only. */
export async function openInMemory(): Promise<Database> {
  return fromPGlite(await PGlite.create(SMALL), null)
}

/**
 * Makes a `Database` of an open PGlite.
 *
 * @param lock released when the database is closed; null where nobody else can open it
 * @param directory null where it is in memory only
 */
export function fromPGlite(
  pglite: PGlite,
  lock: DirectoryLock | null,
  directory: string | null = null,
  outside: readonly DeclaredSource[] = [],
): Database {
  // Numbers in documents keep their digits.
  pglite.parsers[types.JSONB] = parseJson
  const kysely = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
  const held = new Set<string>()
  const transaction: Database['transaction'] = (work) => kysely.transaction().execute(work)

  const database: Database = {
    engine: 'pglite',
    kysely,
    transaction,
    script: (text) => pglite.transaction(async (transaction) => void (await transaction.exec(text))),
    copyInto: (table, columns) => copySink(pglite, copyStatement(table, columns, "'/dev/blob'")),
    async lock(integrationId) {
      if (held.has(integrationId)) return null
      held.add(integrationId)
      // No other process can open the directory meanwhile.
      return { transaction, release: async () => void held.delete(integrationId) }
    },
    readOnly: (query) => readOnly(pglite, query),
    executeSql: (text, values = []) => executeSql(pglite, text, values),
    async scrub(tables, { at = () => undefined, note = async () => undefined }) {
      const others = [...(await findTablesOfOthers(pglite)), ...(await findUndeclared(kysely, outside))]
      if (directory !== null && others.length === 0) {
        return rebuild(pglite, directory, {
          at,
          async prepare(fresh) {
            await migrate(fromPGlite(fresh, null), outside)
            if (await hasQueue(database)) await makeQueues([database, fromPGlite(fresh, null)])
          },
          finish: async (fresh) => note(fromPGlite(fresh, null).kysely),
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
    async close() {
      await kysely.destroy()
      if (!pglite.closed) await pglite.close()
      await lock?.release()
    },
  }
  return database
}

/** Tables of sources that the configuration no longer names, so that they cannot be made again. */
async function findUndeclared(
  kysely: Kysely<Tables>,
  outside: readonly DeclaredSource[],
): Promise<readonly string[]> {
  const declared = [...Object.values(TRANSFORMS), ...outside.map(({ transform }) => transform)]
  const tables = new Set<string>(declared.flatMap(({ resources }) => resources.map(({ table }) => table)))
  const known = await findKnownResources(kysely)
  return known.map(({ table }) => table).filter((table) => !tables.has(table))
}

/** Makes or upgrades the queue's tables in both databases, so that rows can be copied. */
async function makeQueues(databases: readonly Database[]): Promise<void> {
  const { openQueue } = await import('./job-queue.ts')
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
  if (!/^\s*begin\b/i.test(text)) return flat(await pglite.exec(text))
  // There is one connection, so a script that fails must not leave its transaction open. That it begins and ends one within
  // this one is only a warning.
  return flat(await pglite.transaction((transaction) => transaction.exec(text)))
}

async function* readOnly(pglite: PGlite, query: string): AsyncGenerator<QueryPage> {
  const parsers = Object.fromEntries(Object.keys(pglite.parsers).map((type) => [type, String]))
  const options = { rowMode: 'array', parsers } as const
  const { transaction, rollBack } = await begin(pglite)
  try {
    await transaction.exec(readOnlySettings)
    yield* pagesOf(query, (text) => transaction.query<(string | null)[]>(text, [], options))
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
