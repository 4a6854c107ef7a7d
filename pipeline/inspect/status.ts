import { dirname, join } from 'node:path'
import { findPins, mayApplyWhilePinned } from '../../loaders/ledger/actions.ts'
import {
  findNewestRuns,
  findRunSizes,
  findRuns,
  type RunRecord,
  type RunSize,
} from '../../loaders/ledger/ledger.ts'
import { findNewestPlan, waitingRun } from '../../loaders/ledger/stored-plan.ts'
import { REPORT_FILE } from '../../loaders/packs/csv-files/pack-format.ts'
import { MASKED_PAGE } from '../../loaders/packs/plan-page/plan-files.ts'
import { countKeptOut, type KeptOut } from '../../loaders/people/forgotten.ts'
import { findAllUnconfirmedMisses, type UnconfirmedMiss } from '../../loaders/staging/marks.ts'
import { type ChangeCounts, type Content, countChanges, type Pin } from '../../sql/tables.ts'
import { linesOfHold } from '../../transforms/guards/guard-finding.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { changesInPlainWords } from '../../transforms/texts/in-the-app.ts'
import { describePin } from '../../transforms/texts/pinned.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { packFolder } from '../context/pack-folder.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { isLocked } from '../database/integration-lock.ts'
import { findSchedules } from '../database/job-queue.ts'
import { describeUnconfirmed } from '../extract/changes/plan-readings.ts'
import { reportOf } from '../run/recorded-run.ts'
import { findRefusals, type Refusal } from '../run/refusal.ts'
import { EXIT, exitCodeOf, isPinnedRun, NO_CHANGES, type RunReport, worst } from '../runtime/report.ts'
import { nextDue, offsetSeconds } from '../worker/schedules.ts'

/**
 * State of an integration. The text and the JSON use the same words. The words for states must not change,
 * because users rely on them.
 */
export type State = 'up to date' | 'held' | 'incomplete' | 'failing' | 'never run' | 'overdue' | 'pinned'

/** Status of one integration, for people who operate many integrations. */
export interface IntegrationStatus {
  readonly integration: string
  readonly state: State
  /**
   * Begin of the state; for `up to date`, the end of the newest successful run. The time is in UTC. Null if
   * the state is `never run`.
   */
  readonly since: string | null
  /**
   * Why the state is not better; null if there is nothing to report. The text also reports records that
   * readings by changes missed.
   */
  readonly reason: string | null
  /**
   * The command that shows the plan that waits for approval. A user must run this command before the command
   * in `next`. Null if `next` does not approve a plan.
   */
  readonly look: string | null
  /** The command that the user should run next; null if nothing needs attention. */
  readonly next: string | null
  /** The pin of the integration; null if the integration is not pinned. */
  readonly pinned: Pin | null
  /** True if a run is under way. */
  readonly running: boolean
  /** The run that determines the state. */
  readonly run: string | null
  readonly exitCode: number | null
  /** The changes of the run that determines the state, or of its plan. */
  readonly changes: Readonly<Record<Content, ChangeCounts>>
  readonly lastSuccessAt: string | null
  readonly secondsSinceSuccess: number | null
  readonly cron: string | null
  /** Time at which the next scheduled run is or was due. The due time is in UTC. */
  readonly dueAt: string | null
  /**
   * How the source was read. For resources that are read by changes, it says how each resource was read. The
   * value comes from the run that determines the state. If that run recorded no readings, it comes from the
   * last successful run.
   */
  readonly reading: RunReport['reading'] | null
  readonly readings?: RunReport['readings']
  /** Absolute path of the report of the run; null if no report exists. */
  readonly report: string | null
  /**
   * Absolute path of the page about the waiting plan that can be forwarded to the organiser. The page has no
   * names of people. Null if no plan waits for a decision, or if there is no page.
   */
  readonly toForward: string | null
  /** Sizes of the last runs that have ended, from the oldest to the newest. */
  readonly recent: readonly RunSize[]
}

/** Delay after which a scheduled run is called overdue. */
const LATE_MS = 15 * 60_000
/** Maximum number of runs in which the start of a state is searched. */
const LOOKED_AT = 200

const STATES: ReadonlyMap<number | null, State> = new Map([
  [EXIT.ok, 'up to date'],
  [EXIT.held, 'held'],
  [EXIT.incomplete, 'incomplete'],
])

/** Exit code of `status` for each state. */
const CODES: Readonly<Record<State, number>> = {
  'up to date': EXIT.ok,
  'never run': EXIT.ok,
  pinned: EXIT.ok,
  held: EXIT.held,
  incomplete: EXIT.incomplete,
  failing: EXIT.failed,
  overdue: EXIT.failed,
}

/** All states, from the worst to the best. */
export const STATES_BY_NEED: readonly State[] = [
  'failing',
  'overdue',
  'held',
  'incomplete',
  'never run',
  'pinned',
  'up to date',
]

/**
 * Returns the exit code of `status`: 0 if nothing needs attention, otherwise the code of the worst
 * integration.
 */
export function exitCodeOfStatuses(statuses: readonly IntegrationStatus[]): number {
  return worst(
    statuses.map(({ state, reason }) =>
      // For an integration that never ran, a reason exists only if its scheduled run is overdue.
      state === 'never run' && reason !== null ? EXIT.failed : CODES[state],
    ),
  )
}

const NOTHING_KEPT_OUT: KeptOut = { forgotten: 0, leftOut: 0 }

/** Number of runs that a chart shows. */
export const CHARTED_RUNS = 30

/** Data about all integrations. Each kind of data is read with one query. */
interface Facts {
  readonly scheduledSince: ReadonlyMap<string, Date>
  readonly newest: ReadonlyMap<string, RunRecord>
  readonly successes: ReadonlyMap<string, RunRecord>
  readonly sizes: ReadonlyMap<string, readonly RunSize[]>
  readonly misses: readonly UnconfirmedMiss[]
  readonly keptOut: ReadonlyMap<string, KeptOut>
  readonly pins: ReadonlyMap<string, Pin>
}

async function readFacts({ database, environment }: Context, ids: readonly string[]): Promise<Facts> {
  const db = database.kysely
  return {
    scheduledSince: await findSchedules(database),
    newest: await findNewestRuns(db, ids),
    successes: await findNewestRuns(db, ids, ['finished']),
    sizes: await findRunSizes(db, ids, CHARTED_RUNS),
    misses: await findAllUnconfirmedMisses(db, ids),
    keptOut: await countKeptOut(db, ids),
    pins: await findPins(db, ids, timestamp(environment)),
  }
}

/**
 * Finds the status of each given integration. The integrations that most need somebody come first. The
 * function only reads. Finding the states needs one query of each kind for all integrations, and a few more
 * queries for each integration that needs somebody.
 */
export async function findStatuses(
  context: Context,
  integrations: readonly IntegrationConfig[] = context.config.integrations,
): Promise<readonly IntegrationStatus[]> {
  const facts = await readFacts(
    context,
    integrations.map(({ id }) => id),
  )
  const statuses: IntegrationStatus[] = []
  for (const integration of integrations) statuses.push(await statusOf(context, integration, facts))
  return byNeed(statuses)
}

function byNeed(statuses: readonly IntegrationStatus[]): readonly IntegrationStatus[] {
  return statuses.toSorted(
    (one, other) => STATES_BY_NEED.indexOf(one.state) - STATES_BY_NEED.indexOf(other.state),
  )
}

/**
 * Finds the status of each integration and the reasons why its next run would be refused. For these reasons,
 * it reads the folders of all packs.
 */
export async function findStatusesAndRefusals(
  context: Context,
  integrations?: readonly IntegrationConfig[],
): Promise<readonly IntegrationStatus[]> {
  const asked = integrations ?? context.config.integrations
  const refusals = await findRefusals(context, asked)
  const statuses = (await findStatuses(context, asked)).map((status): IntegrationStatus => {
    const refusal = refusals.get(status.integration)
    return refusal === undefined ? status : { ...status, state: 'failing', ...inWords(refusal, status) }
  })
  return byNeed(statuses)
}

function inWords({ what, todo, next }: Refusal, { integration, pinned }: IntegrationStatus) {
  const pin = pinned === null ? '' : `; ${describePin(integration, pinned)}`
  return { reason: `${what}; ${todo}${pin}`, next }
}

/**
 * Returns the seconds that have passed after a point in time. If that time is in the future, because another
 * clock is ahead, returns 0.
 */
export function secondsSince(moment: Date, nowMs: number): number {
  return Math.max(0, Math.round((nowMs - moment.getTime()) / 1000))
}

async function statusOf(
  context: Context,
  integration: IntegrationConfig,
  facts: Facts,
): Promise<IntegrationStatus> {
  const db = context.database.kysely
  const { id: integrationId, schedule } = integration
  const nowMs = context.environment.now()
  const newest = facts.newest.get(integrationId)
  const scheduledSince = facts.scheduledSince.get(integrationId) ?? null
  const success = facts.successes.get(integrationId)
  const running = newest !== undefined && isUnderWay(await endOfRun(context, newest))
  const pin = facts.pins.get(integrationId) ?? null
  const last = await judge(context, newest === undefined ? [] : [newest], pin)
  const judged =
    newest === undefined || last?.state === 'up to date'
      ? last
      : await judge(context, await findRuns(db, { integrationId }, LOOKED_AT), pin)
  const startMs = newest?.started_at.getTime() ?? scheduledSince?.getTime() ?? null
  const offset = schedule === undefined ? 0 : offsetSeconds(integrationId, schedule)
  const dueMs = schedule === undefined ? null : nextDue(schedule, offset, startMs ?? nowMs)
  const isLate = dueMs !== null && startMs !== null && !running && dueMs + LATE_MS <= nowMs
  const dueAt = dueMs === null ? null : new Date(dueMs).toISOString()
  const common = {
    integration: integrationId,
    pinned: pin,
    running,
    run: judged?.record?.run_id ?? null,
    exitCode: judged?.exitCode ?? null,
    changes: { ...NO_CHANGES, ...judged?.record?.counts?.changes },
    lastSuccessAt: success?.finished_at?.toISOString() ?? null,
    secondsSinceSuccess: success?.finished_at == null ? null : secondsSince(success.finished_at, nowMs),
    cron: schedule?.cron ?? null,
    dueAt,
    ...readingOf(
      context,
      judged?.record?.counts?.readings === undefined
        ? (success ?? judged?.record ?? undefined)
        : judged.record,
    ),
    report: judged?.record == null ? null : reportOfStatus(context, judged.record),
    look: null,
    toForward: null,
    recent: facts.sizes.get(integrationId) ?? [],
  }
  const late = `due at ${dueAt}, but no run has started since: check that a worker is running`
  if (judged === null) {
    const next = isLate ? `event-sync run ${integrationId}` : `event-sync check ${integrationId}`
    return { ...common, state: 'never run', since: null, reason: isLate ? late : null, next }
  }
  const { state, since } = judged
  const miss = facts.misses.find((one) => one.integrationId === integrationId)
  // If this run found the missed records, its own report already names them.
  const missed =
    miss === undefined || miss.runId === judged.record?.run_id ? [] : describeUnconfirmed(integrationId, miss)
  const nextRun = pin === null ? 'the next run' : 'the first run after that'
  const keptOut = describeKeptOut(facts.keptOut.get(integrationId), nextRun)
  const pinned = pin === null ? [] : [describePin(integrationId, pin)]
  const reason = [pinned, judged.reason ?? [], missed, keptOut].flat().join('; ') || null
  if ((state === 'up to date' || state === 'pinned') && isLate) {
    return {
      ...common,
      state: 'overdue',
      since: dueAt,
      reason: [late, pinned, missed, keptOut].flat().join('; '),
      next: `event-sync run ${integrationId}`,
    }
  }
  if (state === 'up to date' && keptOut.length > 0) {
    const next = `event-sync run ${integrationId}`
    return { ...common, state: 'incomplete', since, reason, next }
  }
  // Of all plans that are not rollbacks, only the newest can be applied.
  const newestPlan = state === 'held' ? await findNewestPlan(db, integrationId) : null
  const waiting = waitingRun(newestPlan)
  const next = nextOf(integrationId, judged, { pin, waiting, newestPlan: newestPlan?.run ?? null })
  if (waiting === null) return { ...common, state, since, reason, next }
  const report = reportOfStatus(context, waiting)
  const toForward = report === null ? null : join(dirname(report), MASKED_PAGE)
  const look = `event-sync show ${waiting.run_id}`
  return { ...common, report, toForward, state, since, reason, look, next }
}

/**
 * Says if the platform still has forgotten people or suppressed items.
 *
 * @param nextRun the run that removes them
 */
function describeKeptOut(
  { forgotten, leftOut }: KeptOut = NOTHING_KEPT_OUT,
  nextRun: string,
): readonly string[] {
  const still = (count: number, whose: string) =>
    count === 0
      ? []
      : [
          `the platform still has ${counted(count, 'item')} ${whose}; ${nextRun} removes ${count === 1 ? 'it' : 'them'}`,
        ]
  return [...still(forgotten, 'of people who were forgotten'), ...still(leftOut, 'left out by hand')]
}

function readingOf(
  context: Context,
  record: RunRecord | undefined,
): Pick<IntegrationStatus, 'reading' | 'readings'> {
  if (record === undefined) return { reading: null }
  const { reading, readings } = reportOf(context, record)
  return { reading, ...(readings && { readings }) }
}

interface Judged {
  readonly state: Exclude<State, 'never run' | 'overdue'>
  readonly since: string
  readonly reason: string | null
  /** Null if the integration is pinned and no run has ended yet; otherwise never null. */
  readonly record: RunRecord | null
  readonly exitCode: number | null
}

/**
 * Determines the state from the newest run that has ended, or that no process works on any more. Runs that
 * only planned are skipped. A pinned integration has the state `pinned`, or `failing` if its last run failed.
 */
async function judge(context: Context, runs: readonly RunRecord[], pin: Pin | null): Promise<Judged | null> {
  let judged: Judged | null = null
  for (const record of runs) {
    const end = await endOfRun(context, record)
    const { status, reason } = end
    const isPinned = isPinnedRun({ ...end, command: record.command })
    // A plan that a guard held during a pause waits for a decision after the pause.
    const exitCode = isPinned && pin === null && status === 'held' ? EXIT.held : end.exitCode
    if (isPinned && exitCode !== EXIT.held) {
      // A run during a pause sends nothing, so after the pause an earlier run determines the state.
      if (pin === null) continue
      return judged?.state === 'failing'
        ? judged
        : { state: 'pinned', since: pin.since, reason, record, exitCode }
    }
    if (status === 'planned' || status === 'abandoned' || isUnderWay(end)) continue
    const state = (STATES.get(exitCode) ?? 'failing') as Judged['state']
    if (judged !== null && judged.state !== state) break
    const at = record.finished_at ?? record.planned_at ?? record.started_at
    judged = { ...(judged ?? { state, reason, record, exitCode }), since: at.toISOString() }
    // Older runs need not be read, because the state begins with the newest successful run.
    if (state === 'up to date') break
  }
  if (pin !== null && judged?.state !== 'failing') {
    const { record = null, exitCode = null } = judged ?? {}
    return { state: 'pinned', since: pin.since, reason: null, record, exitCode }
  }
  return judged === null ? null : { ...judged, reason: judged.state === 'up to date' ? null : judged.reason }
}

function isUnderWay({ exitCode, reason }: Awaited<ReturnType<typeof endOfRun>>): boolean {
  return exitCode === null && reason === null
}

/**
 * Returns the path of a run's report. If the plan of the run waits for a decision, returns the path of the
 * plan's page. Returns null if no such file was written.
 */
function reportOfStatus(context: Context, record: RunRecord): string | null {
  if (record.manifest_sha256 === null) return reportOf(context, record).page
  const { integration_id: integrationId, run_id: runId } = record
  return join(packFolder({ ...context, integrationId, runId }), REPORT_FILE)
}

interface NextOf {
  readonly pin: Pin | null
  readonly waiting: RunRecord | null
  readonly newestPlan: RunRecord | null
}

function nextOf(
  integrationId: string,
  { state, record, exitCode }: Judged,
  { pin, waiting, newestPlan }: NextOf,
): string | null {
  if (record === null) return null
  switch (state) {
    case 'held':
      if (waiting !== null) return `event-sync apply ${integrationId} ${waiting.plan_hash}`
      // If a later plan found nothing to change, the next step is a run, which records this.
      return newestPlan !== null && newestPlan.run_id > record.run_id
        ? `event-sync run ${integrationId}`
        : `event-sync plan ${integrationId}`
    case 'incomplete':
      return record.certified !== false && (record.counts?.quarantined ?? 0) > 0
        ? `event-sync quarantine ${integrationId}`
        : `event-sync show ${record.run_id}`
    case 'failing':
      // An interrupted run sends the rest of its plan only after the pause.
      if (pin !== null && record.status === 'applying' && !mayApplyWhilePinned(record))
        return `event-sync resume ${integrationId}`
      // An interrupted run is not a fault.
      return exitCode === null ? `event-sync run ${integrationId}` : `event-sync check ${integrationId}`
    default:
      return null
  }
}

/**
 * Returns how a run ended, as its command reported it. A run whose process died is reported as interrupted.
 */
export async function endOfRun(context: Context, record: RunRecord) {
  const { integration_id: id, status } = record
  const unfinished = { status, exitCode: null, changes: null, pinned: null }
  if (status === 'abandoned') return { ...unfinished, reason: 'interrupted; a later run started over' }
  if (['running', 'applying', 'applied'].includes(status)) {
    if (await isLocked(context.database.kysely, id)) return { ...unfinished, reason: null }
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
