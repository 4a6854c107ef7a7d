import { expect, test } from 'vitest'
import type { Resource } from '../../../pipeline/extract/source.ts'
import { readUserWith } from '../../../pipeline/extract/source-a/records.ts'
import { toIncomingOf } from '../../../pipeline/extract/to-incoming.ts'
import type { Json } from '../../../transforms/rules/json.ts'

const users: Resource = {
  name: 'users',
  table: 'staging.a_users',
  columns: ['id', 'first_name', 'photo_link', 'speaking_at'],
  shapedBy: [],
  contents: ['attendees'],
  neededFor: ['attendees'],
  read: readUserWith({ facebook: 'Facebook', linkedin: 'LinkedIn' }),
}
const toIncoming = toIncomingOf(users)
const hashOf = (record: Json, resource = users) => toIncomingOf(resource)(record).versionHash

test('a record gives its columns in their order, its marks and its document', () => {
  const row = toIncoming({ Id: 'a\0', FirstName: 'Ada\ud800', PhotoLink: 'x', SpeakingAt: [2, {}] })
  expect(row).toMatchObject({
    sourceId: 'a',
    values: ['a', 'Ada\ufffd', null, ['2']],
    doc: '{"Id":"a","FirstName":"Ada\ufffd","PhotoLink":"x","SpeakingAt":[2,{}]}',
    fault: null,
  })
  expect(row.marks.toSorted()).toEqual([
    'left_out:photo_link',
    'left_out:speaking_at',
    'unsupported_character:first_name',
    'unsupported_character:id',
    'unsupported_character:source_id',
  ])
})

test('a quarantined record leaves path and message, and no value of its own', () => {
  const row = toIncoming({ FirstName: 'Ada', Phone: '+1 555' })
  expect(row).toMatchObject({ sourceId: null, values: [], marks: [], doc: null })
  expect(row.fault).toEqual({ path: '$.Id', message: 'no id' })
})

test('a number that the database cannot hold quarantines its record', () => {
  const row = toIncoming({ Id: 1, PropertyValues: [{ Value: JSON.rawJSON('1e99999') }] })
  expect(row).toMatchObject({ sourceId: null, doc: null })
  expect(row.fault).toEqual({
    path: '$.PropertyValues[0].Value',
    message: 'a number that the database cannot hold',
  })
})

test('the version is that of the document, the resource, its columns and the options that shape it', () => {
  const record = { Id: 1, FirstName: 'Ada' }
  expect(hashOf(record)).toBe(hashOf({ ...record }))
  expect(hashOf(record)).toHaveLength(64)
  const others = [
    hashOf({ ...record, LastName: null }),
    hashOf({ FirstName: 'Ada', Id: 1 }),
    hashOf({ ...record, Id: '1' }),
    hashOf({ ...record, Id: JSON.rawJSON('1.0') }),
    hashOf(record, { ...users, shapedBy: ['Europe/Berlin'] }),
    hashOf(record, { ...users, name: 'people' }),
    // Else a column that is new would stay empty in what is staged already.
    hashOf(record, { ...users, columns: [...users.columns, 'last_name'] }),
  ]
  expect(new Set([hashOf(record), ...others]).size).toBe(8)
})
