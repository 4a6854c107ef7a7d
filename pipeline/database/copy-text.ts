import type { Cell } from '../../sql/database.ts'

const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

/**
 * Writes a row in PostgreSQL's COPY text format (its manual: COPY, "Text Format").
 *
 * The function runs for each record, so it only concatenates strings, which is fast.
 */
export function toCopyLine(row: readonly Cell[]): string {
  let line = ''
  for (let index = 0; index < row.length; index += 1) {
    if (index > 0) line += '\t'
    line += toCopyCell(row[index] ?? null)
  }
  return `${line}\n`
}

function toCopyCell(cell: Cell): string {
  if (cell === null) return '\\N'
  if (typeof cell === 'string') return escapeCell(cell)
  if (typeof cell === 'boolean') return cell ? 't' : 'f'
  if (typeof cell === 'number') return String(cell)
  return cell.length === 0 ? '{}' : escapeCell(toArrayLiteral(cell))
}

/** Returns a value as text that PostgreSQL can read as a value of the column's type. Null stays null. */
export function toCellText(cell: Cell): string | null {
  if (cell === null) return null
  return typeof cell === 'object' ? toArrayLiteral(cell) : String(cell)
}

function escapeCell(text: string): string {
  return SPECIAL.test(text)
    ? text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character)
    : text
}

function toArrayLiteral(elements: readonly string[]): string {
  return `{${elements.map((element) => `"${element.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}
