import { isDeepStrictEqual } from 'node:util'
import { resourcesOf } from './event.ts'
import type { Snapshot } from './snapshot.ts'
import type { Performance, Rehearsal } from './stage.ts'

export type Row = Readonly<Record<string, unknown>>

export const rowsOf = (snapshot: Snapshot, table: string): readonly Row[] =>
  (snapshot[table] ?? []).map((row) => JSON.parse(row))

export const isCurrent = (row: Row) => row.valid_to_run === null

/**
 * Tables that describe how a run proceeded, not its result. A run with faults may have other rows in the
 * tables of this list.
 */
const COURSE = ['sync.runs', 'published.runs', 'sync.requests', 'sync.integrations', 'sync.certificates']

/** Columns of certificates that may differ between a run with faults and a run without faults. */
const COURSE_OF_CERTIFICATE = ['attempts', 'bytes', 'requests', 'end_proof', 'declared']
const VERSIONED = (['a', 'b'] as const).flatMap((type) =>
  resourcesOf(type).map((resource) => `staging.${type}_${resource}`),
)
const SPELLING = ['doc', 'version_hash', 'checksum']

/**
 * The table with the sums over hashes of records. The sums differ if the source writes the same records in
 * another spelling.
 */
const FIGURES = 'sync.reconciliation'
const figuresOf = (snapshot: Snapshot) =>
  rowsOf(snapshot, FIGURES).filter(({ measure }) => measure !== 'control_total')

/** Returns the rows without the given columns, sorted by the remaining columns. */
function without(rows: readonly Row[], columns: readonly string[]): readonly string[] {
  const kept = rows.map((row) => Object.entries(row).filter(([name]) => !columns.includes(name)))
  return kept.map((entries) => JSON.stringify(Object.fromEntries(entries))).sort()
}

export function differencesOfRecovered({ after, pack }: Rehearsal, run: Performance): readonly string[] {
  const respells = run.casts.some(({ fault }) => fault.respells)
  const isPaging = run.casts.some(({ fault }) => /^[AB]: /.test(fault.kind))
  const found = differentTables(after, run.snapshot, respells ? [...COURSE, ...VERSIONED, FIGURES] : COURSE)
  if (respells) found.push(...differentVersions(after, run.snapshot))
  if (respells && !isDeepStrictEqual(figuresOf(after), figuresOf(run.snapshot))) found.push('other figures')
  const columns = [...COURSE_OF_CERTIFICATE, ...(respells ? SPELLING : [])]
  const certificates = (snapshot: Snapshot) => without(rowsOf(snapshot, 'sync.certificates'), columns)
  if (!isDeepStrictEqual(certificates(after), certificates(run.snapshot))) found.push('other certificates')
  for (const [file, text] of Object.entries(pack)) {
    if (file === 'certificates.csv' && isPaging) continue
    if (file === 'reconciliation.csv' && respells) continue
    if (run.pack[file] !== text) found.push(`other bytes in ${file}`)
  }
  return found
}

/**
 * Compares current versions by their values, because a record in another spelling becomes a new version with
 * the same values.
 */
export function differentVersions(one: Snapshot, other: Snapshot): readonly string[] {
  const values = (snapshot: Snapshot, table: string) =>
    without(rowsOf(snapshot, table).filter(isCurrent), [...SPELLING, 'valid_from_run'])
  return VERSIONED.filter((table) => !isDeepStrictEqual(values(one, table), values(other, table))).map(
    (table) => `other values in ${table}`,
  )
}

export function differentTables(one: Snapshot, other: Snapshot, but: readonly string[]): string[] {
  return Object.keys(one)
    .filter((table) => !but.includes(table) && !isDeepStrictEqual(one[table], other[table]))
    .map((table) => `other rows in ${table}`)
}

/** Compares the database after one more run without faults: it must be as if the fault had not happened. */
export function differencesOfHealed({ after }: Rehearsal, { healed, code }: Performance): readonly string[] {
  if (healed === null) return []
  // An item can exist only because of a record that this run did not see. The last update of such an item may
  // be from a run without a certified read.
  const state = code === 3 ? ['desired_items', 'decisions'] : ['desired_items', 'decisions', 'platform_items']
  const compared = (table: string) =>
    table.startsWith('staging.') || state.some((name) => table === `sync.${name}`)
  const current = (given: Snapshot, table: string) =>
    without(
      rowsOf(given, table).filter((row) => row.valid_to_run === null || row.valid_to_run === undefined),
      ['valid_from_run', 'run_id'],
    )
  return Object.keys(after)
    .filter(compared)
    .filter((table) => !isDeepStrictEqual(current(after, table), current(healed, table)))
    .map((table) => `after one more run: other rows in ${table}`)
}
