/** A clause of a document: a row of a table, an item of a list, or a paragraph. */
export interface Clause {
  /** Such as `spec 2.2.3`, the third row or item of section 2.2, `spec 2.2 p1`, its first paragraph, or `gaps rules.1`. */
  readonly id: string
  readonly text: string
}

/**
 * Finds the clauses of a document: in each section the rows of its tables and the items of its lists, numbered
 * through, and its paragraphs.
 *
 * @param document name that the ids begin with
 * @param sections what ids call a section, by the beginning of its heading; others are called by their number
 */
export function clausesOf(
  document: string,
  markdown: string,
  sections: Readonly<Record<string, string>> = {},
): readonly Clause[] {
  const clauses: Clause[] = []
  for (const part of markdown.split(/^#{2,3} /m).slice(1)) {
    const [heading = '', ...lines] = part.split('\n')
    const named = Object.entries(sections).find(([beginning]) => heading.startsWith(beginning))?.[1]
    const section = named ?? /^[\d.]*\d/.exec(heading)?.[0] ?? heading
    for (const [index, text] of [...rowsOf(lines), ...itemsOf(lines)].entries()) {
      clauses.push({ id: `${document} ${section}.${index + 1}`, text })
    }
    for (const [index, text] of paragraphsOf(lines).entries()) {
      clauses.push({ id: `${document} ${section} p${index + 1}`, text })
    }
  }
  return clauses
}

/** Rows of tables; of three lines that begin with `|` the first two are head and rule. */
function rowsOf(lines: readonly string[]): readonly string[] {
  return lines.filter((line, index) => {
    const isRow = line.startsWith('|') && !/^\|[\s|:-]*$/.test(line)
    return isRow && !/^\|[\s|:-]*$/.test(lines[index + 1] ?? '')
  })
}

function itemsOf(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => /^(?:\d+\.|-) /.test(line))
}

/** Text that stands by itself: its lines begin at the margin, which those of an item do not. */
function paragraphsOf(lines: readonly string[]): readonly string[] {
  return lines.filter((line, index) => isProse(line) && !isProse(lines[index - 1] ?? ''))
}

function isProse(line: string): boolean {
  return /^\S/.test(line) && !/^(?:\||#|\d+\. |- )/.test(line)
}
