/** A line of YAML, and what is said about it at its end. */
export interface Line {
  readonly code: string
  readonly note: string
}

/** Where the notes begin, and where they end at the latest, in characters. */
const noteColumn = 42
const lastColumn = 110

export function indented(lines: readonly Line[]): Line[] {
  return lines.map(({ code, note }) => ({ code: `  ${code}`, note }))
}

/** Lines as an element of a list, below a blank line. */
export function asElement(lines: readonly Line[]): Line[] {
  const element = lines.map(({ code, note }, index) => ({
    code: `${index === 0 ? '  - ' : '    '}${code}`,
    note,
  }))
  return [{ code: '', note: '' }, ...element]
}

/** Lines that count for nothing until the `# ` in front of each is taken away. */
export function commentedOut(lines: readonly Line[]): Line[] {
  return lines.map(({ code, note }) => ({ code: `# ${code}`, note }))
}

/**
 * One line as the lines of a file, its note in a column of its own.
 *
 * Where the note goes on, the line begins as the first one does, so that an editor which takes the `# ` from a
 * whole block leaves a comment there.
 */
export function laidOut({ code, note }: Line): string[] {
  const beginning = /^(?: *# )*/.exec(code)?.[0] ?? ''
  const notes = wrapped(note)
  const isLong = code.length > noteColumn - 2
  const rest = (isLong ? notes : notes.slice(1)).map((text) => withNote(beginning, text))
  return [withNote(code, isLong ? undefined : notes[0]), ...rest]
}

function withNote(code: string, note: string | undefined): string {
  return note === undefined ? code : `${code.padEnd(noteColumn)}# ${note}`
}

function wrapped(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ').filter((one) => one !== '')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length === 0 || noteColumn + '# '.length + longer.length > lastColumn) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines
}
