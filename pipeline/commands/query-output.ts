import pg from 'pg'
import { toCsv } from '../../loaders/audit/csv-files/csv.ts'
import type { QueryPage } from '../../sql/database.ts'
import { openTable } from './table.ts'

export const OUTPUT_FORMATS = ['table', 'csv', 'json'] as const

/** Prints a result page by page, so that a large one does not fill the memory. */
interface QueryOutput {
  page(page: QueryPage): string
  readonly end: string
}

/** @param raw leaves texts in CSV that a spreadsheet could run as a formula without the `'` in front */
export function openOutput(format: (typeof OUTPUT_FORMATS)[number], raw: boolean): QueryOutput {
  switch (format) {
    case 'table': {
      let table: ReturnType<typeof openTable> | undefined
      const page = ({ columns, rows }: QueryPage) => {
        table ??= openTable(columns)
        return table(rows)
      }
      return { page, end: '' }
    }
    case 'csv':
      return csvOutput(raw)
    case 'json':
      return jsonOutput()
  }
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
    end: '',
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
    end: '\n]}\n',
  }
}

function toJson(text: string | null, type: number): string {
  if (text === null) return 'null'
  if (type === BOOL) return text === 't' ? 'true' : 'false'
  // As it is in the database: to parse it here would round its numbers.
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
