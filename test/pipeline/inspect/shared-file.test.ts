import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
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
  for (const name of ['old', 'new']) writeFileSync(`${path}.${name}.partial`, '')
  utimesSync(`${path}.old.partial`, 0, 0)
  await writeShared(path, 'page', 'private')
  expect(readdirSync(folder()).sort()).toEqual(['index.html', 'index.html.new.partial'])
})
