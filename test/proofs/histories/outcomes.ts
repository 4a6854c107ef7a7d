import { declare, type Tally } from '../../harness/tally.ts'
import type { Command } from './commands.ts'
import type { HistoryModel } from './model-history.ts'
import type { ExpectedReport } from './model-report.ts'

const GUARDS = [
  'speakerType',
  'emptied',
  'blackout',
  'preexisting',
  'statedRemovals',
  'massUpdate',
  'removals',
]
const ENDS = {
  finished: 'lands',
  held: 'is held',
  planned: 'is planned',
  failed: 'fails',
  stale: 'is refused as stale',
  refused: 'is refused beside one on its way',
} as const

for (const end of Object.values(ENDS)) declare(`a run ${end}`)
for (const guard of GUARDS) declare(`a run trips ${guard}`)
for (const name of [
  'a run finishes one before it first',
  'a run leaves its plan on its way',
  'a run lands without the removals that are in doubt',
  'a run lands without removals, since an upsert was rejected',
  'a run has an upsert rejected',
  'a run has a removal rejected',
  'a run ends with a sum that does not close',
  'a run is not certified',
  'a run keeps what it might remove',
  'a run has nothing to do',
  'a run reads back',
  'an approval lands',
  'an approval is left on its way',
  'an approval lands when a newer plan is stored',
]) {
  declare(name)
}

export function countOutcomes(
  tally: Tally,
  command: Command,
  expected: readonly ExpectedReport[],
  model: HistoryModel,
): void {
  const count = (name: string, isSo: boolean) => {
    if (isSo) tally.count(name)
  }
  count('between runs: a plan is asked for', command.is === 'plan')
  count('a run finishes one before it first', expected.length > 1)
  count('a run reads back', command.is === 'run' && command.refresh)
  for (const { status, guards, run, approved, certified, kept } of expected) {
    tally.count(`a run ${ENDS[status as keyof typeof ENDS]}`)
    for (const guard of guards) tally.count(`a run trips ${guard}`)
    if (run === null) continue
    const isLanded = run.status === 'finished' || run.status === 'failed'
    const { changes } = run.outbox
    const has = (state: string, isRemoval: boolean) =>
      changes.some((change) => change.state === state && (change.action === 'remove') === isRemoval)
    count('a run leaves its plan on its way', run.status === 'applying')
    const isWithheld = isLanded && has('withheld', true)
    count('a run lands without the removals that are in doubt', isWithheld && !has('failed', false))
    count('a run lands without removals, since an upsert was rejected', isWithheld && has('failed', false))
    count('a run has an upsert rejected', has('failed', false))
    count('a run has a removal rejected', has('failed', true))
    count('a run ends with a sum that does not close', run.status === 'failed')
    count('a run is not certified', !certified)
    count('a run keeps what it might remove', kept > 0)
    count('a run has nothing to do', isLanded && changes.length === 0)
    count('an approval lands', approved && isLanded)
    count('an approval is left on its way', approved && !isLanded)
    count('an approval lands when a newer plan is stored', approved && isLanded && run !== model.runs.at(-1))
  }
}
