import { type Draw, traps } from '../../harness/draw.ts'
import { type Json, num, obj } from '../../harness/json.ts'
import { padded } from './text-traps.ts'

/** Maximum length of an id in bytes. A record with a longer id is quarantined. */
export const MAX_ID_BYTES = 1000

const FORMULA_STARTS = "=+-@'＝"

/**
 * Makes the text of a new id in the form to which the product normalizes ids. The arguments `prefix` and
 * `number` make the id unique.
 */
const idText = traps<string, [prefix: string, number: number]>('id', {
  plain: [20, (_, prefix, number) => `${prefix}${number}`],
  digits: [12, (_, __, number) => String(100 + number)],
  'zeros in front of digits': [2, (_, __, number) => `00${number}`],
  '17 digits and more': [3, (_, __, number) => `9999999999999999${number}`],
  'a fraction of zero': [1, (_, __, number) => `${number}.0`],
  'a formula': [2, ({ random }, prefix, number) => `${random.pick([...FORMULA_STARTS])}${prefix}${number}`],
  'other letters': [2, ({ random }, prefix, number) => `${random.pick([...'éZzÄ文'])}${prefix}${number}`],
  // In the order of UTF-16 units the first character comes before the second; in the order of UTF-8 bytes it
  // comes after the second.
  'beyond the first plane': [
    2,
    ({ random }, _, number) => `${random.pick(['\u{1f600}', '\uff5e'])}${number}`,
  ],
  'white space and quotes within': [1, (_, prefix, number) => `${prefix} "${number}"`],
  'semicolon and backslash': [1, (_, prefix, number) => `${prefix};\\${number}`],
  'replacement character': [1, (_, prefix, number) => `${prefix}\ufffd${number}`],
  '1000 bytes': [0.6, (_, prefix, number) => `${prefix}${number}-`.padEnd(MAX_ID_BYTES, 'x')],
})

/** Makes ids for new records; no two ids are equal. */
export function makeIds(draw: Draw, count: number, prefix: string, from = 1): readonly string[] {
  return [...new Set(Array.from({ length: count }, (_, index) => idText(draw, prefix, from + index)))]
}

const spelling = traps<Json, [text: string]>('id spelled', {
  'as text': [12, (_, text) => text],
  'as a number where it can be': [10, (_, text) => (NUMBER.test(text) ? num(text) : text)],
  padded: [2, padded],
  'with U+0000': [0.6, (_, text) => withZero(text)],
})

const NUMBER = /^(?:0|[1-9]\d*)(?:\.\d+)?$/

function withZero(text: string): string {
  const [first = ''] = text
  return `${first}\u0000${text.slice(first.length)}`
}

/** Returns an id in one of the forms in which a record or a reference can contain it. */
export function spellId(draw: Draw, text: string): Json {
  const spelled = spelling(draw, text)
  return typeof spelled === 'string' && draw.random.chance(0.5)
    ? spelled.replace('\ufffd', '\udbff')
    : spelled
}

/** Values of the key for the id with which the record counts as having no id. */
export const noId = traps<Json | undefined>('record without id', {
  absent: [2, undefined],
  null: [2, null],
  empty: [2, ''],
  blank: [2, ' \u00a0'],
  true: [1, true],
  object: [2, obj({ Id: 'x' })],
  list: [2, ['x']],
  '1001 bytes': [2, 'y'.repeat(MAX_ID_BYTES + 1)],
})

export const noObject = traps<Json>('record that is no object', {
  null: [1, null],
  text: [1, 'x'],
  number: [1, num(7)],
  boolean: [1, true],
  list: [1, [obj({ Id: 'x' })]],
})
