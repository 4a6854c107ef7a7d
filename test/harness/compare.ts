import { isDeepStrictEqual } from 'node:util'

/** A value that the product and the model state differently. */
export interface Difference {
  /** Where the value is, for example `decisions.csv speakers users u7 detail`. */
  readonly path: string
  readonly expected: unknown
  readonly actual: unknown
}

export function compareValues(path: string, expected: unknown, actual: unknown): readonly Difference[] {
  return isDeepStrictEqual(plain(expected), plain(actual)) ? [] : [{ path, expected, actual }]
}

/**
 * Makes a plain object, because some objects from parsed answers have no prototype and would compare as
 * different.
 */
function plain(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : value
}

/** Compares two collections of named values; their order does not matter. */
export function compareNamed(
  what: string,
  expected: ReadonlyMap<string, unknown>,
  actual: ReadonlyMap<string, unknown>,
): readonly Difference[] {
  const names = new Set([...expected.keys(), ...actual.keys()])
  return [...names].flatMap((name) => compareValues(`${what} ${name}`, expected.get(name), actual.get(name)))
}

/** Returns the first place at which two lists differ. */
export function compareInOrder(
  what: string,
  expected: readonly unknown[],
  actual: readonly unknown[],
): readonly Difference[] {
  const count = Math.max(expected.length, actual.length)
  for (let place = 0; place < count; place += 1) {
    const path = `${what}, entry ${place + 1} of ${count}`
    const found = compareValues(path, expected[place], actual[place])
    if (found.length > 0) return found
  }
  return []
}

type FileRow = readonly string[]

/**
 * Compares two CSV files, with the header as their first row. Pairs the rows by the columns that name a row;
 * if all pairs are equal, compares the order of the rows.
 */
export function compareRows(
  file: string,
  expected: readonly FileRow[],
  actual: readonly FileRow[] | null,
): readonly Difference[] {
  if (actual === null) return [{ path: file, expected: 'a file', actual: null }]
  const [header = []] = expected
  const [wanted, got] = [namedRows(file, expected), namedRows(file, actual)]
  const found = [...new Set([...wanted.keys(), ...got.keys()])].flatMap((name): readonly Difference[] => {
    const [row, other] = [wanted.get(name), got.get(name)]
    if (row === undefined || other === undefined)
      return [{ path: `${file} ${name}`, expected: row ?? 'no such row', actual: other ?? 'no such row' }]
    return header.flatMap((column, place) =>
      compareValues(`${file} ${name} ${column}`, row[place], other[place]),
    )
  })
  return found.length > 0 ? found : compareInOrder(file, expected, actual)
}

/** Indexes of the columns that identify a row, for files in which the first column alone does not. */
const NAMES: Readonly<Record<string, readonly number[]>> = {
  'decisions.csv': [0, 1, 2],
  'changes.csv': [0, 1, 3],
}

function namedRows(file: string, rows: readonly FileRow[]): ReadonlyMap<string, FileRow> {
  const named = new Map<string, FileRow>()
  for (const row of rows) {
    let name = (NAMES[file] ?? [0]).map((place) => row[place]).join(' ')
    while (named.has(name)) name += ' (again)'
    named.set(name, row)
  }
  return named
}
