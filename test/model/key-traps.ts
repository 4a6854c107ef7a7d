import type { Fields } from './elements.ts'
import { isList, type Json, type JsonObject } from './json.ts'
import { type Draw, traps } from './traps.ts'

type Member = readonly [key: string, value: Json]

const blankOf = ({ random }: Draw): Json => random.pick(['', null, '  \u00a0'])

/** How a source spells one key, since those of Source A match in any case. */
const spelled = traps<(key: string, value: Json, draw: Draw) => readonly Member[]>('key', {
  'as documented': [60, () => (key, value) => [[key, value]]],
  'small letters': [3, () => (key, value) => [[key.toLowerCase(), value]]],
  'capital letters': [3, () => (key, value) => [[key.toUpperCase(), value]]],
  'twice, the first without a value': [
    1.5,
    () => (key, value, draw) => [
      [key.toUpperCase(), isList(value) ? null : blankOf(draw)],
      [key, value],
    ],
  ],
  'twice, the second without a value': [
    1.5,
    () => (key, value, draw) => [
      [key, value],
      [key.toUpperCase(), isList(value) ? null : blankOf(draw)],
    ],
  ],
  'twice, both with a value': [
    1,
    () => (key, value) => [
      [key, value],
      [key.toLowerCase(), typeof value === 'string' ? 'a second value' : null],
    ],
  ],
})

/** An object of Source A. */
export function spellKeys(draw: Draw, fields: Fields): JsonObject {
  const members = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : spelled(draw)(key, value, draw),
  )
  return { members: draw.random.chance(0.1) ? draw.random.shuffled(members) : members }
}
