import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const RULES = 'transforms/RULES.md'

const files = globSync('{pipeline,loaders,transforms,sql,test}/**/*.{ts,sql,md}', {
  cwd: ROOT,
  exclude: ['test/upgrade/*/**'],
}).map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))

/** Returns the text to check: only the comments of a program, or the whole text of a document. */
function prose({ file, text }: (typeof files)[number]): string {
  if (file.endsWith('.md')) return text
  if (file.endsWith('.sql')) return (text.match(/--.*$/gm) ?? []).join('\n')
  return parseSync(file, text)
    .comments.map(({ value }) => value)
    .join('\n')
}

const pages = files.map((one) => ({ file: one.file, prose: prose(one) }))

function anchorsOf(page: string): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const named = [...text.matchAll(/<a id="([\w-]+)">/g)].map(([, id = '']) => id)
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
  return new Set([...named, ...headings])
}

const rules = [...readFileSync(join(ROOT, RULES), 'utf8').matchAll(/^\| <a id="r(\d+)"><\/a>R(\d+) \|/gm)]

test('the rules in the documents are numbered without gaps, and each rule has an anchor with its number', () => {
  expect(rules.map(([, anchor, number]) => [anchor, number])).toEqual(
    rules.map((_, index) => [String(index + 1), String(index + 1)]),
  )
  expect(rules.length).toBeGreaterThan(70)
})

test('if a comment cites a rule or a document, the rule or document exists', () => {
  const cited = pages
    .filter(({ file }) => !file.endsWith('.md'))
    .flatMap(({ file, prose: comments }) =>
      [...comments.matchAll(/([\w/-]+\.md)((?:#[\w-]+)(?:, #[\w-]+)*)/g)].flatMap(
        ([, page = '', anchors = '']) =>
          anchors.split(', ').map((anchor) => ({ file, page, anchor: anchor.slice(1) })),
      ),
    )
  expect(cited.length).toBeGreaterThan(20)
  const known = new Map([...new Set(cited.map(({ page }) => page))].map((page) => [page, anchorsOf(page)]))
  expect(cited.filter(({ page, anchor }) => known.get(page)?.has(anchor) !== true)).toEqual([])
})

test('if a test name ends with a rule number, the rule exists', () => {
  const known = new Set(rules.map(([, , number]) => `R${number}`))
  const cited = files
    .filter(({ file }) => file.startsWith('test/') && file.endsWith('.ts'))
    .flatMap(({ text }) => [...text.matchAll(/ \[((?:spec \d[^\]]*, )?R\d+(?:, R\d+)*)\]['"`]/g)])
    .flatMap(([, tags = '']) => tags.split(', '))
    .filter((tag) => tag.startsWith('R'))
  expect(new Set(cited).size).toBeGreaterThan(60)
  expect(cited.filter((tag) => !known.has(tag))).toEqual([])
})

test('no comment and no document refers to documents outside this repository', () => {
  const absent =
    /\bspec-gaps\b|\bgaps [A-Za-z]+\.\d|\b(?:Source|Rule): (?:spec|gaps|design|details|findings)\b|\bdesign \d/g
  expect(
    pages.flatMap(({ file, prose: text }) => (text.match(absent) ?? []).map((found) => `${file}: ${found}`)),
  ).toEqual([])
})
