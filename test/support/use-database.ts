import { afterAll, beforeAll } from 'vitest'
import type { Database } from '../../sql/database.ts'
import { type Engine, openEngine } from './engines.ts'

/** Opening a database costs more than most tests, so the blocks of one file share one of each engine. */
const open = new Map<Engine, Promise<Database>>()

afterAll(async () => {
  for (const database of open.values()) await (await database).close()
})

/** Gives the tests of a block the file's database of an engine. What they leave there, other blocks find. */
export function useDatabase(engine: Engine): () => Database {
  let database: Database | null = null
  beforeAll(async () => {
    const opening = open.get(engine) ?? openEngine(engine)
    open.set(engine, opening)
    database = await opening
  })
  return () => {
    if (database === null) throw new Error('the database is open only while tests run')
    return database
  }
}

/** Does work in a transaction whose traces are taken back, so that tests can share a database. */
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
