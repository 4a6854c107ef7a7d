import { visible } from '../text/visible.ts'

type Cell = string | number | boolean | null

/** Lays out rows under headings for people; null is an empty cell. Widths count characters, not bytes. */
export function toTable(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return openTable(columns)(rows)
}

/** Lays out rows page by page. Widths are those of the first page; a later cell that is longer pushes its line to the right. */
export function openTable(columns: readonly string[]) {
  let widths: readonly number[] | null = null
  return (rows: readonly (readonly Cell[])[]): string => {
    const cells = rows.map((row) => row.map((cell) => (cell === null ? '' : visible(String(cell)))))
    const isFirst = widths === null
    widths ??= columns.map((column, at) =>
      Math.max(width(column), ...cells.map((row) => width(row[at] ?? ''))),
    )
    const sizes = widths
    const line = (row: readonly string[]) =>
      row
        .map((cell, at) => cell + ' '.repeat(Math.max(0, (sizes[at] ?? 0) - width(cell))))
        .join('  ')
        .trimEnd()
    const heading = isFirst ? [line(columns), sizes.map((size) => '-'.repeat(size)).join('  ')] : []
    return [...heading, ...cells.map(line)].map((text) => `${text}\n`).join('')
  }
}

function width(text: string): number {
  return [...text].length
}
