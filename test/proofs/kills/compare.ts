import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { judgePlatform, type RememberedChange, type WantedItem } from '../../harness/platform-judge.ts'
import { sha256Of } from '../../harness/read-pack.ts'
import { leaksIn } from './canary.ts'
import { operationsIn, type Pack, readPack } from './pack.ts'
import type { SeenPlatform } from './platforms.ts'
import type { State } from './state.ts'

/**
 * The result of a sync: the tables of the database, the packs in the order of their runs, and the platform.
 */
export interface Outcome {
  readonly state: State
  readonly packs: readonly Pack[]
  /**
   * Items and effects of the platform as lines, by kind; empty if the operations are only written to files.
   */
  readonly platform: Readonly<Record<string, readonly string[]>>
  /** Faults that are never allowed, even if the run without kills had them too. */
  readonly faults: readonly string[]
}

/** @param output folder of the integration's packs */
export function readOutcome(stateFile: string, output: string, seen: SeenPlatform | null): Outcome {
  const state: State = JSON.parse(readFileSync(stateFile, 'utf8'))
  const packs = state.runs.map((run) => readPack(join(output, run)))
  const folders = readdirSync(output).filter((name) => name !== 'verify.py' && !state.runs.includes(name))
  const faults = [
    ...state.unfinished.map((run) => `run is left: ${run}`),
    ...state.leftTables.map((table) => `incoming table is left: ${table}`),
    ...(state.leftReadings === 0 ? [] : [`${state.leftReadings} rows are left in sync.readings`]),
    ...folders.map((name) => `a folder of a run that did not finish: ${name}`),
    ...twice(packs.flatMap((pack) => operationsIn(pack).filter((one) => one.startsWith('remove ')))),
    ...brokenChain(state.runs.map((run) => join(output, run, 'manifest.json'))),
    ...unanswered(state),
    ...(isAscending(state.fences) ? [] : [`fences do not grow: ${state.fences.join(', ')}`]),
    ...leaksIn(output),
    ...leaksIn(stateFile),
  ]
  if (seen === null) return { state, packs, platform: {}, faults }
  const named = namedRuns(seen, state.runs)
  return {
    state,
    packs,
    platform: linesOf(named),
    faults: [
      ...faults,
      ...judgePlatform(
        named,
        rowsIn<WantedRow>(state, 'sync.platform_items').map(toWanted),
        recordedIn(state),
      ),
      ...(seen.passwords === 1 ? [] : [`${seen.passwords} passwords are right for one attendee`]),
    ],
  }
}

/** Replaces run ids by the numbers of the runs, as in the tables. */
function namedRuns(seen: SeenPlatform, runs: readonly string[]): SeenPlatform {
  const nameOf = (run: string) => (runs.includes(run) ? `run ${runs.indexOf(run) + 1}` : 'a run that died')
  return {
    ...seen,
    ledger: seen.ledger.map((entry) => ({
      ...entry,
      run: nameOf(entry.run),
      key: entry.key.replace(entry.run, nameOf(entry.run)),
    })),
  }
}

function linesOf({ items, ledger }: SeenPlatform): Outcome['platform'] {
  const line = (one: unknown) => JSON.stringify(one)
  return {
    'items of the platform': Object.entries(items).flatMap(([content, list]) =>
      list.map((item) => line([content, item])),
    ),
    // The whole ledger in its order. If a batch is sent again under its idempotency key, the ledger gets no
    // further entry.
    'ledger of the platform': ledger.map(line),
  }
}

interface WantedRow {
  readonly content: WantedItem['content']
  readonly unique_id: string
  readonly fields: WantedItem['fields']
}

const toWanted = ({ content, unique_id: uniqueId, fields }: WantedRow): WantedItem => ({
  content,
  uniqueId,
  fields,
})

function recordedIn(state: State): readonly RememberedChange[] {
  const rows = rowsIn<Omit<RememberedChange, 'run'> & { run_id: string; unique_id: string }>(
    state,
    'sync.changes',
  )
  return rows.map(({ run_id: run, unique_id: uniqueId, ...row }) => ({
    ...row,
    run,
    uniqueId,
    seq: Number(row.seq),
  }))
}

/** Parses rows that `readState` wrote. */
function rowsIn<Row>(state: State, table: string): readonly Row[] {
  return (state.rows[table] ?? []).map((row): Row => JSON.parse(row))
}

function unanswered(state: State): readonly string[] {
  const open = ['sync.changes', 'sync.batches'].flatMap((table) =>
    rowsIn<{ readonly state: string }>(state, table)
      .filter((row) => row.state === 'sent' || row.state === 'pending')
      .map((row) => `${table} has a row that is ${row.state}`),
  )
  // The database may contain a password only for people who are not on the platform yet.
  const rejected = new Set(
    recordedIn(state).flatMap((one) => (one.result === 'failed' ? [one.uniqueId] : [])),
  )
  const kept = rowsIn<{ readonly unique_id: string }>(state, 'sync.passwords')
  return [
    ...open,
    ...kept.flatMap(({ unique_id: id }) => (rejected.has(id) ? [] : [`the password of ${id} is kept`])),
  ]
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0))
}

/**
 * Lists the differences between the result with kills and the result without kills.
 *
 * The result may contain further runs, for example after a second kill, but these runs must have changed
 * nothing.
 */
export function differences(expected: Outcome, actual: Outcome): readonly string[] {
  const found = [...actual.faults]
  for (const [index, pack] of actual.packs.entries()) {
    const other = expected.packs[index]
    if (other === undefined) {
      found.push(...operationsIn(pack).map((one) => `run ${index + 1} sends again: ${one}`))
      continue
    }
    for (const name of new Set([...other.keys(), ...pack.keys()])) {
      if (other.get(name) !== pack.get(name)) found.push(`run ${index + 1}: ${name} differs`)
    }
  }
  if (actual.packs.length < expected.packs.length) found.push('runs are missing')
  const known = (row: string) => Number(/"run (\d+)"/.exec(row)?.[1] ?? 0) <= expected.packs.length
  for (const [table, rows] of Object.entries(expected.state.rows)) {
    found.push(...rowDifferences(table, rows, (actual.state.rows[table] ?? []).filter(known)))
  }
  for (const [what, lines] of Object.entries(expected.platform)) {
    found.push(...rowDifferences(what, lines, actual.platform[what] ?? []))
  }
  return found
}

function rowDifferences(
  table: string,
  expected: readonly string[],
  actual: readonly string[],
): readonly string[] {
  if (expected.join('\n') === actual.join('\n')) return []
  const [all, own] = [new Set(expected), new Set(actual)]
  const missing = expected.filter((row) => !own.has(row))
  const strange = actual.filter((row) => !all.has(row))
  return [
    `${table}: ${actual.length} rows instead of ${expected.length}; missing ${shortened(missing)}, strange ${shortened(strange)}`,
  ]
}

function shortened(rows: readonly string[]): string {
  return `${rows.length}${rows[0] === undefined ? '' : ` (${rows[0].slice(0, 300)})`}`
}

function twice(operations: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return operations.flatMap((one) => (seen.size === seen.add(one).size ? [`sent twice: ${one}`] : []))
}

/** Lists manifests that do not contain the hash of the manifest before. */
function brokenChain(manifests: readonly string[]): readonly string[] {
  return manifests.flatMap((path, index) => {
    const before = manifests[index - 1]
    const manifest: { previousManifestSha256?: unknown } = JSON.parse(readFileSync(path, 'utf8'))
    const expected = before === undefined ? null : sha256Of(readFileSync(before))
    return manifest.previousManifestSha256 === expected ? [] : [`${path} does not follow the pack before`]
  })
}
