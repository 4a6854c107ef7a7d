import { createHash } from 'node:crypto'
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FileWriter, writeWhole } from '../../../loaders/files/file-writer.ts'
import { useFolder } from '../../support/folder.ts'

const folder = useFolder()
const writePrivate = (path: string, write: (writer: FileWriter) => Promise<void>) =>
  writeWhole(path, write, { mode: 'private' })
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

test('a file is written completely, its folder is created if it is missing, and its size and hash are returned', async () => {
  const path = join(folder(), 'new', 'deep', 'file.txt')
  const written = await writePrivate(path, async ({ write }) => {
    await write('é')
    await write('😀\n')
  })
  expect(readFileSync(path, 'utf8')).toBe('é😀\n')
  expect(written).toEqual({ bytes: 7, sha256: sha256('é😀\n') })
  expect(readdirSync(join(folder(), 'new', 'deep'))).toEqual(['file.txt'])
})

test('content that is larger than the buffer is written in order, and its digest can be read while it is written', async () => {
  const path = join(folder(), 'file.txt')
  const lines = Array.from({ length: 5000 }, (_, place) => `line ${place} – ${'é'.repeat(40)}\n`)
  const digests: string[] = []
  const written = await writePrivate(path, async ({ write, digest }) => {
    for (const [place, line] of lines.entries()) {
      await write(line)
      if (place % 1000 === 0) digests.push(digest())
    }
  })
  expect(digests).toEqual(
    [0, 1000, 2000, 3000, 4000].map((place) => sha256(lines.slice(0, place + 1).join(''))),
  )
  expect(readFileSync(path, 'utf8')).toBe(lines.join(''))
  expect(written).toEqual({ bytes: Buffer.byteLength(lines.join('')), sha256: sha256(lines.join('')) })
})

test('if writing fails, a new file does not exist and an old file is unchanged', async () => {
  const failure = new Error('the database went away')
  const path = join(folder(), 'file.txt')
  const fail = () =>
    writePrivate(path, async ({ write }) => {
      await write('x'.repeat(200_000))
      throw failure
    })
  await expect(fail()).rejects.toBe(failure)
  expect(readdirSync(folder())).toEqual([])
  writeFileSync(path, 'before')
  await expect(fail()).rejects.toBe(failure)
  expect(readdirSync(folder())).toEqual(['file.txt'])
  expect(readFileSync(path, 'utf8')).toBe('before')
})

test('a file has its old content under its final name until the new content is complete', async () => {
  const path = join(folder(), 'file.txt')
  writeFileSync(path, 'before')
  writeFileSync(`${path}.partial`, 'of a crash, and longer than what is written now')
  await writePrivate(path, async ({ write }) => {
    await write('x'.repeat(100_000))
    expect(readFileSync(path, 'utf8')).toBe('before')
  })
  expect(readFileSync(path, 'utf8')).toBe('x'.repeat(100_000))
  expect(readdirSync(folder())).toEqual(['file.txt'])
})

test('if the final name is already the name of a folder, writing fails and leaves no partial file', async () => {
  const path = join(folder(), 'taken')
  mkdirSync(path)
  await expect(writePrivate(path, ({ write }) => write('x'))).rejects.toThrow()
  expect(readdirSync(folder())).toEqual(['taken'])
})

test('if the partial file is a link to another file, writing does not change that other file', async () => {
  const [path, other] = [join(folder(), 'file.txt'), join(folder(), 'file of another pack.txt')]
  writeFileSync(other, 'as it was')
  linkSync(other, `${path}.partial`)
  await writePrivate(path, ({ write }) => write('new'))
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(readFileSync(other, 'utf8')).toBe('as it was')
})
