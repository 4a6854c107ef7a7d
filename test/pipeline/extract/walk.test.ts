import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { blocksOf } from '../snippets/blocks.ts'

const read = (path: string) => readFileSync(join(packageRoot, path), 'utf8')

test('what the page on sources shows of the example is there to the letter', () => {
  const page = 'pipeline/sources/README.md'
  const example = read('test/sources/sessionize/sessionize.ts')
  const shown = blocksOf(page, read(page)).filter(({ language }) => language === 'ts')
  expect(shown.length).toBeGreaterThan(7)
  for (const { text } of shown) expect(example).toContain(text)
})

test('the page on the library shows its example', () => {
  const page = 'pipeline/library/README.md'
  const [shown] = blocksOf(page, read(page)).filter(({ language }) => language === 'ts')
  expect(`${shown?.text}\n`).toBe(read('test/package/library-example.ts'))
})
