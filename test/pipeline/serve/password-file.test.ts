import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { passwordInFile } from '../../../pipeline/serve/password-file.ts'
import { useFolder } from '../../support/folder.ts'

const folder = useFolder()
const bytes = (value: number) => new Uint8Array(24).fill(value)

test('the first call makes a file that only its owner can read, and later calls read the same password', () => {
  const path = join(folder(), 'reader-password')
  const password = passwordInFile(path, '127.0.0.1', bytes(7))
  expect(password).toHaveLength(32)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, 'utf8')).toBe(`127.0.0.1:*:*:*:${password}\n`)
  expect(passwordInFile(path, '127.0.0.1', bytes(8))).toBe(password)
})

test.each(['', 'secret', '127.0.0.1:*:*:*:short\n'])(
  'a file with another content is refused, and not shown',
  (content) => {
    const path = join(folder(), 'reader-password')
    writeFileSync(path, content)
    expect(() => passwordInFile(path, '127.0.0.1', bytes(7))).toThrow(
      `${path} is not a password file of this command; delete it, so that a new one is made`,
    )
  },
)

test('a file that cannot be made is an error with its path', () => {
  const path = join(folder(), 'missing', 'reader-password')
  expect(() => passwordInFile(path, '127.0.0.1', bytes(7))).toThrow(`${path} cannot be used (ENOENT`)
})
