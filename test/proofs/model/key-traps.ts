import { type Draw, traps } from '../../harness/draw.ts'
import { isList, type Json, type JsonObject } from '../../harness/json.ts'
import type { Fields } from './elements.ts'

type Member = readonly [key: string, value: Json]

/** Returns a value that the product treats as missing. */
const blank = ({ random }: Draw, value: Json): Json =>
  isList(value) ? null : random.pick(['', null, '  \u00a0'])

/** Spellings of one key. Keys of Source A are found in upper and lower case. */
const spelled = traps<readonly Member[], [key: string, value: Json]>('key', {
  'as documented': [60, (_, key, value) => [[key, value]]],
  'small letters': [3, (_, key, value) => [[key.toLowerCase(), value]]],
  'capital letters': [3, (_, key, value) => [[key.toUpperCase(), value]]],
  'twice, the first without a value': [1.5, (draw, key, value) => [without(draw, key, value), [key, value]]],
  'twice, the second without a value': [1.5, (draw, key, value) => [[key, value], without(draw, key, value)]],
  'twice, both with a value': [1, (_, key, value) => [[key, value], second(key, value)]],
})

const without = (draw: Draw, key: string, value: Json): Member => [key.toUpperCase(), blank(draw, value)]
const second = (key: string, value: Json): Member => [
  key.toLowerCase(),
  typeof value === 'string' ? 'a second value' : null,
]

export function spellKeys(draw: Draw, fields: Fields): JsonObject {
  const members = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : spelled(draw, key, value),
  )
  return { members: draw.random.chance(0.1) ? draw.random.shuffled(members) : members }
}
