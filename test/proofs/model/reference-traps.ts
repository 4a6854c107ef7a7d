import { type Draw, traps } from '../../harness/draw.ts'
import { isNumber, type Json, num, obj, render } from '../../harness/json.ts'
import type { Fields } from './elements.ts'
import { spellId } from './id-traps.ts'

const unusable = traps<Json | undefined>('reference without value', {
  absent: [2, undefined],
  null: [2, null],
  empty: [2, ''],
  boolean: [0.7, true],
  object: [0.7, obj({ Id: 'x' })],
  list: [0.7, ['x']],
})

const single = traps<Json | undefined, [ids: readonly string[]]>('reference', {
  known: [20, (draw, ids) => spellId(draw, draw.random.pick(ids))],
  unknown: [1, (draw) => spellId(draw, draw.random.pick(['nobody', '31337', '007']))],
  'without value': [2, unusable],
  'longer than an id': [0.7, tooLong],
})

/**
 * Returns a reference that is too long, like a token in place of an id. The text is random, so that it
 * remains long if it is compressed.
 */
function tooLong({ random }: Draw): string {
  const digits = Array.from({ length: 400 }, () => random.below(1_000_000_000).toString(36))
  return digits.join('')
}

export function reference(draw: Draw, ids: readonly string[], to: string): Json | undefined {
  const value = single(draw, ids)
  if (value === undefined) draw.tally.count(`no reference to a ${to}`)
  return value
}

const element = traps<Json, [id: string]>('list element', {
  'object with Id': [10, (draw, id) => obj({ Id: spellId(draw, id), FirstName: 'x' })],
  'object with id': [2, (draw, id) => obj({ id: spellId(draw, id) })],
  'bare id': [4, spellId],
})

const emptyElement = traps<Json>('list element without id', {
  null: [1, null],
  'object without Id': [1, obj({ Name: 'x' })],
  'object with null': [1, obj({ Id: null })],
  blank: [1, ' '],
  boolean: [1, true],
  list: [1, ['x']],
})

function named({ random }: Draw, ids: readonly string[]): readonly string[] {
  return Array.from({ length: 1 + random.below(4) }, () => random.pick(ids))
}

const elements = (draw: Draw, ids: readonly string[]) => ids.map((id) => element(draw, id))

/** Makes a list of references, for example from a user to sessions. */
export const idList = traps<Json | undefined, [ids: readonly string[]]>('list of references', {
  'expanded or bare': [12, (draw, ids) => elements(draw, named(draw, ids))],
  'with an unknown id': [2, (draw, ids) => elements(draw, [...named(draw, ids), `${ids[0]}?`, 'nobody'])],
  'with an id twice': [
    2,
    (draw, ids) =>
      elements(
        draw,
        named(draw, ids).flatMap((id) => [id, id]),
      ),
  ],
  'with an element that names nobody': [
    1,
    (draw, ids) => [...elements(draw, named(draw, ids)), emptyElement(draw)],
  ],
  'elements that name nobody alone': [0.7, (draw) => [emptyElement(draw)]],
  'with one longer than an id': [
    1,
    (draw, ids) => [
      ...elements(draw, named(draw, ids)),
      draw.random.pick<Json>([tooLong(draw), obj({ Id: tooLong(draw) })]),
    ],
  ],
  'a text with one longer than an id': [0.7, (draw, ids) => `${draw.random.pick(ids)},${tooLong(draw)}`],
  'no list': [
    1,
    ({ random }, ids) => random.pick<Json>([true, obj({ Id: ids[0] ?? 'x' }), num(101), ids[0] ?? 'x']),
  ],
  'an object with number keys': [2, (draw, ids) => numbered(elements(draw, named(draw, ids)))],
  'JSON as text': [2, (draw, ids) => ` ${render(elements(draw, named(draw, ids)))}\n`],
  'an object with number keys as text': [
    1,
    (draw, ids) => render(numbered(elements(draw, named(draw, ids)))),
  ],
  empty: [3, []],
  'empty in another form': [1, obj({}), '[]', '{}', ' [ ] '],
  null: [2, null],
  absent: [2, undefined],
})

/** Returns a list as an object whose keys are indexes. The indexes have gaps and are not in order. */
export function numbered(elements: readonly Json[]): Json {
  const places = ['10', '2', '0', '30000000000', '007', '41', '5', '6', '8', '9']
  return { members: elements.map((element, index) => [places[index] ?? String(100 + index), element]) }
}

const order = traps<Json | undefined, [listed: readonly string[]]>('SpeakerOrder', {
  absent: [3, undefined],
  null: [2, null],
  empty: [1, []],
  'all, in another order': [3, ({ random }, ids) => random.shuffled(ids)],
  some: [2, ({ random }, ids) => random.some(ids, 0.5)],
  'one more than are listed': [2, ({ random }, ids) => random.shuffled([...ids, 'nobody', 'u1'])],
  'one twice': [1, (_, ids) => [...ids, ...ids]],
  'spelled as other forms': [1, (draw, ids) => ids.map((id) => spellId(draw, id))],
})

export function speakersOf(draw: Draw, ids: readonly string[]): Fields {
  const listed = idList(draw, ids)
  const texts = (Array.isArray(listed) ? listed : []).flatMap((each: Json) => textOf(each))
  return { Speakers: listed, SpeakerOrder: order(draw, texts) }
}

/** Returns the id of an element of a list as text, similar to the texts in SpeakerOrder. */
function textOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isNumber(value)) return [value.digits]
  if (typeof value === 'object' && value !== null && 'members' in value) {
    return value.members.filter(([key]) => key.toLowerCase() === 'id').flatMap(([, inner]) => textOf(inner))
  }
  return []
}
