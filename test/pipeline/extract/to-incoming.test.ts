import { expect, test } from 'vitest'
import { LargeRecord } from '../../../pipeline/extract/resource/large-record.ts'
import { largeToIncomingOf, toIncomingOf } from '../../../pipeline/extract/resource/to-incoming.ts'
import {
  type ReadConfig,
  readableResources,
  readRecordOf,
} from '../../../pipeline/sources/contract/read-record.ts'
import type { SourceResource } from '../../../pipeline/sources/contract/source.ts'
import type { CustomFields } from '../../../sql/tables.ts'
import { staged } from '../../../transforms/declare/column.ts'
import { NO_CUSTOM } from '../../../transforms/declare/custom-fields.ts'
import type { AnyTransform } from '../../../transforms/declare/source.ts'
import type { SuppressionFilter } from '../../../transforms/rules/people.ts'
import { isJsonObject, type Json } from '../../../transforms/rules/values.ts'
import { transformA } from '../../../transforms/source-a/index.ts'
import { users as declared } from '../../../transforms/source-a/resources.ts'
import { transformB } from '../../../transforms/source-b/index.ts'

const users: SourceResource = {
  name: 'users',
  table: 'staging.a_users',
  columns: ['id', 'first_name', 'photo_link', 'speaking_at'],
  naming: [],
  keys: [],
  versionInputs: [],
  contents: ['attendees'],
  neededFor: ['attendees'],
  read: readRecordOf(declared, { timeZone: null, fields: {} }),
}
const toIncoming = toIncomingOf(users)
const hashOf = (record: Json, resource = users) => toIncomingOf(resource)(record).versionHash

test('a row has the columns of its record in their order, the warnings and the document', () => {
  const row = toIncoming({ Id: 'a\0', FirstName: 'Ada\ud800', PhotoLink: 'x', SpeakingAt: [2, {}] })
  expect(row).toMatchObject({
    sourceId: 'a',
    values: ['a', 'Ada\ufffd', null, ['2']],
    doc: '{"Id":"a","FirstName":"Ada\ufffd","PhotoLink":"x","SpeakingAt":[2,{}]}',
    fault: null,
  })
  expect(row.warnings.toSorted()).toEqual([
    'left_out:photo_link',
    'left_out:speaking_at',
    'unsupported_character:first_name',
    'unsupported_character:id',
    'unsupported_character:source_id',
  ])
})

test('the row of a quarantined record has a path and a message, but none of its values', () => {
  const row = toIncoming({ FirstName: 'Ada', Phone: '+1 555' })
  expect(row).toMatchObject({ sourceId: null, values: [], warnings: [], doc: null })
  expect(row.fault).toEqual({ path: '$.Id', message: 'no id' })
})

test('if the version of a record is known, its row has only the id and the version, with the same values as a complete row', () => {
  const has = (...records: readonly Json[]) => ({
    has: (hash: string) => records.map((one) => hashOf(one)).includes(hash),
  })
  const known = { Id: 'a\0', FirstName: 'Ada\ud800', PhotoLink: 'x' }
  const noId = { FirstName: 'Ada' }
  const other = { ...known, FirstName: 'Bo' }
  const toKnown = toIncomingOf(users, null, has(known, noId))
  const { sourceId, versionHash } = toIncoming(known)
  const rest = { values: [], warnings: [], doc: null, changedAt: null, fault: null }
  expect(toKnown(known)).toEqual({ sourceId, versionHash, ...rest })
  expect(toKnown(other)).toEqual(toIncoming(other))
  expect(toKnown(noId)).toEqual(toIncoming(noId))
})

test('a record with a number that the database cannot hold is quarantined', () => {
  const row = toIncoming({ Id: 1, PropertyValues: [{ Value: JSON.rawJSON('1e999999') }] })
  expect(row).toMatchObject({ sourceId: null, doc: null })
  expect(row.fault).toEqual({
    path: '$.PropertyValues[0].Value',
    message: 'a number that the database cannot hold',
  })
})

test('the version (a hash) of a record depends on its document, its resource, the columns and the options that change records', () => {
  const record = { Id: 1, FirstName: 'Ada' }
  expect(hashOf(record)).toBe(hashOf({ ...record }))
  expect(hashOf(record)).toHaveLength(64)
  const others = [
    hashOf({ ...record, LastName: null }),
    hashOf({ FirstName: 'Ada', Id: 1 }),
    hashOf({ ...record, Id: '1' }),
    hashOf({ ...record, Id: JSON.rawJSON('1.0') }),
    hashOf(record, { ...users, versionInputs: ['Europe/Berlin'] }),
    hashOf(record, { ...users, name: 'people' }),
    // If the version did not depend on the columns, a new column would stay empty in rows that are already
    // staged.
    hashOf(record, { ...users, columns: [...users.columns, 'last_name'] }),
  ]
  expect(new Set([hashOf(record), ...others]).size).toBe(8)
})

test('an option that changes records gives new versions to the records of its resource, but not to other records', () => {
  const versionsOf = (transform: AnyTransform, config: ReadConfig, custom: CustomFields = {}) =>
    new Map(
      readableResources(transform, config, custom).map((resource) => [resource.name, hashOf({}, resource)]),
    )
  const a = (timeZone: string, facebook: string) =>
    versionsOf(transformA, { timeZone, fields: { facebook, linkedin: 'L' } })
  const b = (timeZone: string, email: string, custom: CustomFields = {}) =>
    versionsOf(transformB, { timeZone, fields: { email } }, custom)
  const changed = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
    [...one].filter(([name, version]) => other.get(name) !== version).map(([name]) => name)
  expect(changed(a('UTC', 'F'), a('Asia/Tokyo', 'F'))).toEqual(['time_slots'])
  expect(changed(a('UTC', 'F'), a('UTC', 'Blog'))).toEqual(['users'])
  expect(changed(b('UTC', 'email'), b('Asia/Tokyo', 'email'))).toEqual(['sessions'])
  expect(changed(b('UTC', 'email'), b('UTC', 'work'))).toEqual(['registrants'])
  const diet = { attendees: { diet: { name: 'diet', from: 'Diet', as: 'text' } } } as const
  expect(changed(b('UTC', 'email'), b('UTC', 'email', diet))).toEqual(['registrants'])
})

test('a forgotten person is not stored again, even if the record of the person is too large', () => {
  const filter: SuppressionFilter = {
    isForgotten: (record) => isJsonObject(record) && record.EmailAddress === 'ada@people.example',
    isForgottenId: (sourceId) => sourceId === '3',
    withoutPeople: (record) => record,
  }
  const toLarge = largeToIncomingOf(users, filter, 100)
  const ada = { Id: 1, EmailAddress: 'ada@people.example', Biography: 'x'.repeat(3000) }
  const bo = { ...ada, Id: 2, EmailAddress: 'bo@people.example' }
  expect(toLarge(LargeRecord.of(ada))).toMatchObject({ sourceId: null, fault: null, isForgotten: true })
  expect(toIncomingOf(users, filter, null, 100)(ada)).toMatchObject({ sourceId: null, isForgotten: true })
  const row = toLarge(LargeRecord.of(bo))
  expect(row).toMatchObject({ sourceId: '2', fault: { path: '$' } })
  expect(toIncomingOf(users, filter, null, 100)(bo)).toEqual(row)
  // A source may compute ids, so that the record has another id than its row.
  const cy = { ...bo, Id: 3 }
  for (const taken of [toLarge(LargeRecord.of(cy)), toIncomingOf(users, filter)(cy)])
    expect(taken).toMatchObject({ sourceId: null, fault: null, isForgotten: true })
})

test('a forgotten person is taken out of a session also if the source computes the ids of people', () => {
  const prefixed = (value: Json | undefined) => (Array.isArray(value) ? value.map((one) => `p-${one}`) : null)
  const sessions: SourceResource = {
    ...users,
    columns: ['title', 'speaker_ids', 'room_ids'],
    naming: ['speaker_ids'],
    contents: ['agenda'],
    read: (record) => {
      if (!isJsonObject(record)) return { path: '$', message: 'not an object' }
      return {
        sourceId: staged('1'),
        values: {
          title: staged('Opening'),
          speaker_ids: staged([...(prefixed(record.speakers) ?? []), ...(prefixed(record.hosts) ?? [])]),
          room_ids: staged(prefixed(record.rooms)),
        },
        custom: NO_CUSTOM,
      }
    },
  }
  const filter: SuppressionFilter = {
    isForgotten: () => false,
    isForgottenId: (sourceId) => sourceId === 'p-7',
    withoutPeople: (record) => record,
  }
  const record = { speakers: [8, 7], hosts: [7], rooms: [7] }
  const row = toIncomingOf(sessions, filter)(record)
  expect(row).toMatchObject({
    values: ['Opening', ['p-8'], ['p-7']],
    doc: '{"speakers":[8],"hosts":[],"rooms":[7]}',
  })
  expect(row).toEqual(toIncomingOf(sessions)({ ...record, speakers: [8], hosts: [] }))
})
