declare global {
  // The language's types do not know these two yet; Node has them since version 21.
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/**
 * A JSON value as the reader hands it to the rules.
 *
 * A number is a JavaScript number where that prints the digits as the source wrote them, and otherwise a
 * `RawNumber` that keeps them: `99999999999999999`, `1.0` and `1e3` are raw, `7` and `0.5` are not.
 */
export type Json = null | boolean | number | string | RawNumber | readonly Json[] | JsonObject

/** A number with its digits as written, made by `JSON.rawJSON`; `JSON.stringify` prints it unchanged. */
export interface RawNumber {
  readonly rawJSON: string
}

export type JsonObject = { readonly [key: string]: Json }

/** A plain JSON object: no list, no null, no raw number. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
}

/** Keeps the digits of a number as the source wrote them. */
export function toJsonNumber(digits: string): number | RawNumber {
  const value = Number(digits)
  return String(value) === digits ? value : JSON.rawJSON(digits)
}

const PERHAPS_NUMBER = /[:[,]\s*-?\d/

/** Parses JSON text; numbers keep their digits as written. */
export function parseJson(text: string): unknown {
  if (!PERHAPS_NUMBER.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? toJsonNumber(context.source) : value,
  )
}
