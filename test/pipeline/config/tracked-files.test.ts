import { expect, test } from 'vitest'
import { trackFiles } from '../../../pipeline/config/tracked-files.ts'

/** Reads a configuration that names the files of a folder, as the product does. @param first its main file at first */
function open(first = 'event-sync.yaml') {
  const versions = new Map([
    ['event-sync.yaml', '1'],
    ['customers/acme.yaml', '1'],
    ['notes.txt', '1'],
  ])
  const tracked = trackFiles((path) => versions.get(path) ?? 'gone')
  const read = (main = 'event-sync.yaml') => {
    const { readFile, findFiles } = tracked.tracking({
      env: {},
      readFile: (path) => `text of ${path}`,
      findFiles: () => [...versions.keys()].filter((path) => path.startsWith('customers/')),
    })
    readFile(main)
    for (const path of findFiles?.('customers/*.yaml') ?? []) readFile(path)
  }
  read(first)
  return { versions, read, fingerprint: tracked.fingerprint }
}

test.each<[string, (versions: Map<string, string>) => void, boolean]>([
  ['nothing', () => undefined, false],
  ['a file of the configuration', (versions) => versions.set('customers/acme.yaml', '2'), true],
  ['a file that is gone', (versions) => versions.delete('event-sync.yaml'), true],
  ['one more file of a glob', (versions) => versions.set('customers/beta.yaml', '1'), true],
  ['a file that the configuration does not name', (versions) => versions.set('notes.txt', '2'), false],
])('the fingerprint differs exactly if the configuration may differ: %s', (_, change, differs) => {
  const { versions, fingerprint } = open()
  const before = fingerprint()
  change(versions)
  expect(fingerprint() !== before).toBe(differs)
})

test('after the configuration was read again, the files of the reading before do not count', () => {
  const { versions, read, fingerprint } = open('notes.txt')
  read()
  const before = fingerprint()
  versions.set('notes.txt', '2')
  expect(fingerprint()).toBe(before)
})
