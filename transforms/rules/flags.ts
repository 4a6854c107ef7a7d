import type { Json } from './json.ts'
import { readText } from './text.ts'

/** Reads a flag: JSON `true` and `false` count, everything else is null. */
export function readFlag(value: Json | undefined): boolean | null {
  return typeof value === 'boolean' ? value : null
}

/**
 * Whether, by `cancelled_at`, a registrant is cancelled.
 *
 * @returns false for null, a blank text, JSON `false` and a zero date (`0000-00-00…`); true for anything else
 */
export function isCancelled(value: Json | undefined): boolean {
  if (value === false) return false
  const text = readText(value)
  if (text.value === null) return text.mark === 'not_text'
  return !text.value.startsWith('0000-00-00')
}
