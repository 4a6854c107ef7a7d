/** A table of Markdown, without columns in which nothing stands; a cell may hold anything but a line break. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isFilled = head.map((_, at) => rows.some((cells) => cells[at] !== ''))
  const line = (all: readonly string[]) => {
    const cells = all.filter((_, at) => isFilled[at]).map((cell) => cell.replaceAll('|', '\\|'))
    return `| ${cells.join(' | ')} |`
  }
  const rule = `|${isFilled.map((filled) => (filled ? '---|' : '')).join('')}`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

export const code = (text: string): string => `\`${text}\``

/** Types as people write them. */
export function shortType(type: string): string {
  return type
    .replace('timestamp with time zone', 'timestamptz')
    .replace('timestamp without time zone', 'timestamp')
}
