import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeShared } from '../../../pipeline/inspect/shared-file.ts'
import { useFolder } from '../../support/folder.ts'

const folder = useFolder()

test('if 160 processes write the same file at the same time, one complete file and no partial file remains', async () => {
  const path = join(folder(), 'index.html')
  const texts = Array.from({ length: 160 }, (_, at) => `${String(at % 10).repeat(50_000 + at)}\n`)
  await Promise.all(texts.map((text) => writeShared(path, text, 'private')))
  expect(texts).toContain(readFileSync(path, 'utf8'))
  expect(readdirSync(folder())).toEqual(['index.html'])
})

test('the partial file of a dead process is deleted, but the partial file of a running writer stays', async () => {
  const path = join(folder(), 'index.html')
  const others = ['index.html.old', 'other.html.old.partial']
  for (const name of ['index.html.old.partial', ...others]) {
    writeFileSync(join(folder(), name), '')
    utimesSync(join(folder(), name), 0, 0)
  }
  writeFileSync(`${path}.new.partial`, '')
  await writeShared(path, 'page', 'private')
  expect(readdirSync(folder()).sort()).toEqual(['index.html', 'index.html.new.partial', ...others])
})

test('the folder of the file is made if it is missing, for the owner only', async () => {
  const path = join(folder(), 'out', 'index.html')
  await writeShared(path, 'page', 'private')
  expect(readFileSync(path, 'utf8')).toBe('page')
  expect(statSync(join(folder(), 'out')).mode & 0o777).toBe(0o700)
})
