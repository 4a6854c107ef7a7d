import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeProgram } from '../pipeline/commands/program.ts'
import { packageRoot } from '../pipeline/runtime/package-root.ts'
import { openTestIo } from './pipeline/commands/in-process.ts'
import { type Block, blocksOf } from './pipeline/snippets/blocks.ts'
import { faultOf } from './pipeline/snippets/faults.ts'
import { faultOfShellLine } from './pipeline/snippets/shell.ts'
import { useDatabase } from './support/use-database.ts'

/** Folders that are not checked: they contain files of third parties, or files that commands wrote. */
const OTHERS = new Set(['node_modules', 'dist', 'out', '.git', 'event-sync-demo'])

const files = globSync('**/*.md', { cwd: packageRoot, exclude: (name) => OTHERS.has(name) }).map((name) => ({
  name: name.split(sep).join('/'),
  text: readFileSync(join(packageRoot, name), 'utf8'),
}))
const blocks = files.flatMap(({ name, text }) => blocksOf(name, text))

describe('in the documents of the repository', () => {
  test('at least the expected number of blocks is found in the documents', () => {
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['README.md', 'sql/README.md']))
    expect(blocks.length).toBeGreaterThan(5)
  })

  test.each(blocks.map((block) => [`${block.file}, line ${block.line}`, block] as const))(
    'the code block at %s is valid',
    async (_place, block) => {
      expect(await faultOf(block)).toBeNull()
    },
  )

  test('if a document names a file or folder of the tests, the file or folder exists', () => {
    const named = files.flatMap(({ name, text }) =>
      [...text.matchAll(/(?<!`)`(test\/[\w./-]+)`(?!`)/g)].map(([, path]) => [name, path ?? ''] as const),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(([, path]) => !existsSync(join(packageRoot, path)))).toEqual([])
  })

  test('README.md and the page about commands contain an example of every command', async () => {
    const pages = ['README.md', 'pipeline/commands/README.md']
    const shown = blocks
      .filter(({ file, language }) => pages.includes(file) && language === 'sh')
      .flatMap(({ text }) =>
        [...text.matchAll(/^npx --no-install event-sync ([a-z-]+)/gm)].map(([, name]) => name ?? ''),
      )
    const { commands } = await makeProgram(openTestIo(), () => undefined)
    const names = commands.map((command) => command.name())
    expect([...new Set(shown)].toSorted()).toEqual(names.filter((name) => name !== 'help').toSorted())
  })

  test('README.md, which the package also has, says of scripts of npm that they are in the repository', () => {
    const { text = '' } = files.find(({ name }) => name === 'README.md') ?? {}
    const paragraphs = text.split('\n\n')
    const scripts = paragraphs.flatMap((paragraph, index) =>
      /\bnpm (?:ci|start|test|run|pack)\b/.test(paragraph) ? [`${paragraphs[index - 1]}\n${paragraph}`] : [],
    )
    expect(scripts.length).toBeGreaterThan(2)
    expect(
      scripts.filter((one) => !one.includes('in the repository') && !one.includes('In the repository')),
    ).toEqual([])
  })

  test('if a sentence in a document names a command, the command exists', async () => {
    const spans = files.flatMap(({ name, text }) =>
      [
        ...text.matchAll(/(?<!`)`((?:npx (?:--no-install |)|)event-sync [a-z][^`]*|npm [a-z][^`]*)`(?!`)/g),
      ].map(([, command]) => [name, command ?? ''] as const),
    )
    expect(spans.length).toBeGreaterThan(8)
    const faults = await Promise.all(
      spans.map(async ([name, command]) => ({ name, command, fault: await faultOfShellLine(command) })),
    )
    expect(faults.filter(({ fault }) => fault !== null)).toEqual([])
  })
})

describe('on a database', () => {
  const database = useDatabase('postgres')
  const queries = blocks.filter(({ language }) => language === 'sql')

  test.each(queries.map(({ file, line, text }) => [`${file}, line ${line}`, text] as const))(
    'PostgreSQL can run the query in the document at %s',
    async (_place, query) => {
      for await (const { columns } of database().readOnly(query)) expect(columns.length).toBeGreaterThan(0)
    },
  )
})

describe('a block is found wrong that', () => {
  const block = (language: string, text: string): Block => ({ file: 'x.md', line: 1, language, text })
  test.each([
    ['has an unknown language', block('yml', 'http: {}'), '"yml" is no language that is checked'],
    ['is a configuration with a mistake', block('yaml', 'integrations: []'), 'at least one integration'],
    ['is a fragment with one', block('yaml', 'removals: {maxShare: 2}'), 'removals.maxShare'],
    ['names an unknown command', block('sh', 'npx --no-install event-sync sync'), "unknown command 'sync'"],
    ['lets npx fetch a package of others', block('sh', 'npx event-sync run'), 'of somebody else'],
    ['names an unknown option', block('', 'event-sync run --force'), "unknown option '--force'"],
    ['names an unknown command after another', block('sh', 'npm ci && npm run nosuch'), 'no script nosuch'],
  ])('%s', async (_what, wrong, message) => {
    expect(await faultOf(wrong)).toContain(message)
  })
})
