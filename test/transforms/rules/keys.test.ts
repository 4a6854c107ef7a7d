import { expect, test } from 'vitest'
import { type Json, type JsonObject, valueByKey } from '../../../transforms/rules/values.ts'

test.each<[name: string, object: JsonObject, value: Json | undefined]>([
  ['a key is found in its own spelling', { roomid: 7 }, 7],
  ['a key is found in another case', { RoomID: 7 }, 7],
  ['of two spellings the first counts', { RoomId: 7, RoomID: 8 }, 7],
  ['a spelling with null is passed over', { RoomId: null, RoomID: 8 }, 8],
  ['a spelling with a blank text is passed over', { RoomId: ' \0', RoomID: 8 }, 8],
  ['false is a value', { RoomId: false, RoomID: 8 }, false],
  ['an empty list is a value', { RoomId: [], RoomID: 8 }, []],
  ['a key that is not there has no value', { RoomId2: 7, Room: 8 }, undefined],
  ['a key that is null in every spelling has no value', { RoomId: null, RoomID: '' }, undefined],
])('%s', (_, object, value) => {
  expect(valueByKey(object, 'roomid')).toEqual(value)
})

test('properties that every JavaScript object inherits are not read as values', () => {
  expect(valueByKey({}, 'constructor')).toBeUndefined()
})
