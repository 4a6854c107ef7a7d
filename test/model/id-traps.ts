import { type Json, num, obj } from './json.ts'
import { padded } from './text-traps.ts'
import { type Draw, traps } from './traps.ts'

/** Longest id in bytes; a longer one quarantines its record. */
export const MAX_ID_BYTES = 1000

const FORMULA_STARTS = "=+-@'＝"

/** The text of a new id, as the id rule leaves it; `prefix` and `number` make it one of its own. */
const idText = traps<(prefix: string, number: number) => string>('id', {
  plain: [20, () => (prefix, number) => `${prefix}${number}`],
  digits: [12, () => (_, number) => String(100 + number)],
  'zeros in front of digits': [2, () => (_, number) => `00${number}`],
  '17 digits and more': [3, () => (_, number) => `9999999999999999${number}`],
  'a fraction of zero': [1, () => (_, number) => `${number}.0`],
  'a formula': [
    2,
    ({ random }) =>
      (prefix, number) =>
        `${random.pick([...FORMULA_STARTS])}${prefix}${number}`,
  ],
  'other letters': [
    2,
    ({ random }) =>
      (prefix, number) =>
        `${random.pick(['é', 'Z', 'z', 'Ä', '文'])}${prefix}${number}`,
  ],
  // UTF-16 units sort the first before the second, bytes the other way round.
  'beyond the first plane': [
    2,
    ({ random }) =>
      (_, number) =>
        `${random.pick(['\u{1f600}', '\uff5e'])}${number}`,
  ],
  'white space and quotes within': [1, () => (prefix, number) => `${prefix} "${number}"`],
  'semicolon and backslash': [1, () => (prefix, number) => `${prefix};\\${number}`],
  'replacement character': [1, () => (prefix, number) => `${prefix}\ufffd${number}`],
  '1000 bytes': [0.6, () => (prefix, number) => `${prefix}${number}-`.padEnd(MAX_ID_BYTES, 'x')],
})

/** Ids of new records, each another text. */
export function makeIds(draw: Draw, count: number, prefix: string, from = 1): readonly string[] {
  return [...new Set(Array.from({ length: count }, (_, index) => idText(draw)(prefix, from + index)))]
}

const spelling = traps<(text: string, draw: Draw) => Json>('id spelled', {
  'as text': [12, () => (text) => text],
  'as a number where it can be': [
    10,
    () => (text) => (/^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? num(text) : text),
  ],
  padded: [2, () => (text, draw) => padded(draw, text)],
  'with U+0000': [0.6, () => withZero],
})

/** U+0000 after the first character. */
function withZero(text: string): string {
  const [first = ''] = text
  return `${first}\u0000${text.slice(first.length)}`
}

/** An id as a record, or a reference to it, writes it. */
export function spellId(draw: Draw, text: string): Json {
  const spelled = spelling(draw)(text, draw)
  return typeof spelled === 'string' && draw.random.chance(0.5)
    ? spelled.replace('\ufffd', '\udbff')
    : spelled
}

/** In place of an id: what leaves a record without one. */
export const noId = traps<Json | undefined>('record without id', {
  absent: [2, () => undefined],
  null: [2, () => null],
  empty: [2, () => ''],
  blank: [2, () => ' \u00a0'],
  true: [1, () => true],
  object: [2, () => obj({ Id: 'x' })],
  list: [2, () => ['x']],
  '1001 bytes': [2, () => 'y'.repeat(MAX_ID_BYTES + 1)],
})

/** Elements of a resource that are no object. */
export const noObject = traps<Json>('record that is no object', {
  null: [1, () => null],
  text: [1, () => 'x'],
  number: [1, () => num(7)],
  boolean: [1, () => true],
  list: [1, () => [obj({ Id: 'x' })]],
})
