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

test('rows that were written are found when the directory is opened again, and only one process can open it at a time', async () => {
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

test("a small database gets small buffers, which saves memory and time; a large database gets the buffers of the engine's default", async () => {
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

test('if the engine cannot be opened, the error names the folder and says what to do', async () => {
  const directory = join(folder, 'db')
  mkdirSync(directory)
  writeFileSync(join(directory, 'PG_VERSION'), 'none')
  await expect(openPGlite(directory)).rejects.toThrow(
    /^the embedded database in .*db cannot be opened: .*; restore a backup of the folder$/,
  )
})

test.runIf(existsSync('/dev/full'))(
  'if the disk is full, the error says so, and the file of the check is deleted',
  async () => {
    const directory = join(folder, 'db')
    mkdirSync(directory)
    writeFileSync(join(directory, 'PG_VERSION'), 'none')
    // `/dev/full` behaves like a file on a full disk.
    symlinkSync('/dev/full', join(directory, 'room.partial'))
    await expect(openPGlite(directory)).rejects.toThrow(
      `the embedded database in ${directory} cannot be opened: the folder cannot be written (ENOSPC: no space left on device); free some space on its disk`,
    )
    expect(readdirSync(directory)).not.toContain('room.partial')
  },
)

test('if a file of the database cannot be used, the error names it and the reason of the system', async () => {
  const directory = join(folder, 'db')
  mkdirSync(directory)
  writeFileSync(join(directory, 'PG_VERSION'), 'none')
  symlinkSync('base', join(directory, 'base'))
  await expect(openPGlite(directory)).rejects.toThrow(
    `the symbolic links of ${directory}/base lead in a circle; correct the links); correct this`,
  )
})

test('if the folder of the database cannot be created, the error names the folder and the reason of the system', async () => {
  writeFileSync(join(folder, 'file'), '')
  const directory = join(folder, 'file', 'db')
  await expect(openPGlite(directory)).rejects.toThrow(
    `the folder ${directory} of the embedded database cannot be written (ENOTDIR: not a directory: ${join(folder, 'file')} is not a folder; move it away, or name another path); correct this, or name a PostgreSQL in \`database\``,
  )
})

test('if the database in a directory cannot be opened, the lock of the directory is released', async () => {
  // PGlite treats a directory with this file as a database.
  writeFileSync(join(folder, 'PG_VERSION'), '9.6\n')
  const faults: unknown[] = []
  for (let attempt = 1; attempt <= 2; attempt += 1)
    await openPGlite(folder).catch((fault) => faults.push(fault))
  expect(faults.length).toBe(2)
  for (const fault of faults) expect(fault).not.toMatchObject({ code: 'locked' })
})

describe.runIf(process.platform !== 'win32')('only its owner can read or write the database', () => {
  test('only its owner can access the database while it is used, after it is closed, and after it was rebuilt', async () => {
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

  test('opening a database removes the access of other users, even if its files were open to everybody before', async () => {
    const directory = join(folder, 'db')
    await (await openPGlite(directory)).close()
    for (const path of pathsIn(directory)) chmodSync(join(directory, path), 0o777)
    expect(openToOthers(directory).length).toBeGreaterThan(900)
    const database = await openPGlite(directory)
    expect(openToOthers(directory)).toEqual([])
    await database.close()
  })
})

/** Returns the paths of everything in a folder, with `.` for the folder itself. */
function pathsIn(directory: string): readonly string[] {
  return ['.', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })]
}

/** Returns the paths in a folder that users other than its owner may read, write or enter. */
function openToOthers(directory: string): readonly string[] {
  return pathsIn(directory).filter((path) => (statSync(join(directory, path)).mode & 0o077) !== 0)
}
