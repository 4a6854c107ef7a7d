import { existsSync } from 'node:fs'
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import type { Scrubbed, ScrubPoint } from '../../sql/database.ts'
import { needOfDatabase, requireRoom, sizeOf } from '../runtime/disk-room.ts'
import { openEngine } from './engine.ts'
import { copyTemplate } from './pglite-template.ts'
import { makePrivateFolder, restrictContents } from './private-folder.ts'
import { copyStatement, identifier } from './sql-text.ts'

const TABLES_TO_COPY = `
select format('%s.%s', nspname, relname) as name, pg_relation_size(pg_class.oid) / current_setting('block_size')::int as pages,
  array(
    select attname::text
    from pg_attribute
    where attrelid = pg_class.oid and attnum > 0 and not attisdropped
    order by attnum
  ) as columns
from pg_class
join pg_namespace on pg_namespace.oid = relnamespace
where relkind = 'r'
  and nspname in ('staging', 'sync', 'migration', 'queue')
order by name`

/** Tables are copied in an order that can violate foreign keys, so triggers are disabled. */
const disableTriggers = 'set session_replication_role = replica'

const emptyTables = (tables: readonly string[]): string =>
  `truncate ${tables.map(identifier).join(', ')} cascade`

/** Finds tables, views and other relations in the database that the product did not create. */
const relationsOfOthers = `
select format('%s.%s', nspname, relname) as name
from pg_class
join pg_namespace on pg_namespace.oid = relnamespace
where relkind in ('r', 'v', 'm', 'S', 'f', 'p')
  and nspname not in ('staging', 'sync', 'published', 'incoming', 'migration', 'queue', 'pg_catalog', 'information_schema')
  and nspname not like 'pg\\_%'
order by name`

/**
 * Returns a `COPY` statement that writes the rows of some pages of a table to PGlite's blob device (a file in
 * memory).
 */
function copyPages(table: string, columns: readonly string[], fromPage: number, toPage: number) {
  return `copy (select ${columns.map(identifier).join(', ')} from ${identifier(table)} where ctid >= '(${fromPage},0)' and ctid < '(${toPage},0)') to '/dev/blob'`
}

/** Number of pages that one statement copies. The rows of the copied pages are in memory twice. */
const PAGES_AT_ONCE = 256

/**
 * Name of the file that marks a rebuilt directory as complete. As soon as this file exists, the old directory
 * is no longer used.
 */
const WHOLE_FILE = 'rebuilt'

interface RebuildSteps {
  readonly at: (point: ScrubPoint) => void
  /** Creates the schemas in the new database. */
  readonly prepare: (fresh: PGlite) => Promise<void>
  /** Changes rows of the new database after all rows are copied. */
  readonly finish: (fresh: PGlite) => Promise<void>
}

interface CopiedTable {
  readonly name: string
  readonly pages: number
  readonly columns: readonly string[]
}

/** Returns the folder in which the database of a directory is rebuilt. */
const besideOf = (directory: string) => `${directory}.rebuilt`

/**
 * Copies an embedded database row by row into a new directory that replaces the old one. Nothing of an erased
 * row remains in the log, indexes and statistics of the new directory. The database is closed afterwards.
 *
 * If the process dies, the next process that opens the directory uses the new directory if it is complete. If
 * the new directory is incomplete, the next process uses the old directory. The caller must hold the lock of
 * the database directory.
 */
export async function rebuild(
  pglite: PGlite,
  directory: string,
  { at, prepare, finish }: RebuildSteps,
): Promise<Scrubbed> {
  requireRoom([needOfDatabase(directory, sizeOf(directory))])
  const beside = besideOf(directory)
  await rm(beside, { recursive: true, force: true })
  makePrivateFolder(beside)
  copyTemplate(beside)
  const copy = await openEngine(beside)
  const fresh = copy.pglite
  try {
    await prepare(fresh)
    const tables = await tablesToCopy(pglite, fresh)
    await fresh.exec(disableTriggers)
    await fresh.exec(emptyTables(tables.map(({ name }) => name)))
    for (const table of tables) {
      await copyTable(pglite, fresh, table)
      at('table scrubbed')
    }
    await finish(fresh)
    await fresh.exec('analyze')
  } finally {
    if (copy.stopped() === null) await fresh.close()
  }
  await pglite.close()
  restrictContents(beside)
  await syncFiles(beside)
  await writeFile(join(beside, WHOLE_FILE), '', { flush: true, mode: 0o600 })
  at('rebuilt whole')
  await settleRebuilt(directory, at)
  return { done: 'the embedded database was copied into a new directory, and the old one removed', left: [] }
}

/**
 * Finds the tables that also exist in the new database. The only table that is left out contains the daily
 * statistics of the queue.
 */
async function tablesToCopy(pglite: PGlite, fresh: PGlite): Promise<readonly CopiedTable[]> {
  const { rows: made } = await fresh.query<CopiedTable>(TABLES_TO_COPY)
  const known = new Set(made.map(({ name }) => name))
  const { rows } = await pglite.query<CopiedTable>(TABLES_TO_COPY)
  return rows.filter(({ name }) => known.has(name))
}

/** Finds tables that the product did not make. A rebuilt directory would not contain these tables. */
export async function findTablesOfOthers(pglite: PGlite): Promise<readonly string[]> {
  const { rows } = await pglite.query<{ name: string }>(relationsOfOthers)
  return rows.map(({ name }) => name)
}

/** Completes a rebuild whose process died, or discards it. */
export async function settleRebuilt(
  directory: string,
  at: (point: ScrubPoint) => void = () => undefined,
): Promise<void> {
  const beside = besideOf(directory)
  if (existsSync(join(beside, WHOLE_FILE))) {
    await rm(directory, { recursive: true, force: true })
    at('old directory gone')
    await rename(beside, directory)
    at('rebuilt in place')
  } else await rm(beside, { recursive: true, force: true })
  await rm(join(directory, WHOLE_FILE), { force: true })
}

async function copyTable(from: PGlite, to: PGlite, { name, pages, columns }: CopiedTable): Promise<void> {
  for (let page = 0; page < pages; page += PAGES_AT_ONCE) {
    const { blob } = await from.query(copyPages(name, columns, page, page + PAGES_AT_ONCE))
    // Pages without rows produce no blob.
    if (blob !== undefined && blob.size > 0)
      await to.query(copyStatement(name, columns, "'/dev/blob'"), [], { blob })
  }
  const [before, after] = [await countRows(from, name), await countRows(to, name)]
  if (before === after) return
  throw new Error(
    `${name} has ${before} rows, its copy ${after}; the old database was not changed; run again`,
  )
}

async function countRows(pglite: PGlite, table: string): Promise<number | undefined> {
  const { rows } = await pglite.query<{ rows: number }>(
    `select count(*)::int as rows from ${identifier(table)}`,
  )
  return rows[0]?.rows
}

/**
 * Flushes the files to disk, because the old directory is deleted next. Without the flush, a power cut could
 * lose both the old and the new directory.
 */
async function syncFiles(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    // Windows flushes only files that are open for writing.
    const file = await open(join(entry.parentPath, entry.name), 'r+')
    await file.sync()
    await file.close()
  }
}
