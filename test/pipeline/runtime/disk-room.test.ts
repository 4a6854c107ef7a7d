import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freeBytes, requireLogRoom, requireRoom, sizeOf } from '../../../pipeline/runtime/disk-room.ts'
import { useFolder } from '../../support/folder.ts'

const folder = useFolder()
const PETABYTES = 2 ** 53 - 1

test('the size of a folder is the sum of all files below it', () => {
  mkdirSync(join(folder(), 'one', 'two'), { recursive: true })
  writeFileSync(join(folder(), 'a'), 'xx')
  writeFileSync(join(folder(), 'one', 'two', 'b'), 'xxx')
  expect(sizeOf(folder())).toBe(5)
  expect(sizeOf(join(folder(), 'a'))).toBe(2)
  expect(sizeOf(join(folder(), 'missing'))).toBe(0)
})

test('a folder that does not exist yet has the free space of its nearest existing parent', () => {
  const free = freeBytes(join(folder(), 'still', 'to be made'))
  expect(free).toBeGreaterThan(0)
})

test('folders that together do not fit on one disk are refused; the error says what each needs and how much to free', () => {
  const needs = [
    { what: 'the embedded database', folder: join(folder(), 'db'), bytes: 3 * 1024 * 1024 },
    { what: 'the audit pack', folder: join(folder(), 'out'), bytes: PETABYTES },
  ]
  const refused = () => requireRoom(needs)
  expect(refused).toThrow(
    `the disk is too full: the embedded database in ${join(folder(), 'db')} needs about 3 MB, the audit pack in ${join(folder(), 'out')} needs about 8,589,934,592 MB, and there are `,
  )
  expect(refused).toThrow(/ MB free; free [\d,]+ MB or more and run again$/)
  requireRoom(needs.slice(0, 1))
  requireRoom([])
  requireLogRoom({ directory: null })
})
