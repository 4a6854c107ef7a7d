import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '../../../pipeline/database/migrate.ts'
import { openPGlite } from '../../../pipeline/database/pglite.ts'
import { makeFolder } from '../../support/folder.ts'

let folder = ''
beforeEach(() => {
  folder = makeFolder()
})

test('what was written is there when the directory is opened again; one at a time has it open', async () => {
  const directory = join(folder, 'new', 'db')
  const first = await openPGlite(directory)
  await first.script('create table kept (id integer)')
  const sink = first.copyInto('kept', ['id'])
  await sink.write([7])
  await sink.commit()
  await expect(openPGlite(directory)).rejects.toMatchObject({ code: 'locked' })
  await first.close()

  const second = await openPGlite(directory)
  const { rows } = await sql`select * from kept`.execute(second.kysely)
  expect(rows).toEqual([{ id: 7 }])
  await second.close()
})

test('a small database has few buffers, which are memory and time; a large one those of the engine', async () => {
  const directory = join(folder, 'db')
  const buffersOf = async () => {
    const { kysely, close } = await openPGlite(directory)
    const { rows } = await sql<{ shared_buffers: string }>`show shared_buffers`.execute(kysely)
    await close()
    return rows[0]?.shared_buffers
  }
  expect(await buffersOf()).toBe('16MB')
  writeFileSync(join(directory, 'base', 'large'), '')
  truncateSync(join(directory, 'base', 'large'), 300 * 1024 * 1024)
  expect(await buffersOf()).toBe('128MB')
})

test('if the engine cannot be opened, the folder is named, and what to do', async () => {
  const directory = join(folder, 'db')
  mkdirSync(directory)
  writeFileSync(join(directory, 'PG_VERSION'), 'none')
  await expect(openPGlite(directory)).rejects.toThrow(
    /^the embedded database in .*db cannot be opened: .*, and run again; platform untouched$/,
  )
})

test.runIf(existsSync('/dev/full'))(
  'where the disk is full, that is said, and nothing is left of the look',
  async () => {
    const directory = join(folder, 'db')
    mkdirSync(directory)
    writeFileSync(join(directory, 'PG_VERSION'), 'none')
    // A disk without room.
    symlinkSync('/dev/full', join(directory, 'room.partial'))
    await expect(openPGlite(directory)).rejects.toThrow(
      `the embedded database in ${directory} cannot be opened: the folder cannot be written (ENOSPC: no space left on device); free some space on its disk, and run again; platform untouched`,
    )
    expect(readdirSync(directory)).not.toContain('room.partial')
  },
)

test("where its folder cannot be made, the folder and the system's reason are named", async () => {
  writeFileSync(join(folder, 'file'), '')
  const directory = join(folder, 'file', 'db')
  await expect(openPGlite(directory)).rejects.toThrow(
    `the folder ${directory} of the embedded database cannot be written (ENOTDIR: not a directory); let this user write there, or name a PostgreSQL in \`database\``,
  )
})

test('a directory that cannot be opened is free again', async () => {
  // PGlite takes a directory with this file for a database.
  writeFileSync(join(folder, 'PG_VERSION'), '9.6\n')
  const faults: unknown[] = []
  for (let attempt = 1; attempt <= 2; attempt += 1)
    await openPGlite(folder).catch((fault) => faults.push(fault))
  expect(faults.length).toBe(2)
  for (const fault of faults) expect(fault).not.toMatchObject({ code: 'locked' })
})

describe.runIf(process.platform !== 'win32')('nobody but its owner reads or writes the database', () => {
  test('while it is used, once it is closed, and after it was rebuilt', async () => {
    const directory = join(folder, 'db')
    const database = await openPGlite(directory)
    await migrate(database)
    await database.script('create index more on sync.runs (finished_at)')
    expect(openToOthers(directory)).toEqual([])
    await database.close()
    expect(openToOthers(directory)).toEqual([])

    const again = await openPGlite(directory)
    await again.scrub([], { isThorough: true })
    await again.close()
    expect(openToOthers(directory)).toEqual([])
  })

  test('if it was made before, for everybody', async () => {
    const directory = join(folder, 'db')
    await (await openPGlite(directory)).close()
    for (const path of pathsIn(directory)) chmodSync(join(directory, path), 0o777)
    expect(openToOthers(directory).length).toBeGreaterThan(900)
    const database = await openPGlite(directory)
    expect(openToOthers(directory)).toEqual([])
    await database.close()
  })
})

/** A folder, as `.`, and all in it. */
function pathsIn(directory: string): readonly string[] {
  return ['.', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })]
}

/** Returns what in a folder others than its owner may read, write or enter. */
function openToOthers(directory: string): readonly string[] {
  return pathsIn(directory).filter((path) => (statSync(join(directory, path)).mode & 0o077) !== 0)
}
