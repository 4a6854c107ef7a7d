import { existsSync } from 'node:fs'
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { Scrubbed, ScrubPoint } from '../../sql/database.ts'
import * as statements from '../../sql/statements.ts'

/** Pages that are copied at a time: their rows stand in memory twice. */
const PAGES_AT_ONCE = 256

/** Says that a rebuilt directory is whole: from then on the old one is given up. */
const WHOLE_FILE = 'rebuilt'

/** What a rebuilding does beside copying rows. */
interface RebuildSteps {
  readonly at: (point: ScrubPoint) => void
  /** Makes the schemas in the new database. */
  readonly prepare: (fresh: PGlite) => Promise<void>
  /** Changes rows in it, when all are there. */
  readonly finish: (fresh: PGlite) => Promise<void>
}

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
 */
export async function rebuild(
  pglite: PGlite,
  directory: string,
  { at, prepare, finish }: RebuildSteps,
): Promise<Scrubbed> {
  const beside = besideOf(directory)
  await rm(beside, { recursive: true, force: true })
  const fresh = await PGlite.create(beside)
  try {
    await prepare(fresh)
    const tables = await tablesToCopy(pglite, fresh)
    await fresh.exec(statements.takeRowsAsTheyAre)
    await fresh.exec(statements.emptyTables(tables.map(({ name }) => name)))
    for (const table of tables) {
      await copyTable(pglite, fresh, table)
      at('table scrubbed')
    }
    await finish(fresh)
    await fresh.exec(statements.analyzeAll)
  } finally {
    await fresh.close()
  }
  await pglite.close()
  await syncFiles(beside)
  await writeFile(join(beside, WHOLE_FILE), '', { flush: true })
  at('rebuilt whole')
  await settleRebuilt(directory, at)
  return { done: 'the embedded database was copied into a new directory, and the old one removed', left: [] }
}

/** Tables of a database that a new one has too: all but the queue's figures of days gone by. */
async function tablesToCopy(pglite: PGlite, fresh: PGlite): Promise<readonly Table[]> {
  const { rows: made } = await fresh.query<Table>(statements.tablesToCopy)
  const known = new Set(made.map(({ name }) => name))
  const { rows } = await pglite.query<Table>(statements.tablesToCopy)
  return rows.filter(({ name }) => known.has(name))
}

/** Whether workers have a queue in the database. */
export async function hasQueue(pglite: PGlite): Promise<boolean> {
  const { rows } = await pglite.query<{ isThere: boolean }>(statements.hasQueue)
  return rows[0]?.isThere === true
}

/** Tables of others, which a new directory would lack. */
export async function findTablesOfOthers(pglite: PGlite): Promise<readonly string[]> {
  const { rows } = await pglite.query<{ name: string }>(statements.relationsOfOthers)
  return rows.map(({ name }) => name)
}

/** Ends what a rebuilding that died has left beside a directory. */
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
