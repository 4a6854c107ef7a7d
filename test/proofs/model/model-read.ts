import { domainToUnicode } from 'node:url'
import { isList, isObject, type Json, type JsonObject, toJson } from '../../harness/json.ts'
import { type Fault, readText } from './model-text.ts'

/** A function that finds the value of a key in a record, by the rule of the source. */
export type ValueOf = (record: JsonObject, key: string) => Json | undefined

/** Finds a key of Source B, which must be spelled exactly. */
export const exactKey: ValueOf = ({ members }, key) => members.find(([name]) => name === key)?.[1]

/**
 * Finds a key of Source A, in upper or lower case. If the key occurs in several spellings, the first spelling
 * with a value is used.
 *
 * Interpretation of the rule: null and blank text are not values. If no spelling has a value, the last
 * spelling is used.
 */
export const keyInAnyCase: ValueOf = ({ members }, key) => {
  const found = members.filter(([name]) => name.toLowerCase() === key.toLowerCase()).map(([, value]) => value)
  return found.find(hasValue) ?? found.at(-1)
}

function hasValue(value: Json): boolean {
  return value !== null && !isBlank(value)
}

function isBlank(value: Json): boolean {
  return typeof value === 'string' && readText(value).text === null
}

/**
 * Maximum length of an id in bytes. Interpretation of the rules: a record with a longer id is quarantined,
 * like a record without an id.
 */
const LONGEST_ID_BYTES = 1000

/** Reads an id by the rule for texts; null if the value is not a usable id. */
export function readId(value: Json | undefined): string | null {
  const { text } = readText(value)
  return text !== null && Buffer.byteLength(text) <= LONGEST_ID_BYTES ? text : null
}

/**
 * Reads a reference by the rule for texts. A reference that is longer than an id can be is left out. Source:
 * transforms/RULES.md#r44.
 */
export function readReference(value: Json | undefined): {
  readonly text: string | null
  readonly faults: ReadList['faults']
} {
  const read = readText(value)
  const isLong = read.text !== null && Buffer.byteLength(read.text) > LONGEST_ID_BYTES
  return isLong ? { text: null, faults: [...read.faults, 'left_out'] } : read
}

/**
 * Reads a list in any of the accepted forms; null if the value is not a list. Source:
 * transforms/RULES.md#r57.
 */
export function listIn(value: Json | undefined): readonly Json[] | null {
  if (isList(value)) return value
  if (typeof value === 'string') {
    const parsed = parseWritten(value)
    return typeof parsed === 'object' ? listIn(parsed) : null
  }
  if (!isObject(value)) return null
  const places = value.members.map(([key]) => key)
  if (places.some((place) => /[^0-9]/.test(place) || place === '')) return null
  const inOrder = value.members.toSorted(([one], [other]) => (BigInt(one) < BigInt(other) ? -1 : 1))
  return inOrder.map(([, element]) => element)
}

/**
 * Parses a text that contains a JSON list or object; the digits of numbers remain as written. Returns
 * undefined for any other text.
 */
export function parseWritten(value: string): Json | undefined {
  const { text } = readText(value)
  if (text === null || !/^[[{]/.test(text)) return undefined
  const digits = (_: string, inner: unknown, context?: { readonly source?: string }) =>
    typeof inner === 'number' && context?.source !== undefined ? JSON.rawJSON(context.source) : inner
  try {
    return toJson(JSON.parse(text, digits))
  } catch {
    return undefined
  }
}

export interface ReadList {
  /** The ids in their order, without repetitions. */
  readonly ids: readonly string[]
  readonly faults: readonly (Fault | 'left_out')[]
}

/**
 * Reads ids from a list of objects with an id, from a list of ids, or from a text with commas between ids.
 *
 * Interpretation of the rules: an element without a usable id is left out with a warning. A value that is
 * neither a list nor text is left out with a warning too. Null and blank elements are ignored. Source:
 * transforms/RULES.md#r7, #r19.
 */
export function readIdList(value: Json | undefined, read: ValueOf, idKey: string): ReadList {
  if (value === null || value === undefined) return { ids: [], faults: [] }
  const list = listIn(value)
  const ofText = typeof value === 'string' ? readText(value).faults : []
  if (list === null) {
    const { text, faults } = readText(value)
    const parts = (text ?? '').split(',').map(readReference)
    return {
      ids: [...new Set(parts.flatMap((part) => part.text ?? []))],
      faults: [
        ...faults.map((fault) => (fault === 'not_text' ? ('left_out' as const) : fault)),
        ...parts.flatMap((part) => part.faults),
      ],
    }
  }
  const texts = list.map((element) => readReference(isObject(element) ? read(element, idKey) : element))
  const faults = texts.flatMap(({ text, faults }, index): ReadList['faults'] => {
    const isThere = typeof list[index] !== 'string' && list[index] !== null
    return text === null && isThere ? ['left_out'] : faults
  })
  return { ids: [...new Set(texts.flatMap(({ text }) => text ?? []))], faults: [...ofText, ...faults] }
}

/**
 * Converts an e-mail address to lower case and to the Unicode form NFC. A domain in punycode is decoded to
 * its readable form. Source: transforms/RULES.md#r42.
 */
export function foldAddress(address: string | null): string | null {
  if (address === null) return null
  const folded = address.normalize().toLowerCase().normalize()
  const [, local, domain = ''] = /^(.*@)([^@]*)$/s.exec(folded) ?? []
  const isPlain = !domain.split('.').some((label) => label.startsWith('xn--') || /[^ -~]/.test(label))
  if (local === undefined || isPlain) return folded
  return local + (domainToUnicode(domain) || domain)
}
