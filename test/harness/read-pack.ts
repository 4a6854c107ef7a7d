import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'

/** The cells of a CSV file; the first row is the header. Null stands for an empty cell without quotes. */
export type Cells = readonly (readonly (string | null)[])[]

/**
 * Reads a CSV file as other programs read it, with the `'` that guards cells against running as a formula.
 *
 * @param bare converts a cell without quotes below the header; in a pack every value has quotes
 */
export function readCells(path: string, bare = (cell: string) => (cell === '' ? null : cell)): Cells {
  return parse(readFileSync(path), {
    record_delimiter: '\r\n',
    relax_column_count: true,
    cast: (cell, { quoting, records }) => (quoting || records === 0 ? cell : bare(cell)),
  })
}

/**
 * Matches cells that begin like a formula of a spreadsheet, or with the `'` that keeps a cell from running as
 * one.
 */
const GUARDED = /^['=+\-@\t\r\n＝＋－＠]/

/** Restores the original value of a cell: removes one leading `'`. */
function unguarded(cell: string): string {
  if (cell.startsWith("'")) return cell.slice(1)
  return GUARDED.test(cell) ? `${cell} (not guarded against running as a formula)` : cell
}

/**
 * Reads the rows of a CSV file of a pack; the first row is the header. The `'` that guards against formulas
 * is removed. Returns null if the file does not exist.
 */
export function readRows(folder: string, file: string): readonly (readonly string[])[] | null {
  const path = join(folder, file)
  return existsSync(path) ? readCells(path).map((row) => row.map((cell) => unguarded(cell ?? ''))) : null
}

/**
 * The cells of one row by column, without the `'` that guards against formulas. Null stands for an empty cell
 * without quotes.
 */
export type Row = Readonly<Record<string, string | null>>

export function readCsv(path: string): readonly Row[] {
  const [header = [], ...rows] = readCells(path, () => null)
  return rows.map((row) =>
    Object.fromEntries(
      header.map((column, index) => [column ?? '', row[index] == null ? null : unguarded(row[index])]),
    ),
  )
}

/** One operation: a line of `operations.jsonl` between the header and the trailer. */
export interface Operation {
  readonly op: 'upsert' | 'remove'
  readonly content: Content
  readonly uniqueId: string
  readonly fields?: Fields
  readonly reason?: string
}

export interface Operations {
  readonly header: Readonly<Record<string, unknown>>
  readonly operations: readonly Operation[]
  /** Faults of the file `operations.jsonl`, including its trailer. */
  readonly faults: readonly string[]
}

/** Reads `operations.jsonl` of a pack, and checks its trailer. */
export function readOperations(folder: string): Operations {
  const path = join(folder, 'operations.jsonl')
  if (!existsSync(path)) return { header: {}, operations: [], faults: ['operations.jsonl is not there'] }
  const text = readFileSync(path, 'utf8')
  const lines = text.split('\n').slice(0, -1)
  const body = lines.slice(0, -1)
  const [header = {}, ...operations] = body.map((line) => JSON.parse(line))
  const sha256 = sha256Of(body.map((line) => `${line}\n`).join(''))
  const trailer = JSON.stringify({ type: 'trailer', operations: operations.length, sha256 })
  const faults: string[] = []
  if (!text.endsWith('\n')) faults.push('operations.jsonl does not end with a line end')
  if (lines.at(-1) !== trailer) faults.push(`trailer: expected ${trailer}, got ${lines.at(-1)}`)
  return { header, operations, faults }
}

export function sha256Of(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

type Content = 'agenda' | 'speakers' | 'attendees'
const CONTENTS: readonly Content[] = ['agenda', 'speakers', 'attendees']

export type Fields = Readonly<Record<string, string | readonly string[]>>

/** One row of `decisions.csv`; an absent value is null. */
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

/** The content of a pack, read without the product's code. */
export interface Pack {
  readonly operations: readonly Operation[]
  readonly decisions: readonly Decision[]
  /** Fields of the items by unique ID, as in the CSV file of each content. */
  readonly items: Readonly<Record<Content, ReadonlyMap<string, Fields>>>
}

/** @throws if a file is missing, or if the trailer of `operations.jsonl` is wrong */
export function readPack(folder: string): Pack {
  const { operations, faults } = readOperations(folder)
  if (faults.length > 0) throw new Error(`${folder}: ${faults.join('; ')}`)
  const items = CONTENTS.map((content) => {
    const rows = readCsv(join(folder, `${content}.csv`))
    return [content, new Map(rows.map((row) => [row.unique_id ?? '', fieldsOf(row)]))] as const
  })
  return {
    operations,
    decisions: readCsv(join(folder, 'decisions.csv')).map((row) => inCamelCase(row) as unknown as Decision),
    items: Object.fromEntries(items) as unknown as Pack['items'],
  }
}

const LISTS = ['sessionTracks', 'subFilters', 'speakerIds', 'linkUrls', 'sessionIds', 'personalAgenda']

function fieldsOf({ unique_id, action, local_start, local_end, zone, ...cells }: Row): Fields {
  const present = Object.entries(inCamelCase(cells)).flatMap(([name, cell]) =>
    cell === null ? [] : [[name, fieldValue(name, cell)] as const],
  )
  return Object.fromEntries(present)
}

/** Converts a cell that is not empty to the value of a platform field. */
export function fieldValue(field: string, cell: string): string | readonly string[] {
  return LISTS.includes(field) ? splitList(cell) : cell
}

function inCamelCase(row: Row): Row {
  const camelCase = (column: string) =>
    column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(row).map(([column, cell]) => [camelCase(column), cell]))
}

/**
 * Splits the elements of a cell, which are joined with `; `. Within an element, each `\` or `;` is preceded
 * by a `\`.
 */
function splitList(cell: string): readonly string[] {
  const elements = cell.match(/(?:[^\\;]|\\[\\;])+(?=; |$)/g) ?? []
  const stripped = elements.map((element, index) => (index === 0 ? element : element.replace(/^ /, '')))
  return stripped.map((element) => element.replace(/\\([\\;])/g, '$1'))
}
