import { isDeepStrictEqual } from 'node:util'
import { CANARY, TOKEN } from '../../harness/source-server.ts'
import {
  differencesOfConfigurations,
  differencesOfHealed,
  differencesOfRecovered,
  differentTables,
  OF_EVERY_RUN,
  type Row,
  rowsOf,
  textsOf,
} from './compare.ts'
import type { Cast } from './fault-server.ts'
import { differencesOfLate, differencesOfUncertified } from './judge-uncertified.ts'
import type { Snapshot } from './snapshot.ts'
import type { Performance, Rehearsal } from './stage.ts'
import { expectedAt, expectedOf } from './table.ts'

/**
 * Compares a run with the expected result of its faults. @returns the differences; an empty list if the run
 * is right
 */
export function differencesOf(rehearsal: Rehearsal, run: Performance): readonly string[] {
  const expected = expectedOf(rehearsal.type, run.casts)
  const landed = expected === 'late' ? 'late' : 'recovered'
  const told = { 0: landed, 1: 'failed', 3: 'uncertified' }[run.code] ?? `exit ${run.code}`
  const found: string[] = []
  if (told !== expected) found.push(`${told} instead of ${expected}: ${run.report.error ?? ''}`)
  found.push(...run.strayed.map((path) => `a request strayed: ${path}`))
  found.push(...toldSecrets(run), ...differencesOfConfigurations(rehearsal, run))
  if (expected !== 'failed') {
    for (const [{ fault, place }, plays] of run.plays) {
      if (plays === 0) found.push(`not played at ${place}: ${fault.name}`)
    }
  }
  if (told === 'recovered') found.push(...differencesOfRecovered(rehearsal, run))
  if (told === 'failed') found.push(...differencesOfFailed(rehearsal, run))
  if (told === 'uncertified') found.push(...differencesOfUncertified(rehearsal, run))
  if (told === 'late') found.push(...differencesOfLate(rehearsal, run))
  return [...found, ...differencesOfHealed(rehearsal, run)]
}

/** Finds credentials and personal values in the output of the run, in its log and in the ledger of runs. */
function toldSecrets({ report, log, snapshot }: Performance): readonly string[] {
  const ledger = [
    'sync.runs',
    'sync.configurations',
    'sync.certificates',
    'sync.requests',
    'sync.unstaged',
    'published.runs',
    'published.integrations',
  ]
  const texts = [JSON.stringify(report), log, ...ledger.flatMap((table) => textsOf(snapshot, table))]
  return texts.filter((text) => text.includes(CANARY)).map((text) => `tells a canary: ${text}`)
}

/** Matches the message that the product prints if the answer of the token endpoint contains no token. */
export const NO_TOKEN = /the answer holds no token/

/**
 * Returns true if the message fits the fault. If one fault of the run sets a small retry budget, that budget
 * applies to the other faults too, and a temporary fault may then make the run fail.
 */
function says({ says: pattern }: Cast['fault'], message: string, casts: readonly Cast[]): boolean {
  const isShort = casts.length > 1 && casts.some(({ fault }) => fault.http.retryBudgetSeconds !== undefined)
  return pattern.test(message) || (isShort && message.includes('; waiting longer would exceed'))
}

function newestOf(snapshot: Snapshot): Row | undefined {
  const runs = rowsOf(snapshot, 'sync.runs')
  return runs.find((run) => run.run_id === `run ${runs.length}`)
}

/** Returns the published states of integrations after the failed run. */
function failing(before: Snapshot, { report, snapshot }: Performance): readonly Row[] {
  const run = newestOf(snapshot)
  return rowsOf(before, 'published.integrations').map((row) => ({
    ...row,
    state: 'failing',
    reason: report.error?.split('\n')[0],
    last_run_id: run?.run_id,
    last_run_status: 'failed',
    last_run_started_at: run?.started_at,
  }))
}

function differencesOfFailed({ type, before }: Rehearsal, run: Performance): readonly string[] {
  const { report, snapshot, casts } = run
  const found = differentTables(before, snapshot, { ...OF_EVERY_RUN, 'published.integrations': null })
  if (!isDeepStrictEqual(rowsOf(snapshot, 'published.integrations'), failing(before, run))) {
    found.push('other rows in published.integrations')
  }
  if (report.status !== 'failed' || report.output !== null) found.push('a pack, or another status')
  const [, resource, message] =
    /^extract failed: source [ab], (\w+), page \d+: (.+)\nplatform untouched; safe to run again$/.exec(
      report.error ?? '',
    ) ?? []
  const fitting = casts.filter(
    ({ fault, place }) =>
      expectedAt(fault, type, place) === 'failed' &&
      (says(fault, message ?? '', casts) || (place === TOKEN && NO_TOKEN.test(message ?? ''))) &&
      (place === resource ||
        place === TOKEN ||
        fault.standsAlone ||
        fault.http.retryBudgetSeconds !== undefined ||
        fault.name.includes('goes away')),
  )
  if (fitting.length === 0) found.push(`says something else: ${report.error}`)
  if (newestOf(snapshot)?.error !== report.error) found.push('another error in the ledger')
  return found
}
