/** Returns a Markdown table; columns without any text are left out. Cells must not contain line breaks. */
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

/** Returns a short name for a data type of PostgreSQL. */
export function shortType(type: string): string {
  return type
    .replace('timestamp with time zone', 'timestamptz')
    .replace('timestamp without time zone', 'timestamp')
}
