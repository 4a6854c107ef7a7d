import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { findHolder, lockDirectory, restrictContents } from '../../../pipeline/database/private-folder.ts'
import { makeFolder } from '../../support/folder.ts'
import { startHolder } from '../../support/holder.ts'

let directory = ''
beforeEach(() => {
  directory = makeFolder()
})

test('a locked directory is refused with the id of the process that holds the lock, and is free once this process is killed', async () => {
  const holder = await startHolder(directory)
  try {
    const refusal = lockDirectory(directory)
    await expect(refusal).rejects.toMatchObject({ code: 'locked' })
    await expect(refusal).rejects.toThrow(
      `the embedded database in ${directory} is in use by process ${holder.pid}; wait until it ends`,
    )
    // A refused attempt to lock the directory does not make its holder release the lock.
    await expect(lockDirectory(directory)).rejects.toMatchObject({ code: 'locked' })
  } finally {
    await holder.kill()
  }
  const lock = await lockDirectory(directory)
  await lock.release()
})

test('a process can lock a directory only once, and again after it has released the lock', async () => {
  const lock = await lockDirectory(directory)
  await expect(lockDirectory(directory)).rejects.toThrow(`is in use by process ${process.pid}`)
  await lock.release()
  const again = await lockDirectory(directory)
  await again.release()
})

test('a symbolic link to a directory shares the lock of the directory', async () => {
  const link = `${directory}-link`
  symlinkSync(directory, link)
  try {
    const lock = await lockDirectory(link)
    await expect(lockDirectory(directory)).rejects.toMatchObject({ code: 'locked' })
    await lock.release()
  } finally {
    rmSync(link)
  }
})

test('a lock on one directory does not lock other directories', async () => {
  const lock = await lockDirectory(directory)
  const other = await lockDirectory(tmpdir())
  await other.release()
  await lock.release()
})

test('locking a directory that does not exist fails with ENOENT', async () => {
  await expect(lockDirectory(join(directory, 'missing'))).rejects.toThrow(/ENOENT/)
})

describe.skipIf(process.platform !== 'linux')(
  'another program that listens at the address of the lock',
  () => {
    /** @param answer message that the other program sends to each process that connects */
    async function squatting(answer: string, work: () => Promise<void>): Promise<void> {
      const name = createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 32)
      const squatter = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.end(answer)
      })
      squatter.listen({ path: `\0event-content-sync-${name}` })
      await once(squatter, 'listening')
      await work().finally(() => squatter.close())
    }

    test('another program that listens at the address of the lock cannot control the terminal by its message', () =>
      squatting('{"holder":"process 1\u001b]0;owned\u0007\u202e"}\n', () =>
        expect(lockDirectory(directory)).rejects.toThrow(
          'is in use by process 1\\x1b]0;owned\\x07\\u{202e}; wait until it ends',
        ),
      ))

    test('another program that listens at the address of the lock counts as its holder, even if it sends no message', () =>
      squatting('', async () => {
        expect(await findHolder(directory)).toBe('another process')
        await expect(lockDirectory(directory)).rejects.toThrow('is in use by another process; wait until')
      }))
  },
)

test('a directory without a holder is reported as free', async () => {
  expect(await findHolder(directory)).toBeNull()
})

// Windows does not have file modes.
test.runIf(process.platform !== 'win32')(
  'the files of a folder become private; the targets of its symbolic links stay unchanged',
  () => {
    const other = makeFolder()
    mkdirSync(join(other, 'below'))
    for (const path of [join(other, 'file'), join(other, 'below', 'file'), join(directory, 'file')])
      writeFileSync(path, '')
    for (const path of [join(other, 'file'), join(other, 'below', 'file')]) chmodSync(path, 0o644)
    symlinkSync(other, join(directory, 'folder'))
    symlinkSync(join(other, 'file'), join(directory, 'link'))
    restrictContents(directory)
    const modeOf = (path: string) => statSync(path).mode & 0o777
    expect(modeOf(join(directory, 'file'))).toBe(0o600)
    expect([modeOf(join(other, 'file')), modeOf(join(other, 'below', 'file'))]).toEqual([0o644, 0o644])
  },
)
