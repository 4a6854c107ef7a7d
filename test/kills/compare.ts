import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { operationsIn, type Pack, readPack, sha256Of } from './pack.ts'
import type { State } from './state.ts'

/** What a sync has left behind: the ledger and tables, and its packs in the order of their runs. */
export interface Outcome {
  readonly state: State
  readonly packs: readonly Pack[]
  /** What is wrong whatever the undisturbed run did. */
  readonly faults: readonly string[]
}

/** @param output folder of the integration's packs */
export function readOutcome(stateFile: string, output: string): Outcome {
  const state: State = JSON.parse(readFileSync(stateFile, 'utf8'))
  const packs = state.runs.map((run) => readPack(join(output, run)))
  const folders = readdirSync(output).filter((name) => !state.runs.includes(name))
  const faults = [
    ...state.unfinished.map((run) => `run is left: ${run}`),
    ...state.leftTables.map((table) => `incoming table is left: ${table}`),
    ...(state.leftReadings === 0 ? [] : [`${state.leftReadings} rows are left in sync.readings`]),
    ...folders.map((name) => `a folder of a run that did not finish: ${name}`),
    ...twice(packs.flatMap((pack) => operationsIn(pack).filter((one) => one.startsWith('remove ')))),
    ...brokenChain(state.runs.map((run) => join(output, run, 'manifest.json'))),
  ]
  return { state, packs, faults }
}

/**
 * Tells where an outcome differs from the undisturbed one.
 *
 * Runs beyond those of the undisturbed one, as where the one after was killed too, must have changed nothing.
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

/** Each manifest names the hash of the one before. */
function brokenChain(manifests: readonly string[]): readonly string[] {
  return manifests.flatMap((path, index) => {
    const before = manifests[index - 1]
    const manifest: { previousManifestSha256?: unknown } = JSON.parse(readFileSync(path, 'utf8'))
    const expected = before === undefined ? null : sha256Of(before)
    return manifest.previousManifestSha256 === expected ? [] : [`${path} does not follow the pack before`]
  })
}
