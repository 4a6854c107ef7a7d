import { expect, test } from 'vitest'
import { saidSoFar } from '../../../pipeline/extract/resource/said-so-far.ts'
import { saidIn } from '../../../pipeline/sources/contract/said.ts'
import { type Page, SourceMovedError, UnprovedError } from '../../../pipeline/sources/contract/source.ts'
import type { JsonObject } from '../../../transforms/rules/values.ts'

const pageOf = (elements: number, members: JsonObject = {}): Page => ({
  ...{ elements, first: null, last: null, ids: [], members, form: 'list' },
  said: saidIn(members, { get: () => null }),
})

test('a continued reading keeps the declared total and the number of records read before it stopped [R14]', () => {
  const before = saidSoFar(null, 0)
  before.add(pageOf(10, { count: 25 }), 'staged')
  const cursor = before.withCursor({ at: 10 })
  expect(cursor).toMatchObject({ at: 10 })
  const short = saidSoFar(cursor, 1)
  short.add(pageOf(10), 'staged')
  expect(() => short.requireEnd()).toThrow('the source declares 25 records, but gave 20')
  const whole = saidSoFar(cursor, 1)
  whole.add(pageOf(15), 'staged')
  whole.requireEnd()
})

test('records of a page that is read again do not count twice, but the total that this page declares is used', () => {
  const said = saidSoFar(null, 0)
  said.add(pageOf(10), 'staged')
  said.add(pageOf(10, { count: 20 }), 'compared')
  expect(() => said.requireEnd()).toThrow(UnprovedError)
})

test('if the declared total differs from page to page, the source has changed during the reading', () => {
  const said = saidSoFar(null, 0)
  said.add(pageOf(10, { total: 20 }), 'staged')
  said.add(pageOf(9, { total: 19 }), 'staged')
  expect(() => said.requireEnd()).toThrow(SourceMovedError)
})

test('only the last page says if more records follow', () => {
  const said = saidSoFar(null, 0)
  said.add(pageOf(10, { hasMore: true }), 'staged')
  said.add(pageOf(10, { hasMore: false }), 'staged')
  said.requireEnd()
  said.add(pageOf(10, { hasMore: true }), 'staged')
  expect(() => said.requireEnd()).toThrow('there are more records (hasMore)')
})
