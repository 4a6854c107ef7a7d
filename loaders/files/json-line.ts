/**
 * Characters that JSON does not escape but some readers treat as line ends: Node's readline, Python's
 * splitlines.
 */
const LINE_ENDS = /[\u0085\u2028\u2029]/g

/** Writes a value as JSON that every reader treats as one line; parsing it gives the same value. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    LINE_ENDS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
