import { expect, test } from 'vitest'
import type { IncomingRow } from '../../../../loaders/staging/incoming.ts'
import { countFills } from '../../../../pipeline/sources/contract/fill-counts.ts'
import { EXACT_KEYS } from '../../../../transforms/declare/resource.ts'

const columns = ['title', 'speaker_ids', 'start_time', 'start_time_status', 'photo_link', 'has_speaker_role']

function row(
  values: readonly IncomingRow['values'][number][],
  warnings: readonly string[] = [],
): IncomingRow {
  return { sourceId: '1', values, warnings, doc: '{}', versionHash: '00'.repeat(32), fault: null }
}

const faulty: IncomingRow = {
  ...row([]),
  sourceId: null,
  doc: null,
  fault: { path: '$.Id', message: 'no id' },
}

test('a value counts as filled, but null, an empty list and a flag that is off do not count', async () => {
  const sink = countFills({ columns })
  await sink.add(row(['Opening', ['u1'], '2031-05-04T13:00:00Z', 'read', null, true]))
  await sink.add(row([null, [], null, 'absent', null, false]))
  const counts = sink.counts()
  expect(counts.records).toBe(2)
  expect(columns.map((column) => counts.filled(column))).toEqual([1, 1, 1, 2, 0, 1])
  expect(columns.map((column) => counts.unusable(column))).toEqual([0, 0, 0, 0, 0, 0])
})

test('a value that cannot be used is counted separately, and once per record', async () => {
  const sink = countFills({ columns })
  await sink.add(
    row([null, null, null, 'unreadable', null, null], ['left_out:photo_link', 'not_text:photo_link']),
  )
  // A value with a warning still counts as filled.
  await sink.add(row([null, ['u1'], null, 'absent', null, null], ['left_out:speaker_ids']))
  const counts = sink.counts()
  expect(columns.map((column) => counts.unusable(column))).toEqual([0, 0, 1, 0, 1, 0])
  expect(counts.filled('speaker_ids')).toBe(1)
})

test('a record that would be quarantined counts as a record without values', async () => {
  const sink = countFills({ columns }, () => 'any')
  await sink.add(faulty)
  expect(sink.counts()).toMatchObject({ records: 1, faults: 1, tally: new Map() })
  expect(sink.totals()).toMatchObject({ elements: 1, faults: 1 })
})

test('if reading a page fails repeatedly, the counts of this page are undone each time', async () => {
  const sink = countFills({ columns }, ({ sourceId }) => sourceId)
  await sink.add(row(['a', ['u1'], null, 'absent', null, null]))
  const start = sink.totals()
  for (const _ of [1, 2]) {
    await sink.add(row(['b', ['u1'], null, 'unreadable', null, null]))
    await sink.add(faulty)
    expect(sink.totals().elements).toBe(3)
    await sink.rewind(start)
  }
  const counts = sink.counts()
  expect([counts.records, counts.faults, counts.filled('title'), counts.unusable('start_time')]).toEqual([
    1, 0, 1, 0,
  ])
  expect([...counts.tally]).toEqual([['1', 1]])
})

test('keys along the paths of custom fields are counted, up to a thousand keys per path', async () => {
  const sink = countFills({ columns }, undefined, { paths: ['a.b.c', 'd'], keys: EXACT_KEYS })
  const ofIds = Object.fromEntries(Array.from({ length: 1200 }, (_, id) => [`k${id}`, 1]))
  const docs = [{ a: { b: { x: 1, y: null } } }, { a: { b: ofIds }, __proto__: null }, { a: [{ b: 1 }] }]
  for (const doc of docs) await sink.add({ ...row([]), doc: JSON.stringify(doc) })
  const start = sink.totals()
  await sink.add({ ...row([]), doc: '{"z":1}' })
  await sink.rewind(start)
  const { keys } = sink.counts()
  expect([...keys.keys()]).toEqual(['', 'a', 'a.b'])
  expect(Object.fromEntries(keys.get('') ?? [])).toEqual({ a: 3 })
  expect(Object.fromEntries(keys.get('a') ?? [])).toEqual({ b: 2 })
  expect(keys.get('a.b')?.size).toBe(1000)
})

test('a column that the resource does not have counts as never filled', () => {
  expect(countFills({ columns }).counts().filled('nosuch')).toBe(0)
})

test('of a forgotten person nothing is counted, and the page of the person can be read again', async () => {
  const sink = countFills({ columns })
  await sink.add({ ...row([]), sourceId: null, doc: null, isForgotten: true })
  const before = sink.totals()
  expect(before).toMatchObject({ elements: 1, forgotten: 1 })
  await sink.add(row(['Opening', [], null, 'absent', null, false]))
  await sink.rewind(before)
  expect([sink.counts().records, sink.counts().filled('title')]).toEqual([0, 0])
})
