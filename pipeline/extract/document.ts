import { isJsonObject, type Json } from '../../transforms/rules/json.ts'
import { exponentOf, isBeyondNumeric, PERHAPS_WIDE } from '../../transforms/rules/numbers.ts'
import { storableText } from '../../transforms/rules/text.ts'

// JSON.stringify writes U+0000 and lone surrogates as escapes, and characters that have no letter for theirs.
const ESCAPED = '\\u'
const UNSTORABLE = /\\u(?:0000|d[89a-f])/

/** Writes a record as JSON text that jsonb can hold: U+0000 is dropped, and lone surrogates become U+FFFD. */
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

/** Zeros that the exponents of one record may stand for: the database writes them out. */
const MOST_ZEROS = 16_777_216

/**
 * Looks for a number that the database cannot hold, such as `1e999999`, or with which it would write out too many zeros.
 *
 * @returns its JSON path, without personal values; null where there is none
 */
export function pathOfWideNumber(record: Json, document: string): string | null {
  return PERHAPS_WIDE.test(document) ? findWideNumber(record, '$', { left: MOST_ZEROS }) : null
}

function findWideNumber(value: Json, path: string, zeros: { left: number }): string | null {
  if (JSON.isRawJSON(value)) {
    zeros.left -= Math.abs(exponentOf(value.rawJSON))
    return zeros.left < 0 || isBeyondNumeric(value.rawJSON) ? path : null
  }
  const isList = Array.isArray(value)
  for (const [key, member] of Object.entries(isList || isJsonObject(value) ? value : {})) {
    const found = findWideNumber(member, isList ? `${path}[${key}]` : `${path}.${nameOf(key)}`, zeros)
    if (found !== null) return found
  }
  return null
}

/** A key as messages may show it: one that is no plain name may be a value, such as an e-mail address or an id. */
function nameOf(key: string): string {
  return /^[A-Za-z_]{1,40}$/.test(key) ? key : '*'
}
