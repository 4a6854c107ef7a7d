import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DirectoryLockedError } from '../../../pipeline/database/directory-lock.ts'
import { openPGlite } from '../../../pipeline/database/pglite.ts'
import { startHolder } from '../../support/holder.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-sync-pglite-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('what was written is there when the directory is opened again; one at a time has it open', async () => {
  const directory = join(folder, 'new', 'db')
  const first = await openPGlite(directory)
  await first.script('create table kept (id integer)')
  const sink = first.copyInto('kept', ['id'])
  await sink.write([7])
  await sink.commit()
  await expect(openPGlite(directory)).rejects.toBeInstanceOf(DirectoryLockedError)
  await first.close()

  const second = await openPGlite(directory)
  const { rows } = await sql`select * from kept`.execute(second.kysely)
  expect(rows).toEqual([{ id: 7 }])
  await second.close()
})

test('a directory that another process holds is not touched', async () => {
  const holder = await startHolder(folder)
  await expect(openPGlite(folder)).rejects.toThrow(`process ${holder.pid}`)
  await holder.kill()
})

test('a directory that cannot be opened is free again', async () => {
  // PGlite takes a directory with this file for a database.
  writeFileSync(join(folder, 'PG_VERSION'), '9.6\n')
  const faults: unknown[] = []
  for (let attempt = 1; attempt <= 2; attempt += 1)
    await openPGlite(folder).catch((fault) => faults.push(fault))
  expect(faults.length).toBe(2)
  for (const fault of faults) expect(fault).not.toBeInstanceOf(DirectoryLockedError)
})
