import { spellId } from './id-traps.ts'
import { isNumber, type Json, num, obj } from './json.ts'
import { type Draw, traps } from './traps.ts'

const unusable = traps<Json | undefined>('reference without value', {
  absent: [2, () => undefined],
  null: [2, () => null],
  empty: [2, () => ''],
  boolean: [0.7, () => true],
  object: [0.7, () => obj({ Id: 'x' })],
  list: [0.7, () => ['x']],
})

const single = traps<(ids: readonly string[], draw: Draw) => Json | undefined>('reference', {
  known: [20, () => (ids, draw) => spellId(draw, draw.random.pick(ids))],
  unknown: [1, () => (_, draw) => spellId(draw, draw.random.pick(['nobody', '31337', '007']))],
  'without value': [2, () => (_, draw) => unusable(draw)],
})

/** A reference to one of these ids, or to none of them. */
export function reference(draw: Draw, ids: readonly string[], to: string): Json | undefined {
  const value = single(draw)(ids, draw)
  if (value === undefined) draw.tally.count(`no reference to a ${to}`)
  return value
}

/** An element of a list of references. */
const element = traps<(id: string, draw: Draw) => Json>('list element', {
  'object with Id': [10, () => (id, draw) => obj({ Id: spellId(draw, id), FirstName: 'x' })],
  'object with id': [2, () => (id, draw) => obj({ id: spellId(draw, id) })],
  'bare id': [4, () => (id, draw) => spellId(draw, id)],
})

/** Elements that name nobody. */
const emptyElement = traps<Json>('list element without id', {
  null: [1, () => null],
  'object without Id': [1, () => obj({ Name: 'x' })],
  'object with null': [1, () => obj({ Id: null })],
  blank: [1, () => ' '],
  boolean: [1, () => true],
  list: [1, () => ['x']],
})

type MakeList = (ids: readonly string[], draw: Draw) => Json | undefined

function named(ids: readonly string[], { random }: Draw): readonly string[] {
  return Array.from({ length: 1 + random.below(4) }, () => random.pick(ids))
}

const list = traps<MakeList>('list of references', {
  'expanded or bare': [12, () => (ids, draw) => named(ids, draw).map((id) => element(draw)(id, draw))],
  'with an unknown id': [
    2,
    () => (ids, draw) => [...named(ids, draw), `${ids[0]}?`, 'nobody'].map((id) => element(draw)(id, draw)),
  ],
  'with an id twice': [
    2,
    () => (ids, draw) => named(ids, draw).flatMap((id) => [element(draw)(id, draw), element(draw)(id, draw)]),
  ],
  'with an element that names nobody': [
    1,
    () => (ids, draw) => [...named(ids, draw).map((id) => element(draw)(id, draw)), emptyElement(draw)],
  ],
  'elements that name nobody alone': [0.7, () => (_, draw) => [emptyElement(draw)]],
  'no list': [
    1,
    () =>
      (ids, { random }) =>
        random.pick<Json>([true, obj({ Id: ids[0] ?? 'x' }), num(101), ids[0] ?? 'x']),
  ],
  empty: [3, () => () => []],
  null: [2, () => () => null],
  absent: [2, () => () => undefined],
})

const order = traps<(listed: readonly string[], draw: Draw) => Json | undefined>('SpeakerOrder', {
  absent: [3, () => () => undefined],
  null: [2, () => () => null],
  empty: [1, () => () => []],
  'all, in another order': [
    3,
    () =>
      (ids, { random }) =>
        random.shuffled(ids),
  ],
  some: [
    2,
    () =>
      (ids, { random }) =>
        random.some(ids, 0.5),
  ],
  'one more than are listed': [
    2,
    () =>
      (ids, { random }) =>
        random.shuffled([...ids, 'nobody', 'u1']),
  ],
  'one twice': [1, () => (ids) => [...ids, ...ids]],
  'spelled as other forms': [1, () => (ids, draw) => ids.map((id) => spellId(draw, id))],
})

/** A session's list of speakers and their order. */
export function idList(
  draw: Draw,
  ids: readonly string[],
): { readonly list: Json | undefined; readonly order: Json | undefined } {
  const value = list(draw)(ids, draw)
  const texts = (Array.isArray(value) ? value : []).flatMap((each: Json) => textOf(each))
  return { list: value, order: order(draw)(texts, draw) }
}

/** A user's list of sessions. */
export function sessionList(draw: Draw, ids: readonly string[]): Json | undefined {
  return list(draw)(ids, draw)
}

/** The id in a list's element, roughly: what an order of the same source would write. */
function textOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isNumber(value)) return [value.digits]
  if (typeof value === 'object' && value !== null && 'members' in value) {
    return value.members.filter(([key]) => key.toLowerCase() === 'id').flatMap(([, inner]) => textOf(inner))
  }
  return []
}
