/**
 * Characters that JSON does not escape, although Node's readline or Python's splitlines may end a line at
 * them.
 */
const LINE_ENDS = /[\u0085\u2028\u2029]/g

/**
 * Writes a value as JSON on one line. Every reader sees one line, and parsing the line gives the same value.
 */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    LINE_ENDS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
