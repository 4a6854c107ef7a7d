import type { Json, JsonObject } from './json.ts'
import { storableText } from './text.ts'

/**
 * Finds a value of Source A, whose keys match without regard to case.
 *
 * @param name the key in lower case
 * @returns of several spellings the first with a value (neither null nor blank), else undefined
 * Source: spec-gaps, "Keys".
 */
export function valueByKey(object: JsonObject, name: string): Json | undefined {
  for (const key of Object.keys(object)) {
    if (key.length === name.length && key.toLowerCase() === name) {
      const value = object[key]
      if (value !== undefined && !isBlank(value)) return value
    }
  }
  return undefined
}

function isBlank(value: Json): boolean {
  return value === null || (typeof value === 'string' && storableText(value).trim() === '')
}
