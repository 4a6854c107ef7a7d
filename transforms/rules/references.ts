import { Buffer } from 'node:buffer'
import { isJsonObject, type Json, type JsonObject, readText, toList, type Warning } from './values.ts'

/** The ids to which a record refers, each once, in the order of the source. Each warning occurs once. */
export interface References {
  readonly ids: readonly string[]
  readonly warnings: readonly Warning[]
}

const NONE: References = Object.freeze({ ids: Object.freeze([]), warnings: Object.freeze([]) })

/**
 * Reads the ids to which a record refers.
 *
 * @param value null; a list of ids or of objects with an id (see `toList` for its forms); a text with commas;
 * a single number
 * @returns the ids, each read by the text rule. Null and blank elements of the list are ignored. Any other
 * element without an id gives the warning `left_out`
 */
export function readReferences(
  value: Json | undefined,
  idOf: (element: JsonObject) => Json | undefined,
): References {
  if (value === null || value === undefined) return NONE
  const elements = toElements(value)
  if (elements === null) return { ids: [], warnings: ['left_out'] }
  if (elements.length === 0) return NONE

  const ids = new Set<string>()
  const warnings = new Set<Warning>()
  if (typeof value === 'string' && readText(value).warning !== null) warnings.add('unsupported_character')
  for (const element of elements) {
    const isObject = isJsonObject(element)
    const { value: id, warning } = readText(isObject ? idOf(element) : element)
    if (id !== null) ids.add(id)
    if (warning === 'unsupported_character') warnings.add(warning)
    if (warning === 'not_text' || (isObject && id === null)) warnings.add('left_out')
  }
  return { ids: [...ids], warnings: [...warnings] }
}

function toElements(value: Json): readonly Json[] | null {
  const list = toList(value)
  if (list !== null) return list
  if (typeof value === 'string') return value.split(',')
  return typeof value === 'boolean' || isJsonObject(value) ? null : [value]
}

/**
 * Maximum size of an id in bytes. An entry of a PostgreSQL index has at most about 2700 bytes, and some
 * entries contain two ids. Without a maximum size, a single long id would make the whole run fail.
 */
export const MAX_ID_BYTES = 1000

/** Returns true if an id is too long to be staged; no record can have such an id. */
export function isTooLong(id: string): boolean {
  // A UTF-16 unit becomes at most three bytes in UTF-8, so a text this short cannot be too long.
  return id.length > MAX_ID_BYTES / 3 && Buffer.byteLength(id) > MAX_ID_BYTES
}

const SURROGATE = /[\ud800-\udfff]/

/**
 * Sorts ids by their UTF-8 bytes, as `COLLATE "C"` does.
 *
 * JavaScript compares UTF-16 units. The two orders are the same only if no text has surrogates. For example,
 * the character U+10000 comes after U+FF5E in UTF-8, but before it in UTF-16.
 */
export function inByteOrder(ids: readonly string[]): string[] {
  if (!ids.some((id) => SURROGATE.test(id))) return ids.toSorted()
  return ids
    .map((id) => ({ id, bytes: Buffer.from(id) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ id }) => id)
}
