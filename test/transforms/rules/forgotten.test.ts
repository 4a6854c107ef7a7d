import { describe, expect, test } from 'vitest'
import { makeSieve } from '../../../transforms/rules/forgotten.ts'
import type { Json } from '../../../transforms/rules/json.ts'
import { peopleOfA } from '../../../transforms/source-a/people.ts'
import { peopleOfB } from '../../../transforms/source-b/people.ts'

const known = {
  isId: (id: string) => id === 'u1' || id === '7',
  isAddress: (address: string) => address.toLowerCase() === 'ada@people.example',
}
const ofA = makeSieve(peopleOfA.shape({}), known)
const ofB = makeSieve(peopleOfB.shape({ fields: { email: 'work_email' } }), known)

describe('a record is of a person who was forgotten', () => {
  test.each<[string, typeof ofA, Json, boolean]>([
    ['by its id', ofA, { Id: 'u1' }, true],
    ['by its id in another spelling of the key', ofA, { ID: ' u1 ' }, true],
    ['by an id that is a number', ofA, { id: 7 }, true],
    ['by its address in another case', ofA, { Id: 'u9', EmailAddress: ' ADA@people.example' }, true],
    ['by its address without an id', ofA, { EmailAddress: 'ada@people.example' }, true],
    ['by the configured address', ofB, { id: 9, work_email: 'ada@people.example' }, true],
    ['not by another id', ofA, { Id: 'u11' }, false],
    ['not by a key of Source B in another case', ofB, { ID: 'u1' }, false],
    ['not where it is no object', ofA, 'u1', false],
  ])('%s', (_, sieve, record, expected) => {
    expect(sieve.isForgotten(record)).toBe(expected)
  })
})

describe('what others say of them is taken out', () => {
  test.each<[string, typeof ofA, Json, Json]>([
    [
      'objects',
      ofA,
      { Id: 1, Speakers: [{ Id: 'u1', FirstName: 'Ada' }, { Id: 'u2' }] },
      { Id: 1, Speakers: [{ Id: 'u2' }] },
    ],
    ['bare ids', ofA, { SPEAKERS: ['u1', 7, 'u2'] }, { SPEAKERS: ['u2'] }],
    ['ids in a text', ofA, { SpeakerOrder: 'u2,u1' }, { SpeakerOrder: 'u2' }],
    ['a single id', ofA, { SpeakerOrder: 7 }, { SpeakerOrder: null }],
    [
      'a speaker deep within',
      ofA,
      { SpeakingAt: [{ Id: 5, Speakers: [{ Id: 'u1' }] }] },
      { SpeakingAt: [{ Id: 5, Speakers: [] }] },
    ],
    [
      'an object by its address',
      ofA,
      { Owner: { Name: 'Ada', Email: 'Ada@people.example' } },
      { Owner: null },
    ],
    ['registrants', ofB, { registrants: [{ id: 7 }, { id: 8 }] }, { registrants: [{ id: 8 }] }],
  ])('%s', (_, sieve, record, expected) => {
    expect(sieve.reduced(record)).toEqual(expected)
  })

  test.each<[string, Json]>([
    ['a room with the same id', { Id: 1, Room: { Id: 7, Name: 'East' }, RoomId: 'u1' }],
    ['a record with the id itself', { Id: 'u1', Title: 'Opening' }],
    ['no object', ['u1']],
  ])('%s stays the same value', (_, record) => {
    expect(ofA.reduced(record)).toBe(record)
  })
})
