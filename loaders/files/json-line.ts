/** Characters that JSON does not escape, and that some readers take for the end of a line: readline of Node, splitlines of Python. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g

/** Writes a value as JSON that every reader of lines takes for one line; it is the same value. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    LINE_ENDS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
