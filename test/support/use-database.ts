import { beforeAll, expect } from 'vitest'
import type { Database } from '../../sql/database.ts'
import { type Engine, openEngine } from './engines.ts'

/**
 * Open databases by engine. All blocks of a test file share one database per engine, because opening a
 * database takes longer than most tests.
 */
const open = new Map<Engine, Promise<Database>>()
let openedBy: string | undefined

/**
 * Gives the tests of a block the database of the test file for this engine. Rows that a block does not delete
 * are visible to the other blocks.
 */
export function useDatabase(engine: Engine): () => Database {
  let database: Database | null = null
  beforeAll(async () => {
    await closeThoseOfOtherFiles()
    const opening = open.get(engine) ?? openEngine(engine)
    open.set(engine, opening)
    database = await opening
  })
  return () => {
    if (database === null) throw new Error('the database is open only while tests run')
    return database
  }
}

/**
 * Closes databases of earlier test files, because one process runs many files. The databases of the last file
 * are closed when the process ends.
 */
async function closeThoseOfOtherFiles(): Promise<void> {
  const { testPath } = expect.getState()
  if (testPath === openedBy) return
  openedBy = testPath
  const left = [...open.values()]
  open.clear()
  for (const database of left) await (await database).close()
}

/** Calls `work` in a transaction and rolls the transaction back, so that tests can share a database. */
export async function takenBack<Result>(
  database: Database,
  work: (transaction: Database['kysely']) => Promise<Result>,
): Promise<Result> {
  let result: { readonly of: Result } | null = null
  const back = new Error('taken back')
  await database
    .transaction(async (transaction) => {
      result = { of: await work(transaction) }
      throw back
    })
    .catch((error: unknown) => {
      if (error !== back) throw error
    })
  return (result as unknown as { readonly of: Result }).of
}
