/** A JSON number with the digits as they were written: `99999999999999999` and `1.0` stay unchanged. */
export interface JsonNumber {
  readonly digits: string
}

/** A JSON object as a list of keys and values, because one key may occur in two spellings. */
export interface JsonObject {
  readonly members: readonly (readonly [key: string, value: Json])[]
}

/** A JSON value that keeps every detail of its text; strings may contain lone surrogates and U+0000. */
export type Json = null | boolean | string | JsonNumber | readonly Json[] | JsonObject

export function num(digits: string | number): JsonNumber {
  return { digits: String(digits) }
}

/**
 * Makes a JSON object with the keys in the order of `record`; keys with the value `undefined` are left out.
 */
export function obj(record: Readonly<Record<string, Json | undefined>>): JsonObject {
  return {
    members: Object.entries(record).filter((member): member is [string, Json] => member[1] !== undefined),
  }
}

/** Converts a JavaScript value to JSON; keys of an object with the value `undefined` are left out. */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return num(value)
  if (JSON.isRawJSON(value)) return num(value.rawJSON)
  if (Array.isArray(value)) return value.map(toJson)
  const members = Object.entries(Object(value)).filter(([, inner]) => inner !== undefined)
  return { members: members.map(([key, inner]) => [key, toJson(inner)]) }
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

export function isNumber(value: Json | undefined): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'digits' in value
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && 'members' in value
}

/**
 * Style of a JSON text: `plain` as JSON.stringify writes it, `ascii` with ASCII characters only, or `spaced`
 * with white space between the tokens.
 */
export type JsonStyle = 'plain' | 'ascii' | 'spaced'

/**
 * Returns the JSON text of a value. Lone surrogates are written as escapes, because UTF-8 cannot encode lone
 * surrogates.
 */
export function render(value: Json, style: JsonStyle = 'plain'): string {
  const gap = style === 'spaced' ? '\n\t ' : ''
  if (typeof value === 'string')
    return style === 'ascii' ? ascii(JSON.stringify(value)) : JSON.stringify(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (isNumber(value)) return value.digits
  if (isList(value)) return `[${value.map((element) => gap + render(element, style)).join(`${gap},`)}${gap}]`
  if (!isObject(value)) throw new Error('no JSON value')
  const members = value.members.map(
    ([key, inner]) => `${render(key, style)}${gap}:${gap}${render(inner, style)}`,
  )
  return `{${gap}${members.join(`,${gap}`)}${gap}}`
}

function ascii(text: string): string {
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
