import { findPins } from '../../loaders/ledger/actions.ts'
import { findDecidingRuns, findNewestRuns, type RunRecord } from '../../loaders/ledger/ledger.ts'
import { countKeptOut, type KeptOut } from '../../loaders/people/forgotten.ts'
import { countChanges, type Pin } from '../../sql/tables.ts'
import { linesOfHold } from '../../transforms/guards/guard-finding.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { changesInPlainWords } from '../../transforms/texts/in-the-app.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { dueAfter } from '../config/due.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { findSchedules } from '../database/job-queue.ts'
import { reportOf } from '../run/recorded-run.ts'
import { EXIT, exitCodeOf, isPinnedRun, type RunReport, worst } from '../runtime/report.ts'
import type { EndOfRun, IntegrationStatus } from '../schemas/runs.ts'

/**
 * State of an integration. The text and the JSON use the same words. The words for states must not change,
 * because users rely on them.
 */
export type State = IntegrationStatus['state']

/** All states, from the worst to the best. */
export const STATES_BY_NEED: readonly State[] = [
  'failing',
  'overdue',
  'interrupted',
  'held',
  'incomplete',
  'never run',
  'pinned',
  'up to date',
]

/** Delay after which a scheduled run is called overdue. */
const LATE_MS = 15 * 60_000
/** Maximum number of runs in which the start of a state is searched. */
export const LOOKED_AT = 200

const STATES: ReadonlyMap<number | null, State> = new Map([
  [EXIT.ok, 'up to date'],
  [EXIT.held, 'held'],
  [EXIT.incomplete, 'incomplete'],
])

/** Facts from which the states of integrations follow. Each kind is read with one query. */
export interface StateFacts {
  readonly scheduledSince: ReadonlyMap<string, Date>
  readonly newest: ReadonlyMap<string, RunRecord>
  readonly successes: ReadonlyMap<string, RunRecord>
  readonly keptOut: ReadonlyMap<string, KeptOut>
  readonly pins: ReadonlyMap<string, Pin>
  /** Ids of the integrations on which a process works. */
  readonly locked: ReadonlySet<string>
}

export async function readStateFacts(
  { database, environment }: Context,
  ids: readonly string[],
): Promise<StateFacts> {
  const db = database.kysely
  const lockedBefore = await database.findLocked(ids)
  const newest = await findNewestRuns(db, ids)
  // A run that began or ended while the runs were read has its lock only after or only before that. Without
  // both queries, the run would look as if its process had died.
  const locked = new Set([...lockedBefore, ...(await database.findLocked(ids))])
  return {
    locked,
    newest,
    successes: await findNewestRuns(db, ids, ['finished']),
    scheduledSince: await findSchedules(database),
    keptOut: await countKeptOut(db, ids),
    pins: await findPins(db, ids, timestamp(environment)),
  }
}

/** The state of an integration, and the age of its last success in seconds; null if it never succeeded. */
export interface IntegrationState {
  readonly integration: string
  readonly state: State
  readonly secondsSinceSuccess: number | null
}

/**
 * Finds the state of each integration of the configuration. The number of queries depends neither on the
 * number of integrations nor on the number of runs.
 */
export async function findStates(context: Context): Promise<readonly IntegrationState[]> {
  const { config, database, environment } = context
  const ids = config.integrations.map(({ id }) => id)
  const facts = await readStateFacts(context, ids)
  const { pins, locked } = facts
  const now = { pinned: [...pins.keys()], locked: [...locked] }
  const deciding = await findDecidingRuns(database.kysely, ids, now, LOOKED_AT)
  return config.integrations.map((integration) => {
    const { id } = integration
    const run = deciding.get(id)
    const judged = judge(context, run === undefined ? [] : [run], pins.get(id) ?? null, locked)
    const { isLate } = dueOf(context, integration, facts)
    const endedAt = facts.successes.get(id)?.finished_at ?? null
    return {
      integration: id,
      state: stateOf(judged, isLate, facts.keptOut.get(id)),
      secondsSinceSuccess: endedAt === null ? null : secondsSince(endedAt, environment.now()),
    }
  })
}

/** Returns when an integration is due, if that time has long passed, and if a run is under way. */
export function dueOf(context: Context, integration: IntegrationConfig, facts: StateFacts) {
  const { id } = integration
  const nowMs = context.environment.now()
  const newest = facts.newest.get(id)
  const running = newest !== undefined && isUnderWay(endOfRun(context, newest, facts.locked))
  const startMs = newest?.started_at.getTime() ?? facts.scheduledSince.get(id)?.getTime() ?? null
  const dueMs = dueAfter(integration, startMs ?? nowMs)
  const isLate = dueMs !== null && startMs !== null && !running && dueMs + LATE_MS <= nowMs
  return { running, isLate, dueAt: dueMs === null ? null : new Date(dueMs).toISOString() }
}

/**
 * Returns the state of an integration.
 *
 * @param isLate true if a scheduled run did not start
 */
export function stateOf(
  judged: Judged | null,
  isLate: boolean,
  { forgotten, leftOut }: KeptOut = { forgotten: 0, leftOut: 0 },
): State {
  if (judged === null) return 'never run'
  const { state } = judged
  if ((state === 'up to date' || state === 'pinned') && isLate) return 'overdue'
  return state === 'up to date' && forgotten + leftOut > 0 ? 'incomplete' : state
}

export interface Judged {
  readonly state: Exclude<State, 'never run' | 'overdue'>
  readonly since: string
  readonly reason: string | null
  /** Null if the integration is pinned and no run has ended yet; otherwise never null. */
  readonly record: RunRecord | null
  readonly exitCode: number | null
}

/**
 * Determines the state from the newest run that has ended, or that no process works on any more. Runs that
 * only planned are skipped. A pinned integration has the state `pinned`, except if its last run failed or was
 * interrupted.
 *
 * @param locked ids of the integrations on which a process works
 */
export function judge(
  context: Context,
  runs: readonly RunRecord[],
  pin: Pin | null,
  locked: ReadonlySet<string>,
): Judged | null {
  let judged: Judged | null = null
  for (const record of runs) {
    const end = endOfRun(context, record, locked)
    const { status, reason } = end
    const isPinned = isPinnedRun({ ...end, command: record.command })
    // A plan that a guard held during a pause waits for a decision after the pause.
    const exitCode = isPinned && pin === null && status === 'held' ? EXIT.held : end.exitCode
    if (isPinned && exitCode !== EXIT.held) {
      // A run during a pause sends nothing, so after the pause an earlier run determines the state.
      if (pin === null) continue
      return hasBroken(judged) ? judged : { state: 'pinned', since: pin.since, reason, record, exitCode }
    }
    if (status === 'planned' || status === 'abandoned' || isUnderWay(end)) continue
    const isInterrupted = exitCode === null && record.error === null
    const state = isInterrupted ? 'interrupted' : ((STATES.get(exitCode) ?? 'failing') as Judged['state'])
    if (judged !== null && judged.state !== state) break
    const at = record.finished_at ?? record.planned_at ?? record.started_at
    judged = { ...(judged ?? { state, reason, record, exitCode }), since: at.toISOString() }
    // Older runs need not be read, because the state begins with the newest successful run.
    if (state === 'up to date') break
  }
  if (pin !== null && !hasBroken(judged)) {
    const { record = null, exitCode = null } = judged ?? {}
    return { state: 'pinned', since: pin.since, reason: null, record, exitCode }
  }
  return judged === null ? null : { ...judged, reason: judged.state === 'up to date' ? null : judged.reason }
}

/** Returns true if the last run failed or was interrupted. */
function hasBroken(judged: Judged | null): judged is Judged {
  return judged?.state === 'failing' || judged?.state === 'interrupted'
}

function isUnderWay({ exitCode, reason }: ReturnType<typeof endOfRun>): boolean {
  return exitCode === null && reason === null
}

/**
 * Returns how a run ended, as its command reported it. A run whose process died is reported as interrupted.
 *
 * @param locked ids of the integrations on which a process works
 */
export function endOfRun(context: Context, record: RunRecord, locked: ReadonlySet<string>): EndOfRun {
  const { integration_id: id, status } = record
  const unfinished = { status, exitCode: null, changes: null, pinned: null }
  if (status === 'abandoned') return { ...unfinished, reason: 'interrupted; a later run started over' }
  if (['running', 'applying', 'applied'].includes(status)) {
    if (locked.has(id)) return { ...unfinished, reason: null }
    const todo = status === 'running' ? 'continues from there' : 'finishes it first'
    // If a run could not continue, for example because the disk was full, it recorded an error.
    const why = record.error?.split('\n')[0] ?? 'interrupted'
    const reason = `${why}; \`event-sync run ${id}\` ${todo}`
    return { ...unfinished, status: status === 'running' ? 'interrupted' : status, reason }
  }
  const report = reportOf(context, record)
  const { failed = 0, notes = [], quarantined, held } = report
  const approved = report.approved === true ? ', approved' : ''
  const reasons = [
    record.rollback_to === null ? '' : `rollback to ${record.rollback_to}`,
    record.error?.split('\n')[0] ?? '',
    status === 'held' ? changesInPlainWords(report.changes) : '',
    held === null ? '' : `${held.guard}${approved}: ${linesOfHold(held).seen}`,
    report.certified || record.certified === null ? '' : 'a read was not proved complete',
    quarantined === 0 ? '' : `${counted(quarantined, 'record')} could not be read`,
    failed === 0 ? '' : `the platform rejected ${counted(failed, 'change')}`,
    ...notes,
  ]
  const reason = reasons.filter((one) => one !== '').join('; ') || null
  const exitCode = codeOfReports(context, [report])
  return { status, exitCode, changes: countChanges(report.changes), reason, pinned: report.pinned }
}

/** Returns the exit code of a command that printed these reports. */
export function codeOfReports({ config }: Context, reports: readonly RunReport[]): number {
  const codes = reports.map((report) => {
    const integration = config.integrations.find(({ id }) => id === report.integration)
    return exitCodeOf(report, integration?.guards.maxQuarantined ?? 0)
  })
  return worst(codes)
}

/**
 * Returns the seconds that have passed after a point in time. If that time is in the future, because another
 * clock is ahead, returns 0.
 */
export function secondsSince(moment: Date, nowMs: number): number {
  return Math.max(0, Math.round((nowMs - moment.getTime()) / 1000))
}
