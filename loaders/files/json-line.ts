/** What JSON leaves as it is in a text, and some readers of lines take for the end of one, as readline of Node and Python's splitlines do. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g

/** Writes a value as JSON that every reader of lines takes for one line; it is the same value. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    LINE_ENDS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
