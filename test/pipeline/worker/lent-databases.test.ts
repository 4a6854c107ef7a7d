import { expect, test } from 'vitest'
import { lentDatabases } from '../../../pipeline/worker/lent-databases.ts'
import type { Database } from '../../../sql/database.ts'

/** Makes fake databases that have only a number, and records which databases were closed. */
function useDatabases() {
  const closed: number[] = []
  let opened = 0
  const names = new Map<Database, number>()
  const lent = lentDatabases(async () => {
    opened += 1
    const name = opened
    const database = { close: async () => void closed.push(name) } as unknown as Database
    names.set(database, name)
    return database
  })
  const run = (result: string) => lent.lend(async (database) => ({ result, name: names.get(database) }))
  return { lent, run, closed }
}

test('a run uses the database of a run that has ended', async () => {
  const { lent, run, closed } = useDatabases()
  expect([await run('done'), await run('busy'), await run('done')].map(({ name }) => name)).toEqual([1, 1, 1])
  expect(closed).toEqual([])
  await lent.close()
  expect(closed).toEqual([1])
})

test('concurrent runs use different databases', async () => {
  const { lent, closed } = useDatabases()
  const { promise, resolve } = Promise.withResolvers<void>()
  const wait = async () => promise.then(() => ({ result: 'done' }))
  const both = Promise.all([lent.lend(wait), lent.lend(wait)])
  resolve()
  await both
  await lent.close()
  expect(closed.sort()).toEqual([1, 2])
})

test('the database of a run that failed or threw an error is closed', async () => {
  const { lent, run, closed } = useDatabases()
  await run('failed')
  expect(closed).toEqual([1])
  await expect(lent.lend(async () => Promise.reject(new Error('broke')))).rejects.toThrow('broke')
  expect(closed).toEqual([1, 2])
  expect(await run('done')).toMatchObject({ name: 3 })
})
