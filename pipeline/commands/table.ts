import { visible } from './visible.ts'

/** Lays out rows under headings for people; null is an empty cell. Widths count characters, not bytes. */
export function toTable(
  columns: readonly string[],
  rows: readonly (readonly (string | number | boolean | null)[])[],
): string {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '' : visible(String(cell)))))
  const widths = columns.map((column, index) =>
    Math.max(width(column), ...cells.map((row) => width(row[index] ?? ''))),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - width(cell)))
      .join('  ')
      .trimEnd()
  const rule = widths.map((size) => '-'.repeat(size)).join('  ')
  return `${[line(columns), rule, ...cells.map(line)].join('\n')}\n`
}

function width(text: string): number {
  return [...text].length
}
