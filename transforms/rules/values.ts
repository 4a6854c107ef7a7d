declare global {
  // TypeScript does not declare `JSON.rawJSON` and `JSON.isRawJSON` yet; Node has them from version 21.
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/**
 * A JSON value in the form in which the reader of the source passes it to the rules.
 *
 * A number is a JavaScript number if JavaScript prints exactly the digits that the source wrote, for example
 * `7` and `0.5`. Any other number is a `RawNumber`, which keeps the digits, for example `99999999999999999`,
 * `1.0` and `1e3`.
 */
export type Json = null | boolean | number | string | RawNumber | readonly Json[] | JsonObject

/**
 * A number that keeps its digits as written. `JSON.rawJSON` makes it, and `JSON.stringify` prints it
 * unchanged.
 */
export interface RawNumber {
  readonly rawJSON: string
}

export type JsonObject = { readonly [key: string]: Json }

/** Returns true if a value is a JSON object. A list, null and a raw number are not objects here. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
}

/** Makes a number from digits; the number keeps the digits as the source wrote them. */
export function toJsonNumber(digits: string): number | RawNumber {
  const value = Number(digits)
  return String(value) === digits ? value : JSON.rawJSON(digits)
}

const PERHAPS_NUMBER = /[:[,]\s*-?\d/

/** Parses JSON text. Numbers keep their digits as written. */
export function parseJson(text: string): unknown {
  if (!PERHAPS_NUMBER.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? toJsonNumber(context.source) : value,
  )
}

const WHOLE_NUMBER = /^\d+$/

/**
 * Returns true if an object is a list with positions as keys. PHP writes such an object for a list from which
 * elements were removed. An empty object is a list too.
 */
export function isNumbered(object: JsonObject): boolean {
  return Object.keys(object).every((key) => WHOLE_NUMBER.test(key))
}

/**
 * Reads a list in every form that sources use. A list can be a JSON list, an object with whole numbers as
 * keys (read in numeric order), or a text with the JSON of either form.
 *
 * @returns null if the value is anything else
 */
export function toList(value: Json | undefined): readonly Json[] | null {
  if (Array.isArray(value)) return value
  if (typeof value === 'string') {
    const parsed = parseListOrObject(value)
    return parsed === null ? null : toList(parsed)
  }
  return isJsonObject(value) && isNumbered(value) ? inOrderOfKeys(value) : null
}

/**
 * Sorts keys by number. JavaScript sorts such keys itself only up to 2^32 - 2, and only if they have no
 * leading zeros.
 */
function inOrderOfKeys(object: JsonObject): readonly Json[] {
  return Object.entries(object)
    .map(([key, value]) => ({ digits: key.replace(/^0+/, ''), value }))
    .sort(({ digits: one }, { digits: other }) => one.length - other.length || (one < other ? -1 : 1))
    .map(({ value }) => value)
}

/** Parses a text that contains a JSON list or object; returns null for any other text. */
export function parseListOrObject(text: string): readonly Json[] | JsonObject | null {
  if (!LIST_OR_OBJECT.test(text)) return null
  try {
    return parseJson(storableText(text).trim()) as readonly Json[] | JsonObject
  } catch {
    return null
  }
}

const LIST_OR_OBJECT = /^[\s\0]*[[{]/

/** A warning about a text that was read. The warning is shown in the detail of the record's decision. */
export type TextWarning = 'not_text' | 'unsupported_character'

/**
 * A warning about a field that was read from a record. `left_out` means that the record has a value for the
 * field, but the value cannot be used.
 */
export type Warning = TextWarning | 'left_out' | 'skipped_time' | 'unknown_zone'

/** A text in the form that the platform gets; `value` is null if the record has no text. */
export interface Text {
  readonly value: string | null
  readonly warning: TextWarning | null
}

const ABSENT: Text = Object.freeze({ value: null, warning: null })
const NOT_TEXT: Text = Object.freeze({ value: null, warning: 'not_text' })

/**
 * Reads a value as text.
 *
 * @param value any JSON value. A number is read as the text of its digits. A boolean, object or list is
 * treated as absent and gives the warning `not_text`
 * @returns the trimmed text; a blank text is treated as absent. The warning is `unsupported_character` if a
 * character was dropped or replaced, even if the text is then empty
 */
export function readText(value: Json | undefined): Text {
  if (typeof value === 'string') return readString(value)
  if (value === null || value === undefined) return ABSENT
  if (typeof value === 'number') return { value: String(value), warning: null }
  if (JSON.isRawJSON(value)) return { value: value.rawJSON, warning: null }
  return NOT_TEXT
}

function readString(text: string): Text {
  const stored = storableText(text)
  const warning = stored === text ? null : 'unsupported_character'
  const value = stored.trim()
  if (value !== '') return { value, warning }
  return warning === null ? ABSENT : { value: null, warning }
}

/**
 * Drops U+0000 from a text and replaces each lone surrogate with U+FFFD. PostgreSQL's types `text` and
 * `jsonb` can store neither U+0000 nor lone surrogates.
 */
export function storableText(text: string): string {
  const kept = text.includes('\0') ? text.replaceAll('\0', '') : text
  return kept.isWellFormed() ? kept : kept.toWellFormed()
}

/**
 * Finds the value of a key in a Source A record, whatever the case of the key's letters.
 *
 * @param name the key in lower case
 * @returns if the key occurs in several spellings, the first value that is neither null nor blank; undefined
 *   if no spelling has a value
 */
export function valueByKey(object: JsonObject, name: string): Json | undefined {
  for (const key of Object.keys(object)) {
    if (key.length === name.length && key.toLowerCase() === name) {
      const value = object[key]
      if (hasValue(value)) return value
    }
  }
  return undefined
}

/** Returns true if a value is neither null nor a blank text. */
export function hasValue(value: Json | undefined): boolean {
  if (value === null || value === undefined) return false
  return typeof value !== 'string' || storableText(value).trim() !== ''
}

/** A flag; `value` is null if the record has no flag or an unusable value. */
export interface Flag {
  readonly value: boolean | null
  readonly warning: 'left_out' | null
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', '1'].map((text) => [text, true] as const),
  ...['false', 'no', '0'].map((text) => [text, false] as const),
])

/** Reads a flag: transforms/RULES.md#r58 */
export function readFlag(value: Json | undefined): Flag {
  if (typeof value === 'boolean') return { value, warning: null }
  const text = readText(value)
  if (text.value === null) return { value: null, warning: text.warning === 'not_text' ? 'left_out' : null }
  const flag = FLAGS.get(text.value.toLowerCase()) ?? null
  return { value: flag, warning: flag === null ? 'left_out' : null }
}

/**
 * Limit for numbers in custom fields. The limit is both the largest exponent and the longest sequence of
 * digits.
 */
const MAX_EXPONENT = 1000
// With the look-behind, a match can begin only at the first of several digits. Without the look-behind, a
// sequence of digits just below the limit would take a thousand times as long.
const MANY_DIGITS = /(?<!\d)\d{1000}/

/**
 * Matches every JSON text that contains a number beyond the limit. The pattern may also match a text in which
 * no number is beyond the limit.
 */
export const PERHAPS_WIDE = new RegExp(`\\d[eE][+-]?\\d{4}|${MANY_DIGITS.source}`)

/** Returns true if a number with these digits is beyond the limit for custom fields. */
export function isWideNumber(digits: string): boolean {
  return MANY_DIGITS.test(digits) || Math.abs(exponentOf(digits)) > MAX_EXPONENT
}

/**
 * Maximum number of digits in PostgreSQL's `numeric`, the type of numbers in jsonb: 131,072 before the
 * decimal point and 16,383 after it.
 */
const BEFORE_POINT = 131_072
const AFTER_POINT = 16_383

/** Returns true if PostgreSQL's `numeric` cannot store a JSON number with these digits. */
export function isBeyondNumeric(digits: string): boolean {
  const [, whole = '', fraction = ''] = /^-?(\d+)(?:\.(\d+))?/.exec(digits) ?? []
  const exponent = exponentOf(digits)
  return whole.length + exponent > BEFORE_POINT || fraction.length - exponent > AFTER_POINT
}

/** Returns the exponent of a number as written; 0 if the number has no exponent. */
export function exponentOf(digits: string): number {
  return Number(/[eE]([+-]?\d+)$/.exec(digits)?.[1] ?? 0)
}
