import { isDeepStrictEqual } from 'node:util'
import { exitCodeOf, type RunReport } from '../../pipeline/report.ts'
import type { FileRow } from './model-files.ts'
import type { Expected } from './model-run.ts'
import { readCsv, readOperations } from './read-pack.ts'

/** One place where the product and the model differ. */
export interface Difference {
  /** Such as `decisions.csv speakers users u7 detail`. */
  readonly path: string
  readonly expected: unknown
  readonly actual: unknown
}

/** Compares a run's report and pack with what the model foretold. */
export function compareRun(expected: Expected, report: RunReport): readonly Difference[] {
  const found: Difference[] = []
  const same = (path: string, wanted: unknown, actual: unknown) => {
    if (!isDeepStrictEqual(wanted, actual)) found.push({ path, expected: wanted, actual })
  }
  same(
    'report status',
    expected.status,
    report.error === undefined ? report.status : `${report.status}: ${report.error}`,
  )
  same('report held', expected.guards, guardsOf(report))
  same('report changes', expected.changes, report.changes)
  same('report excluded', expected.excluded, { ...report.excluded })
  same('report quarantined', expected.quarantined, report.quarantined)
  same('report certified', true, report.certified)
  // Held is 4; a quarantined record more than none, the default of guards.maxQuarantined, is 3.
  same('exit code', expected.guards.length > 0 ? 4 : expected.quarantined > 0 ? 3 : 0, exitCodeOf(report, 0))
  if (expected.status === 'held' || report.output === null) {
    if (expected.status === 'finished') same('report output', 'a folder', report.output)
    return found
  }
  for (const [file, rows] of Object.entries(expected.files)) {
    found.push(...compareRows(file, rows, readCsv(report.output, file)))
  }
  const { operations, faults } = readOperations(
    report.output,
    report.integration,
    report.run,
    report.planHash,
  )
  for (const fault of faults) found.push({ path: 'operations.jsonl', expected: 'none', actual: fault })
  const count = Math.max(operations.length, expected.operations.length)
  for (let index = 0; index < count; index += 1) {
    same(`operations.jsonl line ${index + 2}`, expected.operations[index], operations[index])
  }
  return found
}

/** The guard that holds the plan, and those whose sight its detail tells too. */
export function guardsOf({ held }: RunReport): readonly string[] {
  if (held === null) return []
  return [held.guard, ...[...held.detail.matchAll(/; also (\w+): /g)].map(([, guard]) => guard ?? '')]
}

/** Rows are told apart by what names them; where all agree, their order must too. */
export function compareRows(
  file: string,
  expected: readonly FileRow[],
  actual: readonly FileRow[] | null,
): readonly Difference[] {
  if (actual === null) return [{ path: file, expected: 'a file', actual: null }]
  const found: Difference[] = []
  const [header = []] = expected
  const wanted = keyed(file, expected)
  const got = keyed(file, actual)
  for (const [key, row] of wanted) {
    const other = got.get(key)
    if (other === undefined) found.push({ path: `${file} ${key}`, expected: row, actual: 'no such row' })
    else {
      for (const [place, column] of header.entries()) {
        if (row[place] !== other[place])
          found.push({ path: `${file} ${key} ${column}`, expected: row[place], actual: other[place] })
      }
    }
  }
  for (const [key, row] of got) {
    if (!wanted.has(key)) found.push({ path: `${file} ${key}`, expected: 'no such row', actual: row })
  }
  if (found.length === 0 && !isDeepStrictEqual(expected, actual)) {
    const place = expected.findIndex((row, index) => !isDeepStrictEqual(row, actual[index]))
    found.push({ path: `${file} row ${place}, order`, expected: expected[place], actual: actual[place] })
  }
  return found
}

function keyed(file: string, rows: readonly FileRow[]): ReadonlyMap<string, FileRow> {
  const made = new Map<string, FileRow>()
  for (const row of rows) {
    const names =
      file === 'decisions.csv'
        ? row.slice(0, 3)
        : file === 'changes.csv'
          ? [row[0], row[1], row[3]]
          : row.slice(0, 1)
    let key = names.join(' ')
    while (made.has(key)) key += ' (again)'
    made.set(key, row)
  }
  return made
}
