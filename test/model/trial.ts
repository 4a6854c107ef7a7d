import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunReport } from '../../pipeline/report.ts'
import type { Database } from '../../sql/database.ts'
import { compareRun, type Difference } from './compare.ts'
import { foretell, NO_STATE, type ReadSource } from './model-run.ts'
import { countOutcomes } from './outcomes.ts'
import type { Server } from './serve.ts'
import { sync } from './sync.ts'
import { declare, type Tally } from './tally.ts'
import { makeVersions } from './versions.ts'

/** One seed of one source, from the first run to the last. */
export interface Trial {
  readonly type: 'a' | 'b'
  readonly seed: number
  readonly database: Database
  readonly server: Server
  readonly output: string
  readonly tally: Tally
}

export interface TrialDifference extends Difference {
  /** The run, from 1. */
  readonly run: number
  readonly source: ReadSource
}

for (const guard of ['speakerType', 'emptied', 'blackout', 'massUpdate', 'removals']) {
  declare(`run: tripped, ${guard}`)
}
declare('run: removals withheld')
declare('run: two unchanged ones write equal bytes')

/** Syncs the versions of a random event one after the other, and compares each run with the model. */
export async function tryOut(trial: Trial): Promise<readonly TrialDifference[]> {
  const { type, seed, database, server, output, tally } = trial
  const place = { database, output, url: server.url, integrationId: `model-${type}-${seed}` }
  const found: TrialDifference[] = []
  const reports: RunReport[] = []
  let state = NO_STATE
  for (const [index, { source, served }] of makeVersions(type, seed, tally).entries()) {
    const { expected, after } = foretell(source, state)
    state = after
    server.serve(served)
    const report = await sync(place, source, runIdOf(trial, index))
    reports.push(report)
    found.push(
      ...compareRun(expected, report).map((difference) => ({ ...difference, run: index + 1, source })),
    )
    countOutcomes(tally, type, expected.decisions)
    countActions(tally, type, expected)
    for (const guard of expected.guards) tally.count(`run: tripped, ${guard}`)
    if (expected.guards.length > 0 && expected.status === 'finished') tally.count('run: removals withheld')
    if (index !== 3) continue
    const [, , third, fourth] = reports
    tally.count('run: two unchanged ones write equal bytes')
    found.push(
      ...unequalFiles(third, fourth).map((path) => ({
        path,
        expected: 'the bytes of run 3',
        actual: 'others',
        run: 4,
        source,
      })),
    )
  }
  return found
}

function countActions(
  tally: Tally,
  type: string,
  { changes, kept }: ReturnType<typeof foretell>['expected'],
): void {
  for (const [content, counts] of Object.entries(changes)) {
    for (const [action, count] of Object.entries(counts))
      tally.count(`action, ${type} ${content}: ${action}`, count)
  }
  for (const [content, count] of Object.entries(kept)) tally.count(`action, ${type} ${content}: kept`, count)
}

function runIdOf({ type, seed }: Trial, index: number): string {
  const tail = (seed * 16 + (type === 'a' ? 0 : 8) + index).toString(16).padStart(12, '0')
  return `01a1fda0-0000-7000-8000-${tail}`
}

/** Files of two packs that must be the same but are not. */
function unequalFiles(one: RunReport | undefined, other: RunReport | undefined): readonly string[] {
  if (
    one?.output === null ||
    one?.output === undefined ||
    other?.output === null ||
    other?.output === undefined
  )
    return []
  const [first, second] = [one.output, other.output]
  return (
    readdirSync(first)
      // How many answers a source gives its records in is another matter from run to run here.
      .filter((file) => file.endsWith('.csv') && file !== 'certificates.csv')
      .filter((file) => !readFileSync(join(first, file)).equals(readFileSync(join(second, file))))
  )
}
