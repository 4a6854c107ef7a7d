import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { useFolder } from '../support/folder.ts'
import { deadLinks, readPage, readPages } from './pages.ts'
import { makeSite } from './site.ts'

const ROOT = join(import.meta.dirname, '../..')
const folder = useFolder()
const pages = readPages()

test('every link of a document leads to a file or a heading', () => {
  expect(pages.length).toBeGreaterThan(50)
  expect(pages.flatMap(({ links }) => links).length).toBeGreaterThan(150)
  expect(deadLinks(pages)).toEqual([])
})

test.each([
  ['a file that does not exist', '[a](nowhere.md)', 'nowhere.md does not exist'],
  ['a file outside the project', '[a](../../x.md)', '../../x.md does not exist'],
  ['a picture that does not exist', '![a](nowhere.png)', 'nowhere.png does not exist'],
  ['a folder', '[a](queries)', 'queries is a folder; link to its README.md'],
  ['a heading that does not exist', '[a](#nowhere)', '#nowhere leads to no heading'],
  [
    'a heading that another page does not have',
    '[a](../README.md#nowhere)',
    '../README.md#nowhere leads to no heading',
  ],
])('a link to %s is found', (_what, text, fault) => {
  const other = readPage('README.md', '# Somewhere')
  const page = readPage(
    'sql/README.md',
    `${text} [b](../README.md#somewhere) [c](README.md) [d](https://x.example)`,
  )
  expect(deadLinks([page, other])).toEqual([`sql/README.md: ${fault}`])
})

test('headings get the anchors that GitHub gives them, and the second of two equal headings a number', () => {
  const { anchors, sections } = readPage(
    'x.md',
    '# Is it `set-up`?\n\none\n\n## Réglage, 2\n\n## Réglage, 2\n\ntwo\n',
  )
  expect([...anchors]).toEqual(['is-it-set-up', 'réglage-2', 'réglage-2-1'])
  expect(sections.map(({ text }) => text.trim())).toEqual(['one', '', 'two'])
})

test('the site has a page for each document, files to which they link, and a search index of all sections', () => {
  const { pages: written } = makeSite(folder())
  expect(written).toBe(pages.length)
  const read = (path: string) => readFileSync(join(folder(), path), 'utf8')
  for (const path of ['index.html', 'sql/queries/README.html', 'pipeline/docs/report.png'])
    expect(existsSync(join(folder(), path))).toBe(true)
  expect(read('README.html')).toContain('href="pipeline/commands/README.html"')
  expect(read('README.html')).not.toMatch(/href="(?!https?:)[^"]+\.md[#"]/)
  expect(read('sql/queries/README.html')).toContain('<script src="../../assets/search.js">')
  const index = JSON.parse(read('assets/index.js').replace(/^window\.SECTIONS = /, ''))
  expect(index).toContainEqual(
    expect.objectContaining({
      title: 'Bring the platform back',
      url: 'pipeline/commands/README.html#bring-the-platform-back',
    }),
  )
  expect(index.length).toBe(pages.flatMap(({ sections }) => sections).length)
})

test('a page that a message or a help text names exists, with its section', () => {
  const known = new Map(pages.map(({ path, anchors }) => [path, anchors]))
  const named = globSync('{pipeline,loaders,transforms}/**/*.ts', { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const code = parseSync(file, text).comments.reduceRight(
      (rest, { start, end }) => rest.slice(0, start) + rest.slice(end),
      text,
    )
    return [...code.matchAll(/((?:[\w-]+\/)+[\w-]+\.md|README\.md)(?:#([\w-]+))?/g)]
  })
  expect(named.length).toBeGreaterThan(40)
  const wrong = named.filter(([, page = '', anchor]) => {
    const anchors = known.get(page)
    return anchors === undefined || (anchor !== undefined && !anchors.has(anchor))
  })
  expect(wrong.map(([text]) => text)).toEqual([])
})
