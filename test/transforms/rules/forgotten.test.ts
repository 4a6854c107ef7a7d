import { describe, expect, test } from 'vitest'
import { id, text } from '../../../transforms/declare/column.ts'
import { EXACT_KEYS, resource } from '../../../transforms/declare/resource.ts'
import { source } from '../../../transforms/declare/source.ts'
import { makeSuppressionFilter } from '../../../transforms/rules/people.ts'
import type { Json } from '../../../transforms/rules/values.ts'
import { transformA } from '../../../transforms/source-a/index.ts'
import { transformB } from '../../../transforms/source-b/index.ts'
import { DEFAULTS as optionsOfB } from '../source-b/options.ts'

const known = {
  isId: (id: string) => id === 'u1' || id === '7',
  isAddress: (address: string) => address.toLowerCase() === 'ada@people.example',
}
const ofA = makeSuppressionFilter(transformA.people.keys(null), known)
const ofB = makeSuppressionFilter(
  transformB.people.keys({ ...optionsOfB, fields: { email: 'work_email' } }),
  known,
)

const records = resource('guests', 'x_guests', EXACT_KEYS, id('guestId'), {
  mail: text('mail'),
  more: text('more'),
})
const people = { records, address: records.columns.mail }
const declared = source<null>({ resources: [records], contents: [], people, fillIn: '' })
const ofDeclared = makeSuppressionFilter(declared.people.keys(null), known)

describe('a record belongs to a forgotten person', () => {
  test.each<[string, typeof ofA, Json, boolean]>([
    ['by its id', ofA, { Id: 'u1' }, true],
    ['by its id in another spelling of the key', ofA, { ID: ' u1 ' }, true],
    ['by its address in another case', ofA, { Id: 'u9', EmailAddress: ' ADA@people.example' }, true],
    ['by its address without an id', ofA, { EmailAddress: 'ada@people.example' }, true],
    ['by the configured address', ofB, { id: 9, work_email: 'ada@people.example' }, true],
    ['by the declared id', ofDeclared, { guestId: '7' }, true],
    ['by the declared address', ofDeclared, { guestId: '8', mail: 'ada@people.example' }, true],
    [
      'not by an address that is declared as something else',
      ofDeclared,
      { more: 'ada@people.example' },
      false,
    ],
    ['not by another id', ofA, { Id: 'u11' }, false],
    ['not by a key of Source B in another case', ofB, { ID: 'u1' }, false],
    ['not where it is no object', ofA, 'u1', false],
    ['not by their address in another field', ofA, { Id: 'u9', Company: 'ada@people.example' }, false],
  ])('%s', (_, filter, record, expected) => {
    expect(filter.isForgotten(record)).toBe(expected)
  })
})

describe('forgotten people are removed from other records', () => {
  test.each<[string, typeof ofA, Json, Json]>([
    [
      'objects',
      ofA,
      { Id: 1, Speakers: [{ Id: 'u1', FirstName: 'Ada' }, { Id: 'u2' }] },
      { Id: 1, Speakers: [{ Id: 'u2' }] },
    ],
    ['bare ids', ofA, { SPEAKERS: ['u1', 7, 'u2'] }, { SPEAKERS: ['u2'] }],
    ['ids in a text', ofA, { SpeakerOrder: 'u2,u1' }, { SpeakerOrder: 'u2' }],
    ['ids under number keys', ofA, { Speakers: { '0': 7, '2': 'u2' } }, { Speakers: { '2': 'u2' } }],
    [
      'objects under number keys',
      ofA,
      { Speakers: { '0': { Id: 'u1' }, '1': { Id: 'u2', Team: [{ Email: 'ada@people.example' }] } } },
      { Speakers: { '1': { Id: 'u2', Team: [] } } },
    ],
    [
      'ids in JSON as text',
      ofA,
      { SpeakerOrder: '["u2", "u1", 12345678901234567]' },
      { SpeakerOrder: '["u2",12345678901234567]' },
    ],
    [
      'objects in JSON as text',
      ofA,
      { Speakers: '{"0":{"Id":7,"FirstName":"Ada"},"1":{"Id":8}}' },
      { Speakers: '{"1":{"Id":8}}' },
    ],
    ['a single id', ofA, { SpeakerOrder: 7 }, { SpeakerOrder: null }],
    ['registrants', ofB, { registrants: [{ id: 7 }, { id: 8 }] }, { registrants: [{ id: 8 }] }],
    ['ids of registrants', ofB, { registrant_ids: [7, 8] }, { registrant_ids: [8] }],
    [
      'a speaker within one of two elements',
      ofA,
      { SpeakingAt: [{ Id: 5, Speakers: [{ Id: 'u1' }] }, { Id: 6 }] },
      { SpeakingAt: [{ Id: 5, Speakers: [] }, { Id: 6 }] },
    ],
    [
      'an object within an object',
      ofA,
      { Room: { Id: 1, Owner: { Email: 'ada@people.example' } } },
      { Room: { Id: 1, Owner: null } },
    ],
  ])('%s', (_, filter, record, expected) => {
    expect(filter.withoutPeople(record)).toEqual(expected)
  })

  test.each<[string, Json]>([
    ['a room with the same id', { Id: 1, Room: { Id: 7, Name: 'East' }, RoomId: 'u1' }],
    ['a record with the id itself', { Id: 'u1', Title: 'Opening' }],
    ['a value that is not an object', ['u1']],
  ])('%s stays the same value', (_, record) => {
    expect(ofA.withoutPeople(record)).toBe(record)
  })
})
