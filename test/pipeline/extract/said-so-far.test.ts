import { expect, test } from 'vitest'
import { saidSoFar } from '../../../pipeline/extract/resource/said-so-far.ts'
import { saidIn } from '../../../pipeline/sources/contract/said.ts'
import {
  type Ending,
  type Page,
  SourceMovedError,
  UnprovedError,
} from '../../../pipeline/sources/contract/source.ts'
import type { JsonObject } from '../../../transforms/rules/values.ts'

const pageOf = (elements: number, members: JsonObject = {}): Page => ({
  ...{ elements, first: null, last: null, ids: [], versions: [], twice: 0, members, form: 'list' },
  said: saidIn(members, { get: () => null }),
})

const END: Ending = { proof: 'last link', declared: null }

test('a continued reading keeps the declared total and the number of records read before it stopped [R14]', () => {
  const before = saidSoFar(null, 0)
  before.add(pageOf(10, { count: 25 }), 'staged')
  const cursor = before.withCursor({ at: 10 })
  expect(cursor).toMatchObject({ at: 10 })
  const short = saidSoFar(cursor, 1)
  short.add(pageOf(10), 'staged')
  expect(() => short.requireEnd(END)).toThrow('the source declares 25 records, but gave 20')
  const whole = saidSoFar(cursor, 1)
  whole.add(pageOf(15), 'staged')
  whole.requireEnd(END)
})

test('records of a page that is read again do not count twice, but the total that this page declares is used', () => {
  const said = saidSoFar(null, 0)
  said.add(pageOf(10), 'staged')
  said.add(pageOf(10, { count: 20 }), 'compared')
  expect(() => said.requireEnd(END)).toThrow(UnprovedError)
})

test('if the declared total differs from page to page, the source has changed during the reading', () => {
  const said = saidSoFar(null, 0)
  said.add(pageOf(10, { total: 20 }), 'staged')
  said.add(pageOf(9, { total: 19 }), 'staged')
  expect(() => said.requireEnd(END)).toThrow(SourceMovedError)
})

test('only the last page says if more records follow', () => {
  const said = saidSoFar(null, 0)
  said.add(pageOf(10, { hasMore: true }), 'staged')
  said.add(pageOf(10, { hasMore: false }), 'staged')
  said.requireEnd(END)
  said.add(pageOf(10, { hasMore: true }), 'staged')
  expect(() => said.requireEnd(END)).toThrow('there are more records (hasMore)')
})

test('a total that only the proof of the end declares is compared with what was read', () => {
  const said = saidSoFar(null, 0)
  said.add(pageOf(10), 'staged')
  said.requireEnd({ proof: 'total met', declared: 10 })
  const short = () => said.requireEnd({ proof: 'total met', declared: 12 })
  expect(short).toThrow('the source declares 12 records, but gave 10')
})

test('a count of the records on each page never contradicts a whole reading', () => {
  const said = saidSoFar(null, 0)
  for (const count of [10, 10, 7]) said.add(pageOf(count, { count }), 'staged')
  said.requireEnd(END)
})

test('a count of the records on a page does not hide that the total was not reached', () => {
  const said = saidSoFar(null, 0)
  said.add(pageOf(10, { count: 10, total: 25 }), 'staged')
  expect(() => said.requireEnd(END)).toThrow('the source declares 25 records, but gave 10')
})

test('if a page has a record twice, a total that different records do not reach proves nothing [R77]', () => {
  const said = saidSoFar(null, 0)
  said.add(pageOf(6, { count: 6 }), 'staged')
  const counted = () => said.requireEnd({ proof: 'total met', declared: 6 }, 1)
  expect(counted).toThrow(
    'the source declares 6 records, but gave 5 and 1 of them again on the same page: let `readToEnd` read until',
  )
  said.requireEnd({ proof: 'total met', declared: 6 }, 0)
  said.requireEnd({ proof: 'empty page', declared: 6 }, 1)
})
