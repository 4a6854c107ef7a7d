import { expect, test } from 'vitest'
import { repeatedIds, UNREADABLE } from '../../../pipeline/extract/resource/repeated-ids.ts'
import { SourceMovedError } from '../../../pipeline/sources/contract/source.ts'

/** Makes a page of records, each with its id and, after a colon, its version in hex. */
const pageOf = (...records: readonly string[]) => ({
  ids: records.map((record) => record.split(':', 1)[0] ?? ''),
  versions: records.map((record) => (record.split(':')[1] ?? 'a').padEnd(12, '0')),
})

function read(repeated: ReturnType<typeof repeatedIds>, ...pages: readonly (readonly string[])[]): void {
  repeated.restart()
  for (const records of pages) repeated.add(pageOf(...records), null)
}

test('a record that comes on two pages may stand for a record that was not read, so each reading is made again [R78]', () => {
  const repeated = repeatedIds()
  for (const _ of ['first', 'second', 'third']) {
    read(repeated, ['1', '2'], ['3', '1'], ['2', '4'])
    expect(() => repeated.requireUnmoved()).toThrow(SourceMovedError)
    expect(() => repeated.requireUnmoved()).toThrow(
      '2 records came again on a later page, so other records may be missing: check whether',
    )
  }
})

test('two records with one id and different values may be on two pages if a second reading has the same [R78]', () => {
  const repeated = repeatedIds()
  read(repeated, ['1:a', '2:a'], ['3:a', '1:b'])
  expect(() => repeated.requireUnmoved()).toThrow('1 record came again on a later page')
  read(repeated, ['1:a', '2:a'], ['3:a', '1:b'])
  repeated.requireUnmoved()
})

test('a record that changes while the list is read, and moves, is not taken for two records [R78]', () => {
  const repeated = repeatedIds()
  for (const version of ['b', 'c', 'd']) {
    read(repeated, ['1:a', '2:a'], ['3:a', `1:${version}`])
    expect(() => repeated.requireUnmoved()).toThrow(SourceMovedError)
  }
  read(repeated, ['1:e', '2:a'], ['3:a', '4:a'])
  repeated.requireUnmoved()
})

test('an id that one page has twice, or by which two pages overlap, did not come again [R77]', () => {
  const repeated = repeatedIds()
  repeated.add(pageOf('1', '2', '2'), null)
  repeated.add(pageOf('2', '2', '3'), '2')
  repeated.requireUnmoved()
})

test('a record that its own page has twice is counted, unless its values differ or it is shared with the page before [R77]', () => {
  const repeated = repeatedIds()
  expect(repeated.add(pageOf('1:a', '2:a', '2:b', '3:a', '3:a'), null)).toBe(1)
  expect(repeated.add(pageOf('3:a', '3:a', '4:a'), '3')).toBe(1)
  expect(repeated.twiceOnPages()).toBe(2)
  repeated.restart()
  expect(repeated.twiceOnPages()).toBe(0)
})

test('equal records that cannot be read may be on several pages [R78]', () => {
  const repeated = repeatedIds()
  read(repeated, ['1', `${UNREADABLE}ab`], [`${UNREADABLE}ab`])
  repeated.requireUnmoved()
})

test('of a million ids, none is taken for another', () => {
  const repeated = repeatedIds()
  for (let page = 0; page < 1000; page += 1)
    repeated.add(pageOf(...Array.from({ length: 1000 }, (_, index) => `G-${page * 1000 + index}`)), null)
  repeated.requireUnmoved()
})
