import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'

const read = (path: string) => readFileSync(join(packageRoot, path), 'utf8')
const { engines, optionalDependencies }: Readonly<Record<string, Readonly<Record<string, string>>>> =
  JSON.parse(read('package.json'))

test.each([
  ['pipeline/library/README.md', '## As a library'],
  ['pipeline/sources/README.md', '## A new source'],
  ['loaders/platform/README.md', '## A target of your own'],
])(
  '%s says before its first example which Node is needed, and how to call that of the package',
  (path, heading) => {
    const [, after = ''] = read(path).split(`${heading}\n`)
    const [before = ''] = after.split('```')
    expect(before).toMatch(/\[needs? Node 24\]\(\.\.\/\.\.\/README\.md#install-it-elsewhere\)/)
    expect(before).toContain('`npx --no-install node ')
  },
)

test('the README names each Node that the package brings', () => {
  const brought = Object.keys({ ...optionalDependencies }).filter((name) => name.startsWith('node-'))
  expect(engines?.node).toBeDefined()
  expect(brought.length).toBeGreaterThan(2)
  for (const name of brought) expect(read('README.md')).toContain(name)
})
