import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { Content } from '../../sql/tables.ts'

export type Fields = Readonly<Record<string, string | readonly string[]>>

/** One row of `decisions.csv`; what is absent is null. */
export interface Decision {
  readonly content: string
  readonly resource: string
  readonly sourceId: string | null
  readonly uniqueId: string | null
  readonly decision: string
  readonly reason: string | null
  readonly action: string | null
  readonly detail: string | null
}

/** A line of `operations.jsonl` between header and trailer. */
export interface Operation {
  readonly op: 'upsert' | 'remove'
  readonly content: Content
  readonly uniqueId: string
  readonly fields?: Fields
  readonly reason?: string
}

/** What a run left behind, read back by a reader that is not the product's. */
export interface Pack {
  readonly operations: readonly Operation[]
  readonly decisions: readonly Decision[]
  /** Fields by unique ID, as the CSV file of the content has them. */
  readonly items: Readonly<Record<Content, ReadonlyMap<string, Fields>>>
}

/** Cells of one row by column, the guard against formulas taken off; null is an empty cell without quotes. */
export type Row = Readonly<Record<string, string | null>>

const CONTENTS: readonly Content[] = ['agenda', 'speakers', 'attendees']

export function readPack(folder: string): Pack {
  const items = CONTENTS.map((content) => {
    const rows = readCsv(join(folder, `${content}.csv`))
    return [content, new Map(rows.map((row) => [row.unique_id ?? '', fieldsOf(row)]))] as const
  })
  return {
    operations: readFileSync(join(folder, 'operations.jsonl'), 'utf8')
      .split('\n')
      .slice(1, -2)
      .map((line) => JSON.parse(line)),
    decisions: readCsv(join(folder, 'decisions.csv')).map((row) => inCamelCase(row) as unknown as Decision),
    items: Object.fromEntries(items) as unknown as Pack['items'],
  }
}

/** Reads a CSV file of a pack. Source: design 9. */
export function readCsv(path: string): readonly Row[] {
  return readRawCsv(path).map((row) =>
    Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, cell && unguarded(cell)])),
  )
}

/** Reads a CSV file of a pack with every cell as a spreadsheet would see it. */
function readRawCsv(path: string): readonly Row[] {
  return parse(readFileSync(path), {
    columns: true,
    record_delimiter: '\r\n',
    cast: (cell, { quoting, header }) => (quoting || header ? cell : null),
  }) as unknown as readonly Row[]
}

/** Taking one `'` away restores every value. Source: design 9. */
function unguarded(cell: string): string {
  return cell.startsWith("'") ? cell.slice(1) : cell
}

const LISTS = ['sessionTracks', 'subFilters', 'speakerIds', 'linkUrls', 'sessionIds', 'personalAgenda']

function fieldsOf({ unique_id, action, ...cells }: Row): Fields {
  const present = Object.entries(inCamelCase(cells)).flatMap(([name, cell]) =>
    cell === null ? [] : [[name, fieldValue(name, cell)] as const],
  )
  return Object.fromEntries(present)
}

/** The value of a platform field in a cell that is not empty. */
export function fieldValue(field: string, cell: string): string | readonly string[] {
  return LISTS.includes(field) ? splitList(cell) : cell
}

function inCamelCase(row: Row): Row {
  const camelCase = (column: string) =>
    column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(row).map(([column, cell]) => [camelCase(column), cell]))
}

/** Elements are joined with `; `, and `\` and `;` in them have a `\` in front. Source: design 9. */
function splitList(cell: string): readonly string[] {
  const elements = cell.match(/(?:[^\\;]|\\[\\;])+(?=; |$)/g) ?? []
  const stripped = elements.map((element, index) => (index === 0 ? element : element.replace(/^ /, '')))
  return stripped.map((element) => element.replace(/\\([\\;])/g, '$1'))
}
