import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrate } from '../../pipeline/database/migrate.ts'
import { openPGlite } from '../../pipeline/database/pglite.ts'
import { useFolder } from '../support/folder.ts'

const folder = useFolder()

const rowsIn = async (directory: string) => {
  const database = await openPGlite(directory)
  const rows = await database.kysely.selectFrom('sync.forgotten_addresses').selectAll().execute()
  await database.close()
  return rows.length
}

test('wherever the rebuilding of a directory dies, what opens it next has all rows', async () => {
  const directory = join(folder(), 'db')
  const beside = `${directory}.rebuilt`
  const database = await openPGlite(directory)
  await migrate(database)
  const rows = Array.from({ length: 1000 }, (_, place) => ({
    integration_id: 'summit',
    address_mac: Buffer.from(String(place)),
  }))
  await database.kysely.insertInto('sync.forgotten_addresses').values(rows).execute()
  await database.scrub([], true)
  await database.close()
  expect(readdirSync(folder())).toEqual(['db'])
  expect(await rowsIn(directory)).toBe(1000)

  // Half copied.
  mkdirSync(beside)
  writeFileSync(join(beside, 'PG_VERSION'), '')
  expect(await rowsIn(directory)).toBe(1000)
  expect(readdirSync(folder())).toEqual(['db'])

  // Whole, the old one half gone.
  cpSync(directory, beside, { recursive: true })
  writeFileSync(join(beside, 'rebuilt'), '')
  rmSync(join(directory, 'base'), { recursive: true })
  expect(await rowsIn(directory)).toBe(1000)

  // Whole, the old one gone.
  renameSync(directory, beside)
  writeFileSync(join(beside, 'rebuilt'), '')
  expect(await rowsIn(directory)).toBe(1000)
  expect(readdirSync(directory)).not.toContain('rebuilt')
})

test('a directory with tables of others is not rebuilt, which is told', async () => {
  const database = await openPGlite(join(folder(), 'db'))
  await migrate(database)
  await database.script('create table public.notes (note text)')
  const { left } = await database.scrub([], true)
  expect(left.join()).toMatch('public.notes')
  await database.close()
})
