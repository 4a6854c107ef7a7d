import pg from 'pg'
import { toCsv } from '../../loaders/audit/csv.ts'
import type { QueryPage } from '../../sql/database.ts'
import { visible } from './visible.ts'

/** How the result of a query is printed. */
export type OutputFormat = 'table' | 'csv' | 'json'
export const OUTPUT_FORMATS: readonly OutputFormat[] = ['table', 'csv', 'json']

/** Prints a result page by page, so that a large one does not fill the memory. */
export interface QueryOutput {
  page(page: QueryPage): string
  end(): string
}

/**
 * @param raw leaves texts in CSV that a spreadsheet could run as a formula without the `'` in front
 */
export function openOutput(format: OutputFormat, raw: boolean): QueryOutput {
  switch (format) {
    case 'table':
      return tableOutput()
    case 'csv':
      return csvOutput(raw)
    case 'json':
      return jsonOutput()
  }
}

/** Widths are those of the first page; a later cell that is longer pushes its line to the right. */
function tableOutput(): QueryOutput {
  let sizes: readonly number[] = []
  let isFirst = true
  return {
    page({ columns, rows }) {
      const cells = rows.map((row) => row.map((cell) => (cell === null ? '' : visible(cell))))
      const hasHeading = isFirst
      if (isFirst) {
        sizes = columns.map((column, at) =>
          Math.max(width(column), ...cells.map((row) => width(row[at] ?? ''))),
        )
      }
      isFirst = false
      const line = (row: readonly string[]) =>
        row
          .map((cell, at) => cell + ' '.repeat(Math.max(0, (sizes[at] ?? 0) - width(cell))))
          .join('  ')
          .trimEnd()
      const heading = hasHeading ? [line(columns), sizes.map((size) => '-'.repeat(size)).join('  ')] : []
      return [...heading, ...cells.map(line)].map((text) => `${text}\n`).join('')
    },
    end: () => '',
  }
}

function width(text: string): number {
  return [...text].length
}

function csvOutput(raw: boolean): QueryOutput {
  let isFirst = true
  return {
    page({ columns, types, rows }) {
      const heading = isFirst ? `${columns.join(',')}\r\n` : ''
      isFirst = false
      // A number is no text that could be a formula, whatever it begins with.
      const isGuarded = (column: number) => !raw && !NUMBERS.has(types[column] ?? 0)
      return heading + (rows.length > 0 ? toCsv(rows, isGuarded) : '')
    },
    end: () => '',
  }
}

const { BOOL, FLOAT4, FLOAT8, INT2, INT4, INT8, JSON: JSON_TYPE, JSONB, NUMERIC } = pg.types.builtins
const NUMBERS: ReadonlySet<number> = new Set([INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC])
const DOCUMENTS: ReadonlySet<number> = new Set([JSON_TYPE, JSONB])
/** `text[]`; the types of the package name no lists. */
const TEXT_LIST = 1009
const listParser = pg.types.getTypeParser(TEXT_LIST as Parameters<typeof pg.types.getTypeParser>[0])
/** Beside it `name[]`, `varchar[]`, `uuid[]`. */
const LISTS: ReadonlySet<number> = new Set([TEXT_LIST, 1003, 1015, 2951])

/** One object with all rows; numbers that JSON readers would round stay text. */
function jsonOutput(): QueryOutput {
  let isFirst = true
  let count = 0
  return {
    page({ columns, types, rows }) {
      const start = isFirst ? '{"rows":[' : ''
      isFirst = false
      const objects = rows.map((row) => {
        const members = columns.map(
          (name, at) => `${JSON.stringify(name)}:${toJson(row[at] ?? null, types[at] ?? 0)}`,
        )
        count += 1
        return `${count === 1 ? '' : ','}\n{${members.join(',')}}`
      })
      return start + objects.join('')
    },
    end: () => '\n]}\n',
  }
}

function toJson(text: string | null, type: number): string {
  if (text === null) return 'null'
  if (type === BOOL) return text === 't' ? 'true' : 'false'
  // As it stands in the database: to parse it here would round its numbers.
  if (DOCUMENTS.has(type)) return text
  if (NUMBERS.has(type) && type !== NUMERIC && isExact(text)) return text
  if (LISTS.has(type)) return JSON.stringify(listParser(text))
  return JSON.stringify(text)
}

/** Neither NaN nor Infinity, nor an integer that a double cannot hold. */
function isExact(text: string): boolean {
  const value = Number(text)
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}
