import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hashFile, linesOf, readIfThere } from '../../../loaders/files/read.ts'
import { useFolder } from '../../support/folder.ts'

const folder = useFolder()

// Windows does not have named pipes.
describe.runIf(process.platform !== 'win32')('what is no plain file', () => {
  const kinds: readonly (readonly [string, (path: string) => void])[] = [
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a link to what never ends', (path) => symlinkSync('/dev/zero', path)],
    ['a link to a file', (path) => symlinkSync(import.meta.filename, path)],
    ['a folder', (path) => mkdirSync(path)],
  ]
  test.each(kinds)('%s is not read, and the error message says to move it away', async (_, make) => {
    const path = join(folder(), 'operations.jsonl')
    make(path)
    const message = `${path} is a link or a folder, not a file; move it away`
    expect(() => readIfThere(path)).toThrow(message)
    await expect(hashFile(path)).rejects.toThrow(message)
    await expect(linesOf(path).next()).rejects.toThrow(message)
  })
})

test('if a file is missing, readIfThere returns null and hashFile throws an error', async () => {
  const path = join(folder(), 'missing', 'file')
  expect(readIfThere(path)).toBeNull()
  await expect(hashFile(path)).rejects.toThrow(`${path} is not there`)
})

test.each([10, 100_000])('a file of %d bytes is read to its last byte', async (bytes) => {
  const path = join(folder(), 'file')
  writeFileSync(path, 'x'.repeat(bytes))
  expect((await hashFile(path)).bytes).toBe(bytes)
  expect(readIfThere(path)).toHaveLength(bytes)
})
