import fs from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openPGlite } from '../../../pipeline/database/pglite.ts'
import { useFolder } from '../../support/folder.ts'

const folder = useFolder()
const directory = () => join(folder(), 'db')
const { writeSync } = fs

afterEach(() => {
  fs.writeSync = writeSync
})

/**
 * Makes every write to a file fail from now on. The database engine writes its files with the function of
 * Node that this test replaces.
 */
function fillDisk(code = 'ENOSPC'): void {
  fs.writeSync = () => {
    throw Object.assign(new Error(`${code}: no room, write`), { code })
  }
}

async function open() {
  const database = await openPGlite(directory())
  const add = (count: number) =>
    database.executeSql(
      `create table if not exists kept (text text); insert into kept select repeat('x', 1000) from generate_series(1, ${count})`,
    )
  const count = async () => {
    const { rows } = await database.executeSql('select count(*)::int as count from kept')
    return (rows[0] as { count: number }).count
  }
  return { database, add, count }
}

test.each(['ENOSPC', 'EIO'])(
  'if the log of the embedded database cannot be written (%s), every query fails with the disk error, and no data is lost',
  async (code) => {
    const { database, add, count } = await open()
    await add(10)
    fillDisk(code)
    const stopped = `the embedded database stopped: the disk of ${directory()} cannot be written (${code}`
    await expect(add(1)).rejects.toThrow(stopped)
    await expect(count()).rejects.toThrow(stopped)
    await expect(database.transaction(async () => undefined)).rejects.toThrow(stopped)
    await database.close()
    fs.writeSync = writeSync
    const again = await open()
    expect(await again.count()).toBe(10)
    await again.add(1)
    expect(await again.count()).toBe(11)
    await again.database.close()
  },
)

test('if a table cannot grow because the disk is full, only its statement fails, and the error names the disk', async () => {
  const { database, add, count } = await open()
  await add(10)
  fillDisk()
  await expect(add(50_000)).rejects.toThrow(
    `No space left on device; the disk of ${directory()} cannot be written (ENOSPC: no space left on device), `,
  )
  fs.writeSync = writeSync
  expect(await count()).toBe(10)
  await database.close()
})

test('a statement that fails does not stop the engine', async () => {
  const { database, add, count } = await open()
  await add(1)
  await expect(database.executeSql('select 1 / 0')).rejects.toThrow('division by zero')
  expect(await count()).toBe(1)
  await database.close()
})

test('temporary files of a killed process are deleted when the embedded database is opened again', async () => {
  const { database, add } = await open()
  await add(1)
  await database.close()
  const left = join(directory(), 'base', 'pgsql_tmp')
  fs.mkdirSync(left)
  fs.writeFileSync(join(left, 'pgsql_tmp42.0'), 'rows of people')
  await (await open()).database.close()
  expect(fs.existsSync(left)).toBe(false)
})

test('a query beside the transaction that waits for it fails, and does not wait forever; other queries wait for the end of the transaction', async () => {
  const { database } = await open()
  const one = () => sql<{ one: number }>`select 1 as one`.execute(database.kysely)
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const waiting = begun.then(one)
  const inside = database.transaction(async () => {
    begin()
    await one()
  })
  await expect(inside).rejects.toThrow('does not use the connection of the transaction')
  expect((await waiting).rows).toEqual([{ one: 1 }])
  await database.close()
})
