import { dirname, join } from 'node:path'
import { mayApplyWhilePinned } from '../../loaders/ledger/actions.ts'
import { findRunSizes, findRuns, type RunRecord, type RunSize } from '../../loaders/ledger/ledger.ts'
import { findNewestPlan, waitingRun } from '../../loaders/ledger/stored-plan.ts'
import { REPORT_FILE } from '../../loaders/packs/csv-files/pack-format.ts'
import { MASKED_PAGE } from '../../loaders/packs/plan-page/plan-files.ts'
import type { KeptOut } from '../../loaders/people/forgotten.ts'
import { findAllUnconfirmedMisses, type UnconfirmedMiss } from '../../loaders/staging/marks.ts'
import type { Pin } from '../../sql/tables.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { describePin } from '../../transforms/texts/pinned.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { packFolder } from '../context/pack-folder.ts'
import type { Context } from '../context/run-context.ts'
import { describeUnconfirmed } from '../extract/changes/plan-readings.ts'
import { reportOf } from '../run/recorded-run.ts'
import { findRefusals, type Refusal } from '../run/refusal.ts'
import { EXIT, NO_CHANGES, worst } from '../runtime/report.ts'
import type { IntegrationStatus } from '../schemas/runs.ts'
import {
  dueOf,
  type Judged,
  judge,
  LOOKED_AT,
  readStateFacts,
  STATES_BY_NEED,
  type State,
  type StateFacts,
  secondsSince,
  stateOf,
} from './state.ts'

/** Exit code of `status` for each state. */
const CODES: Readonly<Record<State, number>> = {
  'up to date': EXIT.ok,
  'never run': EXIT.ok,
  pinned: EXIT.ok,
  held: EXIT.held,
  incomplete: EXIT.incomplete,
  failing: EXIT.failed,
  interrupted: EXIT.failed,
  overdue: EXIT.failed,
}

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
interface Facts extends StateFacts {
  readonly sizes: ReadonlyMap<string, readonly RunSize[]>
  readonly misses: readonly UnconfirmedMiss[]
}

async function readFacts(context: Context, ids: readonly string[]): Promise<Facts> {
  const db = context.database.kysely
  return {
    ...(await readStateFacts(context, ids)),
    sizes: await findRunSizes(db, ids, CHARTED_RUNS),
    misses: await findAllUnconfirmedMisses(db, ids),
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

async function statusOf(
  context: Context,
  integration: IntegrationConfig,
  facts: Facts,
): Promise<IntegrationStatus> {
  const db = context.database.kysely
  const { id: integrationId, schedule } = integration
  const nowMs = context.environment.now()
  const newest = facts.newest.get(integrationId)
  const success = facts.successes.get(integrationId)
  const { running, isLate, dueAt } = dueOf(context, integration, facts)
  const pin = facts.pins.get(integrationId) ?? null
  const last = judge(context, newest === undefined ? [] : [newest], pin, facts.locked)
  const judged =
    newest === undefined || last?.state === 'up to date'
      ? last
      : judge(context, await findRuns(db, { integrationId }, LOOKED_AT), pin, facts.locked)
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
  const { since } = judged
  const state = stateOf(judged, isLate, facts.keptOut.get(integrationId))
  const miss = facts.misses.find((one) => one.integrationId === integrationId)
  // If this run found the missed records, its own report already names them.
  const missed =
    miss === undefined || miss.runId === judged.record?.run_id ? [] : describeUnconfirmed(integrationId, miss)
  const nextRun = pin === null ? 'the next run' : 'the first run after that'
  const keptOut = describeKeptOut(facts.keptOut.get(integrationId), nextRun)
  const pinned = pin === null ? [] : [describePin(integrationId, pin)]
  const reason = [pinned, judged.reason ?? [], missed, keptOut].flat().join('; ') || null
  if (state === 'overdue') {
    return {
      ...common,
      state,
      since: dueAt,
      reason: [late, pinned, missed, keptOut].flat().join('; '),
      next: `event-sync run ${integrationId}`,
    }
  }
  if (state !== judged.state) {
    const next = `event-sync run ${integrationId}`
    return { ...common, state, since, reason, next }
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
    case 'interrupted':
    case 'failing':
      // An interrupted run sends the rest of its plan only after the pause.
      if (pin !== null && record.status === 'applying' && !mayApplyWhilePinned(record))
        return `event-sync resume ${integrationId}`
      return exitCode === null ? `event-sync run ${integrationId}` : `event-sync check ${integrationId}`
    default:
      return null
  }
}
