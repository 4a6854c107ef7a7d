import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { requireNew, writeNewFile } from '../../../pipeline/commands/new-file.ts'
import { UserError } from '../../../pipeline/settings/errors.ts'
import { useFolder } from '../../support/folder.ts'

const folder = useFolder()
const path = () => join(folder(), 'new.yaml')
const noLinks = () => {
  throw Object.assign(new Error('link'), { code: 'EPERM' })
}

test.each([
  ['a new file', undefined],
  ['a new file on a file system without hard links', noLinks],
])('%s contains the written text, and no other file remains in the folder', (_what, link) => {
  requireNew('new.yaml', folder())
  writeNewFile('new.yaml', 'text é\n', folder(), link)
  expect(readFileSync(path(), 'utf8')).toBe('text é\n')
  expect(readdirSync(folder())).toEqual(['new.yaml'])
})

test.each([
  ['a file', () => writeFileSync(path(), 'mine')],
  ['an empty file', () => writeFileSync(path(), '')],
  ['a folder', () => mkdirSync(path())],
  ['a link to nothing', () => symlinkSync('nowhere', path())],
])('%s that already exists is not changed', (_what, make) => {
  make()
  const before = readdirSync(folder(), { withFileTypes: true }).map((entry) => [entry.name, entry.isFile()])
  const refusal = new UserError(
    'file',
    'new.yaml exists and is not overwritten',
    'name another file with -c FILE',
  )
  expect(() => requireNew('new.yaml', folder())).toThrow(refusal)
  expect(() => writeNewFile('new.yaml', 'theirs', folder())).toThrow(refusal)
  expect(() => writeNewFile('new.yaml', 'theirs', folder(), noLinks)).toThrow(refusal)
  expect(readdirSync(folder(), { withFileTypes: true }).map((entry) => [entry.name, entry.isFile()])).toEqual(
    before,
  )
  if (before[0]?.[1] === true) expect(readFileSync(path(), 'utf8')).not.toContain('theirs')
  expect(existsSync(join(folder(), 'nowhere'))).toBe(false)
})

test('if the folder does not exist or is a file, the error names it', () => {
  const missing = join(folder(), 'no', 'new.yaml')
  expect(() => requireNew(missing, '/')).toThrow(
    `the folder ${join(folder(), 'no')} does not exist; create it and run again; nothing was written`,
  )
  expect(() => writeNewFile(missing, 'x', '/')).toThrow(
    `${missing} cannot be written (ENOENT: no such file or directory); nothing was written`,
  )
  writeFileSync(path(), '')
  const below = join(path(), 'new.yaml')
  expect(() => writeNewFile(below, 'x', '/')).toThrow(
    `${below} cannot be written (ENOTDIR: not a directory: ${path()} is not a folder; move it away, or name another path)`,
  )
})
