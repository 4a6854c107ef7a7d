import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { blocksOf } from '../snippets/blocks.ts'

const read = (path: string) => readFileSync(join(packageRoot, path), 'utf8')

test('the snippets on the page about sources are exact copies from the example', () => {
  const page = 'pipeline/sources/README.md'
  const example = read('pipeline/sources/examples/pretalx.ts')
  const shown = blocksOf(page, read(page)).filter(({ language }) => language === 'ts')
  expect(shown.length).toBeGreaterThan(7)
  for (const { text } of shown) expect(example).toContain(text)
})

test('the page about the library shows its example unchanged', () => {
  const page = 'pipeline/library/README.md'
  const [shown] = blocksOf(page, read(page)).filter(({ language }) => language === 'ts')
  expect(`${shown?.text}\n`).toBe(read('test/package/example/library.ts'))
})
