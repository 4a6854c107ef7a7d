import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { FileRow } from './model-files.ts'

/** What a spreadsheet could run, and what marks that it was guarded. */
const GUARDED = /^['=+\-@\t\r\n＝＋－＠]/

/** A CSV file of a pack, header first, with the guard against formulas taken off; null where it is not there. */
export function readCsv(folder: string, file: string): readonly FileRow[] | null {
  const path = join(folder, file)
  if (!existsSync(path)) return null
  const rows: string[][] = parse(readFileSync(path), { record_delimiter: '\r\n', relax_column_count: true })
  return rows.map((row) => row.map(unguarded))
}

function unguarded(cell: string): string {
  if (cell.startsWith("'")) return cell.slice(1)
  return GUARDED.test(cell) ? `${cell} (not guarded against running as a formula)` : cell
}

export interface Operations {
  readonly operations: readonly object[]
  /** What is wrong with header or trailer. */
  readonly faults: readonly string[]
}

/** The operations of a pack, and whether header and trailer are right. */
export function readOperations(
  folder: string,
  integration: string,
  run: string | null,
  planHash: string | null,
): Operations {
  const path = join(folder, 'operations.jsonl')
  if (!existsSync(path)) return { operations: [], faults: ['operations.jsonl is not there'] }
  const text = readFileSync(path, 'utf8')
  const lines = text.split('\n').slice(0, -1)
  const [header, ...operations] = lines.slice(0, -1).map((line): object => JSON.parse(line))
  const body = `${lines.slice(0, -1).join('\n')}\n`
  const trailer = {
    type: 'trailer',
    operations: operations.length,
    sha256: createHash('sha256').update(body).digest('hex'),
  }
  const faults: string[] = []
  if (!text.endsWith('\n')) faults.push('operations.jsonl does not end with a line end')
  const expected = JSON.stringify({ type: 'header', contract: '1.0', integration, run, planHash })
  if (JSON.stringify(header) !== expected)
    faults.push(`header: expected ${expected}, got ${JSON.stringify(header)}`)
  if (lines.at(-1) !== JSON.stringify(trailer))
    faults.push(`trailer: expected ${JSON.stringify(trailer)}, got ${lines.at(-1)}`)
  return { operations, faults }
}
