import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { filedAs, JOBS, openQueue, type Queue } from '../../pipeline/database/job-queue.ts'
import { migrate } from '../../pipeline/database/migrate.ts'
import { openPGlite } from '../../pipeline/database/pglite.ts'
import type { Database } from '../../sql/database.ts'
import { useFolder } from '../support/folder.ts'

const folder = useFolder()

const rowsIn = async (directory: string) => {
  const database = await openPGlite(directory)
  const rows = await database.kysely.selectFrom('sync.forgotten_addresses').selectAll().execute()
  await database.close()
  return rows.length
}

test('if a process dies at any point while it rebuilds the database directory, the next open finds all rows', async () => {
  const directory = join(folder(), 'db')
  const beside = `${directory}.rebuilt`
  const database = await openPGlite(directory)
  await migrate(database)
  const rows = Array.from({ length: 1000 }, (_, place) => ({
    integration_id: 'summit',
    source: 'a',
    source_place: 'source-a.example',
    source_event_id: '4242',
    forgotten_in: 'summit',
    address_mac: Buffer.from(String(place)),
    key_check: Buffer.alloc(32),
  }))
  await database.kysely.insertInto('sync.forgotten_addresses').values(rows).execute()
  await database.scrub([], { isThorough: true })
  await database.close()
  expect(readdirSync(folder())).toEqual(['db'])
  expect(await rowsIn(directory)).toBe(1000)

  // State 1: the new directory is only half copied.
  mkdirSync(beside)
  writeFileSync(join(beside, 'PG_VERSION'), '')
  expect(await rowsIn(directory)).toBe(1000)
  expect(readdirSync(folder())).toEqual(['db'])

  // State 2: the new directory is complete, and the old directory is half deleted.
  cpSync(directory, beside, { recursive: true })
  writeFileSync(join(beside, 'rebuilt'), '')
  rmSync(join(directory, 'base'), { recursive: true })
  expect(await rowsIn(directory)).toBe(1000)

  // State 3: the new directory is complete, and the old directory is deleted.
  renameSync(directory, beside)
  writeFileSync(join(beside, 'rebuilt'), '')
  expect(await rowsIn(directory)).toBe(1000)
  expect(readdirSync(directory)).not.toContain('rebuilt')
})

test('the rebuilt database directory also contains waiting jobs, schedules and failed jobs', async () => {
  const directory = join(folder(), 'db')
  const first = await openPGlite(directory)
  await migrate(first)
  const [before, ...read] = await stateOfQueue(first, async (queue) => {
    await queue.boss.schedule(JOBS, '0 4 * * *', {}, { ...filedAs('summit'), key: 'summit', tz: 'UTC' })
    await queue.call('summit')
    await queue.call('expo')
    const [turn] = await queue.take(1, ['expo'])
    if (turn !== undefined) await queue.fail(turn, 'extract failed', 10)
  })
  expect([before, read.length]).toEqual([expect.arrayContaining(['queue.job_common', 'queue.schedule']), 1])
  await first.scrub([], { isThorough: true })
  await first.close()
  const second = await openPGlite(directory)
  const [after, ...same] = await stateOfQueue(second, async () => undefined)
  expect([after, same]).toEqual([before, read])
  await second.close()
})

/** Returns the names of the queue's tables that have rows, and all of these rows. */
async function stateOfQueue(database: Database, work: (queue: Queue) => Promise<void>) {
  const queue = await openQueue(database, false, (error) => expect(error).toBeNull())
  await work(queue)
  await queue.close()
  const rows: Record<string, readonly unknown[]> = {}
  for (const name of ['job_common', 'queue', 'schedule', 'version']) {
    const found =
      await sql`select to_jsonb(it)::text as row from ${sql.table(`queue.${name}`)} as it order by 1`.execute(
        database.kysely,
      )
    // The time at which settings were last written is left out of the comparison.
    const texts = found.rows.map((row) => JSON.stringify(row).replace(/updated_on[^,]*/g, ''))
    if (texts.length > 0) rows[`queue.${name}`] = texts
  }
  return [Object.keys(rows), rows] as const
}

test("a directory with tables that are not the product's is not rebuilt, and this is reported", async () => {
  const database = await openPGlite(join(folder(), 'db'))
  await migrate(database)
  await database.script('create table public.notes (note text)')
  const { left } = await database.scrub([], { isThorough: true })
  expect(left.join()).toMatch('public.notes')
  await database.close()
})
