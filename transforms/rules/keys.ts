import type { Json, JsonObject } from './json.ts'
import { storableText } from './text.ts'

/**
 * Finds a value of Source A, whose keys match without regard to case.
 *
 * @param name the key in lower case
 * @returns of several spellings the first with a value (neither null nor blank), else undefined
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

/** Whether a value is neither null nor a blank text. */
export function hasValue(value: Json | undefined): boolean {
  if (value === null || value === undefined) return false
  return typeof value !== 'string' || storableText(value).trim() !== ''
}
