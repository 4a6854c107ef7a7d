import { type Json, num, obj } from './json.ts'

/** Reads a small JSON text, such as links in a string; undefined where it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return toJson(JSON.parse(text))
  } catch {
    return undefined
  }
}

function toJson(value: unknown): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return num(value)
  if (Array.isArray(value)) return value.map(toJson)
  return obj(Object.fromEntries(Object.entries(Object(value)).map(([key, inner]) => [key, toJson(inner)])))
}
