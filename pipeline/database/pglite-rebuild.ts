import { existsSync } from 'node:fs'
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { Scrubbed } from '../../sql/database.ts'
import * as statements from '../../sql/statements.ts'

/** Pages that are copied at a time: their rows stand in memory twice. */
const PAGES_AT_ONCE = 256

/** Says that a rebuilt directory is whole: from then on the old one is given up. */
const WHOLE_FILE = 'rebuilt'

interface Table {
  readonly name: string
  readonly pages: number
  readonly columns: readonly string[]
}

/** Where a directory is rebuilt, beside it. */
function besideOf(directory: string): string {
  return `${directory}.rebuilt`
}

/**
 * Copies an embedded database, row by row, into a new directory that takes the place of the old one: no byte of an
 * erased row is in it, in no log, index or statistics. The database is closed then.
 *
 * Where the process dies, the next one that opens the directory goes on: with the old one, or with the new one if that
 * is whole. The caller holds the lock of the directory.
 *
 * @param migrate makes the product's schema in the new database
 */
export async function rebuild(
  pglite: PGlite,
  directory: string,
  migrate: (fresh: PGlite) => Promise<void>,
): Promise<Scrubbed> {
  const beside = besideOf(directory)
  await rm(beside, { recursive: true, force: true })
  const fresh = await PGlite.create(beside)
  try {
    await migrate(fresh)
    await fresh.exec(statements.emptyMigrationLedger)
    const { rows: tables } = await pglite.query<Table>(statements.tablesToCopy)
    for (const table of tables) await copyTable(pglite, fresh, table)
    await fresh.exec(statements.analyzeAll)
  } finally {
    await fresh.close()
  }
  await pglite.close()
  await syncFiles(beside)
  await writeFile(join(beside, WHOLE_FILE), '', { flush: true })
  await settleRebuilt(directory)
  return { done: 'the embedded database was copied into a new directory, and the old one removed', left: [] }
}

/** Tables of others, such as the queue of workers, which a new directory would lack. */
export async function findTablesOfOthers(pglite: PGlite): Promise<readonly string[]> {
  const { rows } = await pglite.query<{ name: string }>(statements.relationsOfOthers)
  return rows.map(({ name }) => name)
}

/** Ends what a rebuilding that died has left beside a directory. */
export async function settleRebuilt(directory: string): Promise<void> {
  const beside = besideOf(directory)
  if (existsSync(join(beside, WHOLE_FILE))) {
    await rm(directory, { recursive: true, force: true })
    await rename(beside, directory)
  } else await rm(beside, { recursive: true, force: true })
  await rm(join(directory, WHOLE_FILE), { force: true })
}

async function copyTable(from: PGlite, to: PGlite, { name, pages, columns }: Table): Promise<void> {
  for (let page = 0; page < pages; page += PAGES_AT_ONCE) {
    const { blob } = await from.query(statements.copyPages(name, columns, page, page + PAGES_AT_ONCE))
    // No rows, no blob.
    if (blob !== undefined && blob.size > 0)
      await to.query(statements.copyStatement(name, columns, "'/dev/blob'"), [], { blob })
  }
  const [before, after] = [
    await from.query<Counted>(statements.countRows(name)),
    await to.query<Counted>(statements.countRows(name)),
  ]
  if (before.rows[0]?.rows === after.rows[0]?.rows) return
  throw new Error(
    `${name} has ${before.rows[0]?.rows} rows, its copy ${after.rows[0]?.rows}; the old database is as it was`,
  )
}

interface Counted {
  readonly rows: number
}

/** Makes what was written outlast a power cut: the old directory is about to go. */
async function syncFiles(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = await open(join(entry.parentPath, entry.name), 'r')
    await file.sync()
    await file.close()
  }
}
