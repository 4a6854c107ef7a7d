import { beforeEach, describe, expect, test } from 'vitest'
import { type CsvCell, noMask } from '../../../../loaders/packs/csv-files/csv.ts'
import { changesFile } from '../../../../loaders/packs/csv-files/pack-files.ts'
import { changedFields } from '../../../../loaders/packs/csv-files/rows.ts'
import type { Content } from '../../../../sql/tables.ts'
import type { FlatFields } from '../../../../transforms/declare/field-values.ts'
import { engines } from '../../../support/engines.ts'
import { type StoredChange, storeChanges } from '../../../support/runs.ts'
import { emptyTables, INTEGRATION, runId } from '../../../support/staged.ts'
import { useDatabase } from '../../../support/use-database.ts'

test.each<[string, FlatFields, FlatFields, readonly string[]]>([
  ['a number that is the same', { a: JSON.rawJSON('1.50'), b: 10 }, { a: 1.5, b: 10 }, []],
  ['another number', { a: 1 }, { a: 10 }, ['a']],
  ['nothing', { a: 'x', b: ['1', '2'] }, { b: ['1', '2'], a: 'x' }, []],
  ['another text', { a: 'x' }, { a: 'y' }, ['a']],
  ['another order of a list', { a: ['1', '2'] }, { a: ['2', '1'] }, ['a']],
  ['a field that came, and one that went', { a: 'x' }, { b: 'x' }, ['a', 'b']],
  ['several, in byte order', {}, { b: 'x', B: 'x', a: 'x' }, ['B', 'a', 'b']],
])('fields that differ: %s', (_, before, after, names) => {
  expect(changedFields(before, after)).toEqual(names)
})

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  const store = (changes: readonly StoredChange[], run = 1) =>
    storeChanges(
      db(),
      run,
      changes.map((change) => ({ content: 'speakers', state: 'applied', ...change })),
    )

  async function rows(content: Content = 'speakers'): Promise<readonly (readonly CsvCell[])[]> {
    const run = { integrationId: INTEGRATION, runId: runId(1) }
    const source = { db: db(), run, resourceOf: new Map([[content, '']]), timeZone: null, mask: noMask }
    return (await Array.fromAsync(changesFile.pages(source))).flat()
  }

  test('changes.csv has a row for each changed field, and for each field of a created or removed item', async () => {
    await store([
      { uniqueId: 'new', after: { lastName: 'Lovelace', firstName: 'Ada' } },
      {
        uniqueId: 'other',
        before: { firstName: 'Ada', title: 'x', sessionIds: ['1'] },
        after: { firstName: 'Ada', company: 'y', sessionIds: ['1', '2;3'] },
      },
      { uniqueId: 'gone', before: { firstName: 'Bob' }, stated: 'cancelled' },
      { uniqueId: 'elsewhere', after: { name: 'x' }, content: 'agenda' },
      { uniqueId: 'held back', before: { firstName: 'Cy' }, state: 'withheld' },
    ])
    await store([{ uniqueId: 'later', after: { firstName: 'x' } }], 2)
    expect(await rows()).toEqual([
      ['speakers', 'gone', 'remove', 'firstName', 'Bob', null, 'cancelled'],
      ['speakers', 'new', 'create', 'firstName', null, 'Ada', null],
      ['speakers', 'new', 'create', 'lastName', null, 'Lovelace', null],
      ['speakers', 'other', 'update', 'company', null, 'y', null],
      ['speakers', 'other', 'update', 'sessionIds', '1', '1; 2\\;3', null],
      ['speakers', 'other', 'update', 'title', 'x', null, null],
    ])
    expect(await rows('attendees')).toEqual([])
  })

  test('1,200 changes are read in pages in byte order, and none is lost or repeated', async () => {
    const ids = Array.from({ length: 1200 }, (_, place) => `${place % 2 === 0 ? '😀' : '～'}${place}`)
    await store(ids.map((uniqueId) => ({ uniqueId, after: { firstName: 'x', lastName: 'y' } })))
    const inOrder = ids.map((id) => Buffer.from(id)).sort(Buffer.compare)
    expect((await rows()).map((row) => row[1])).toEqual(inOrder.flatMap((id) => [String(id), String(id)]))
  })
})
