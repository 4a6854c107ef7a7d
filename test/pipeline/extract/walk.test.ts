import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { CONTENTS } from '../../../sql/tables.ts'
import { DECLARED_FIELDS } from '../../../transforms/decide/platform-fields.ts'
import { blocksOf } from '../snippets/blocks.ts'

const read = (path: string) => readFileSync(join(packageRoot, path), 'utf8')

test('the snippets on the page about sources are exact copies from the example', () => {
  const page = 'pipeline/sources/README.md'
  const example = read('pipeline/sources/examples/pretalx.ts')
  const shown = blocksOf(page, read(page)).filter(({ language }) => language === 'ts')
  expect(shown.length).toBeGreaterThan(7)
  for (const { text } of shown) expect(example).toContain(text)
})

test('the snippets on the page about targets of your own are the whole example', () => {
  const page = 'loaders/platform/README.md'
  const example = read('pipeline/targets/examples/people.ts')
  const shown = blocksOf(page, read(page)).filter(({ language }) => language === 'ts')
  for (const { text } of shown) expect(example).toContain(text)
  const rest = shown.reduce((left, { text }) => left.replace(text, ''), example)
  expect(rest.replaceAll(/\/\*.*?\*\//g, '').replaceAll(/[\s{}(),]/g, '')).toBe('')
})

test('the page about targets of your own lists the fields of every content, with those that every item has in bold', () => {
  const text = read('loaders/platform/README.md')
  for (const content of CONTENTS) {
    const fields = DECLARED_FIELDS[content].map(({ name, isRequired, isList }) => {
      const shown = `\`${name}${isList ? '[]' : ''}\``
      return isRequired ? `**${shown}**` : shown
    })
    expect(text).toContain(`| ${content} | ${fields.join(', ')} |`)
  }
})

test('the page about the library shows its example unchanged', () => {
  const page = 'pipeline/library/README.md'
  const [shown] = blocksOf(page, read(page)).filter(({ language }) => language === 'ts')
  expect(`${shown?.text}\n`).toBe(read('test/package/example/library.ts'))
})
