import { isJsonObject, type Json } from '../../transforms/rules/json.ts'
import { storableText } from '../../transforms/rules/text.ts'

/** Exponents and runs of digits up to here are safe for `numeric`, on which jsonb numbers are built. */
const MAX_EXPONENT = 1000
const MANY_DIGITS = /\d{1000}/

// JSON.stringify writes U+0000 and lone surrogates as escapes, and characters that have no letter for theirs.
const ESCAPED = '\\u'
const UNSTORABLE = /\\u(?:0000|d[89a-f])/
const WIDE_NUMBER = /\d[eE][+-]?\d{4}|(?<!\d)\d{1000}/

/**
 * Writes a record as JSON text that jsonb can hold: as received, but for U+0000, which is dropped, and lone
 * surrogates, which become U+FFFD.
 *
 * Source: spec-gaps, "Text".
 */
export function toDocument(record: Json): string {
  const text = JSON.stringify(record)
  return text.includes(ESCAPED) && UNSTORABLE.test(text) ? JSON.stringify(storable(record)) : text
}

function storable(value: Json): Json {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [storableText(key), storable(member)]),
  )
}

/** JSON path of a number that `numeric` cannot hold, such as `1e999999`; null where there is none. */
export function pathOfWideNumber(record: Json, document: string): string | null {
  return WIDE_NUMBER.test(document) ? findWideNumber(record, '$') : null
}

function findWideNumber(value: Json, path: string): string | null {
  if (Array.isArray(value)) return findFirst(value.map((member, index) => [member, `${path}[${index}]`]))
  if (isJsonObject(value))
    return findFirst(Object.entries(value).map(([key, member]) => [member, `${path}.${storableText(key)}`]))
  return JSON.isRawJSON(value) && isWide(value.rawJSON) ? path : null
}

function findFirst(members: readonly (readonly [Json, string])[]): string | null {
  for (const [member, path] of members) {
    const found = findWideNumber(member, path)
    if (found !== null) return found
  }
  return null
}

function isWide(digits: string): boolean {
  const exponent = /[eE]([+-]?\d+)$/.exec(digits)?.[1]
  return MANY_DIGITS.test(digits) || Math.abs(Number(exponent ?? 0)) > MAX_EXPONENT
}
