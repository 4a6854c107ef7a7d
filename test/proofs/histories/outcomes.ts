import { declare, type Tally } from '../../harness/tally.ts'
import type { Command } from './commands.ts'
import type { HistoryModel } from './model-history.ts'
import type { ExpectedReport, Run } from './model-report.ts'

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

/** Crossings of a rollback, a pause or another id with something else, and when a command is one. */
const CROSSINGS: Readonly<Record<string, (given: Crossing) => boolean>> = {
  'a rollback is planned': ({ made }) => made?.rollbackTo != null && made.status === 'planned',
  'a rollback is held': ({ made }) => made?.rollbackTo != null && made.status === 'held',
  'a rollback has nothing to do': ({ made }) =>
    made?.rollbackTo != null && made.outbox.changes.length === 0 && made.approvedAtMs === null,
  'a rollback lands': ({ made }) => made?.rollbackTo != null && made.approvedAtMs !== null && isLanded(made),
  'a rollback is left on its way': ({ made }) => made?.rollbackTo != null && made.status === 'applying',
  'a rollback lands while the integration is paused already': ({ command, made, wasPinned }) =>
    command.is === 'apply' && wasPinned && made?.rollbackTo != null && isLanded(made),
  'a rollback is refused': ({ command, status }) => command.is === 'rollback' && status === 'refused',
  'a rollback is refused, since history was purged': ({ command, error }) =>
    command.is === 'rollback' && error === 'purged',
  'a rollback leaves out an item that was left out by hand since': ({ made }) =>
    made?.rollbackTo != null && (made.seen.excluded.suppressed ?? 0) > 0,
  'a second rollback lands before resume': ({ command, made, model }) =>
    command.is === 'apply' &&
    made?.rollbackTo != null &&
    isLanded(made) &&
    model.applied.at(-2)?.rollbackTo != null,
  'an older plan is stale after a rollback': ({ status, model }) =>
    status === 'stale' && model.applied.at(-1)?.rollbackTo != null,
  'a run is pinned': ({ made }) => made?.isPinnedRun === true && made.status === 'planned',
  'a run is pinned and held': ({ made }) => made?.isPinnedRun === true && made.status === 'held',
  'a run is not continued while pinned': ({ command, error }) =>
    command.is === 'run' && error === 'event-sync resume',
  'an approval is refused while pinned': ({ command, error }) =>
    command.is === 'apply' && error === 'event-sync resume',
  'an approval lands of a plan that was made while pinned': ({ command, made }) =>
    command.is === 'apply' && made?.isPinnedRun === true && isLanded(made),
  'a plan that is held is paused': ({ command, model }) =>
    command.is === 'pause' && model.runs.at(-1)?.status === 'held',
  'the first run after a rollback brings back what the source has': ({ command, made, model }) =>
    command.is === 'run' &&
    made?.rollbackTo === null &&
    isLanded(made) &&
    model.applied.at(-2)?.rollbackTo != null,
  'an integration gets another id': ({ command, status }) => command.is === 'rename' && status === undefined,
  'an integration gets another id while pinned': ({ command, status, wasPinned }) =>
    command.is === 'rename' && status === undefined && wasPinned,
  'another id is refused, since a run is not finished': ({ command, status }) =>
    command.is === 'rename' && status === 'refused',
  'a plan is stale, since the integration got another id': ({ command, status, model }) =>
    command.is === 'apply' &&
    status === 'stale' &&
    model.runs.some(({ hash, isStale, isPurged }) => hash === command.hash && isStale && !isPurged),
  'a command is refused, since configuration and database have different ids': ({ error }) =>
    error === 'rename',
}

interface Crossing {
  readonly command: Command
  readonly model: HistoryModel
  /** True if the integration was pinned before the command. */
  readonly wasPinned: boolean
  /** Status and error of the last report; undefined if the command has none. */
  readonly status: string | undefined
  readonly error: string | null | undefined
  /** The run of the last report. */
  readonly made: Run | null | undefined
}

const isLanded = ({ status }: Run) => status === 'finished' || status === 'failed'

for (const name of Object.keys(CROSSINGS)) declare(name)

export function countCrossings(
  tally: Tally,
  command: Command,
  expected: readonly ExpectedReport[],
  model: HistoryModel,
  wasPinned: boolean,
): void {
  const { status, error, run: made } = expected.at(-1) ?? {}
  const given = { command, model, wasPinned, status, error, made }
  for (const [name, isSo] of Object.entries(CROSSINGS)) if (isSo(given)) tally.count(name)
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
    const { changes } = run.outbox
    const has = (state: string, isRemoval: boolean) =>
      changes.some((change) => change.state === state && (change.action === 'remove') === isRemoval)
    count('a run leaves its plan on its way', run.status === 'applying')
    const isWithheld = isLanded(run) && has('withheld', true)
    count('a run lands without the removals that are in doubt', isWithheld && !has('failed', false))
    count('a run lands without removals, since an upsert was rejected', isWithheld && has('failed', false))
    count('a run has an upsert rejected', has('failed', false))
    count('a run has a removal rejected', has('failed', true))
    count('a run ends with a sum that does not close', run.status === 'failed')
    count('a run is not certified', !certified)
    count('a run keeps what it might remove', kept > 0)
    count('a run has nothing to do', isLanded(run) && changes.length === 0)
    count('an approval lands', approved && isLanded(run))
    count('an approval is left on its way', approved && !isLanded(run))
    count(
      'an approval lands when a newer plan is stored',
      approved && isLanded(run) && run !== model.runs.at(-1),
    )
  }
}
