import { isDeepStrictEqual } from 'node:util'
import { resourcesOf } from './event.ts'
import type { Snapshot } from './snapshot.ts'
import type { Performance, Rehearsal } from './stage.ts'

export type Row = Readonly<Record<string, unknown>>

/** Returns the rows of a table. Throws if the database has no such table, so that no comparison is empty. */
export const rowsOf = (snapshot: Snapshot, table: string): readonly Row[] =>
  textsOf(snapshot, table).map((row) => JSON.parse(row))

export function textsOf(snapshot: Snapshot, table: string): readonly string[] {
  const rows = snapshot[table]
  if (rows === undefined) throw new Error(`there is no table ${table}`)
  return rows
}

export const isCurrent = (row: Row) => row.valid_to_run === null

/** Columns that may differ between two runs, by table; null if all columns of the table may differ. */
type Left = Readonly<Record<string, readonly string[] | null>>

/**
 * Tables that every run changes, even a run that fails. They contain the rows of the run and its configuration, which
 * `differencesOfConfigurations` compares.
 */
export const OF_EVERY_RUN: Left = { 'sync.runs': null, 'published.runs': null, 'sync.configurations': null }

/**
 * Columns about how a run proceeded, which is not its result. A run with faults may differ from a run without faults
 * in it. The hash of the inputs of decisions also covers the id of the integration.
 */
const COURSE: Left = {
  ...OF_EVERY_RUN,
  'sync.requests': null,
  'sync.integrations': ['transform_basis'],
  'published.integrations': ['last_success_at'],
  'sync.certificates': [
    ...['attempts', 'bytes', 'requests', 'end_proof', 'declared'],
    ...['first_answer_at', 'last_answer_at'],
  ],
}

const VERSIONED = (['a', 'b'] as const).flatMap((type) =>
  resourcesOf(type).map((resource) => `staging.${type}_${resource}`),
)
const SPELLING = ['doc', 'version_hash', 'checksum']

/**
 * The table with the sums over hashes of records. The sums differ if the source writes the same records in
 * another spelling.
 */
const FIGURES = 'sync.reconciliation'
const RESPELLED: Left = {
  ...COURSE,
  'sync.certificates': [...(COURSE['sync.certificates'] ?? []), ...SPELLING],
  [FIGURES]: null,
  ...Object.fromEntries(VERSIONED.map((table) => [table, null])),
}
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
  const found = differentTables(after, run.snapshot, respells ? RESPELLED : COURSE)
  if (respells) found.push(...differentVersions(after, run.snapshot))
  if (respells && !isDeepStrictEqual(figuresOf(after), figuresOf(run.snapshot))) found.push('other figures')
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

export function differentTables(one: Snapshot, other: Snapshot, left: Left = {}): string[] {
  const rows = (snapshot: Snapshot, table: string) =>
    left[table] == null ? textsOf(snapshot, table) : without(rowsOf(snapshot, table), left[table])
  return [...new Set([...Object.keys(one), ...Object.keys(left)])]
    .filter((table) => !isDeepStrictEqual(rows(one, table), rows(other, table)) && left[table] !== null)
    .map((table) => `other rows in ${table}`)
}

/**
 * Compares the stored configurations of runs. They may differ in the id of the integration, and in the limits
 * with which a fault takes effect quickly.
 */
export function differencesOfConfigurations(
  { after }: Rehearsal,
  { snapshot }: Performance,
): readonly string[] {
  const hashes = (table: string) => new Set(rowsOf(snapshot, table).map((row) => row.config_hash))
  const texts = (given: Snapshot) =>
    new Set(
      rowsOf(given, 'sync.configurations').map(({ configuration }) =>
        JSON.stringify(JSON.parse(String(configuration)), (key, value) =>
          key === 'id' || key === 'http' ? undefined : value,
        ),
      ),
    )
  return [
    ...(isDeepStrictEqual(texts(after), texts(snapshot)) ? [] : ['other configurations']),
    ...(isDeepStrictEqual(hashes('sync.configurations'), hashes('sync.runs'))
      ? []
      : ['configurations without a run, or runs without a configuration']),
  ]
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
