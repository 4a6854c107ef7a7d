import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readExactly, replaceFile } from '../../../pipeline/commands/replace-file.ts'
import { useFolder } from '../../support/folder.ts'

const folder = useFolder()
const path = () => join(folder(), 'new.yaml')

test('a file is replaced only if nobody has changed it since it was read; a symbolic link stays a link', () => {
  writeFileSync(join(folder(), 'real.yaml'), '\uFEFFone\r\n')
  symlinkSync('real.yaml', path())
  const former = readExactly('new.yaml', folder())
  expect(former).toBe('\uFEFFone\r\n')
  replaceFile('new.yaml', former, `${former}two\r\n`, folder())
  expect(readFileSync(join(folder(), 'real.yaml'), 'utf8')).toBe('\uFEFFone\r\ntwo\r\n')
  expect(lstatSync(path()).isSymbolicLink()).toBe(true)
  expect(() => replaceFile('new.yaml', former, 'three', folder())).toThrow(
    'new.yaml was changed meanwhile; run again; nothing was written',
  )
  expect(readdirSync(folder()).sort()).toEqual(['new.yaml', 'real.yaml'])
})

test('a file that is not in UTF-8 is refused, because its bytes would change', () => {
  writeFileSync(path(), Buffer.from([0x61, 0xe9]))
  expect(() => readExactly('new.yaml', folder())).toThrow(
    'new.yaml is not in UTF-8; save it in UTF-8; nothing was written',
  )
  expect(() => readExactly('none.yaml', folder())).toThrow('none.yaml cannot be read (ENOENT')
})
