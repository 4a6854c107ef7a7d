import { findPin, lockPin, mayApplyWhilePinned } from '../../loaders/ledger/actions.ts'
import { findPlanHashes, findRun, type RunRecord, updateRun } from '../../loaders/ledger/ledger.ts'
import { findNewestPlan, type NewestPlan } from '../../loaders/ledger/stored-plan.ts'
import { lockReadings } from '../../loaders/staging/readings.ts'
import type { Db } from '../../sql/tables.ts'
import { findSettledRun, judgesReadings } from '../../transforms/plan/settled.ts'
import { describePinned } from '../../transforms/texts/pinned.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { openRunContext } from '../context/open-run.ts'
import { requireWritableOutput } from '../context/pack-folder.ts'
import { recordAction } from '../context/record-action.ts'
import { type Context, type RunContext, StepError, timestamp } from '../context/run-context.ts'
import { confirm, extract } from '../extract/extract.ts'
import { reportOfError } from '../observe/emit.ts'
import { replacePlanPages } from '../packs/plan-page.ts'
import { messageOf } from '../runtime/message-of.ts'
import { notRun, type RunReport } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import type { Reading } from '../sources/contract/source.ts'
import { transformsOf } from '../sources/registry.ts'
import { apply } from './apply.ts'
import { audit } from './audit.ts'
import { type Gap, requireUpToDate } from './behind.ts'
import { plan } from './plan.ts'
import {
  finishInterrupted,
  type RecordedRunOptions,
  recordRun,
  requireRunnable,
  requireSettled,
  runAndReport,
  withLock,
} from './recorded-run.ts'
import { refresh } from './refresh.ts'
import { findRefusal } from './refusal.ts'
import { requirePromises } from './sql-checks.ts'
import { stage } from './stage.ts'

const NO_RUN_BEGUN =
  'the interrupted run was finished first and has its own report; no new run was started; safe to run again'

/**
 * Runs one integration. If an earlier run died after its plan was stored, that run is finished first and
 * keeps its id.
 */
export async function runIntegration(
  context: Context,
  integration: IntegrationConfig,
  options: RecordedRunOptions,
) {
  return withLock(context, integration, options.command, (locked) => runLocked(locked, integration, options))
}

/** Runs one integration whose lock the caller holds. */
export async function runLocked(
  locked: Context,
  integration: IntegrationConfig,
  options: RecordedRunOptions,
): Promise<readonly RunReport[]> {
  const { takesPlatformEvent } = await requireRunnable(locked, integration, options)
  const gap = await requireUpToDate(locked, integration, options, takesPlatformEvent)
  if (options.command === 'plan') await requireSettled(locked, integration)
  else {
    const refusal = await findUnsendable(locked, integration)
    if (refusal !== null) return [refusal]
  }
  const finished =
    options.command === 'run' ? await finishInterrupted(locked, integration, applyAndAudit) : []
  // Until the earlier run is finished, it is unknown which items the platform has, so a new plan would be
  // wrong.
  if (finished.some(({ status }) => status !== 'finished')) return finished
  const report = await recordRun(locked, integration, options, gap, (run) =>
    runSteps(run, options, gap),
  ).catch((error: unknown) => {
    if (finished.length === 0) throw error
    return reportOfError(integration.id, error, NO_RUN_BEGUN)
  })
  return [...finished, report]
}

/**
 * Finds an interrupted run that must not send the rest of its plan, because the integration is pinned. Until
 * the platform has the whole plan, its items are unknown, so the product cannot make a new plan.
 *
 * @returns a report about the interrupted run; null if there is no such run
 */
async function findUnsendable(
  { database, environment }: Context,
  { id: integrationId }: IntegrationConfig,
): Promise<RunReport | null> {
  const pin = await findPin(database.kysely, integrationId, timestamp(environment))
  const applying = await findRun(database.kysely, { integrationId, statuses: ['applying'] })
  if (pin === null || applying === undefined || mayApplyWhilePinned(applying)) return null
  const { run_id: run } = applying
  return notRun(
    integrationId,
    'failed',
    `run ${run} of ${integrationId} was interrupted while its plan was being sent, and is not continued: ${integrationId} is ${describePinned(pin)}; \`event-sync resume ${integrationId}\` ends that, then \`event-sync run ${integrationId}\` sends the rest of that plan before it makes a new one\nnothing was sent now; what run ${run} sent before is kept`,
  )
}

/** Runs one integration, and returns an error as a report, so that it does not stop the next integration. */
export function runReported(context: Context, integration: IntegrationConfig, options: RecordedRunOptions) {
  return runIntegration(context, integration, options).catch((error: unknown) => [
    reportOfError(integration.id, error),
  ])
}

/**
 * Runs the steps of a run in their order. The command `plan`, and a run whose plan is held, end without
 * sending anything to the platform.
 */
async function runSteps(run: RunContext, options: RecordedRunOptions, gap: Gap): Promise<void> {
  if (gap.unasked !== null) throw new StepError('refresh', 'platform', gap.unasked)
  // Reads the pages of the source into the incoming tables.
  const readings = await run.step('extract', () => extract(run, options))
  run.at('source read')
  const isRefreshed = await refresh(run, options.refresh ?? false, gap)
  const goesOn = await stageAndPlan(run, readings, options, isRefreshed)
  run.at('plan stored')
  if (options.isPreview !== true) await showPlan(run) // the plan -> a page for those who decide
  if (goesOn) await applyAndAudit(run)
}

/** Writes the page of a plan that waits. If that fails, the plan waits all the same, and `show` prints it. */
export async function showPlan(run: RunContext): Promise<void> {
  const { integrationId } = run
  await replacePlanPages(run, integrationId).catch((error: unknown) =>
    run.emit({ type: 'delivery failed', to: 'the page of the plan', cause: messageOf(error) }),
  )
}

/**
 * Stages the records and makes the plan in one transaction. A reader of the database sees either the old
 * snapshot or the new snapshot, never a mixture. If the process dies during this transaction, the next run
 * continues with the data that was read.
 *
 * If the plan would remove items because their records are missing, the transaction is rolled back. The
 * resources of these items are then read a second time, and the plan is made again.
 */
async function stageAndPlan(
  run: RunContext,
  readings: readonly Reading[],
  options: RecordedRunOptions,
  isRefreshed: boolean,
) {
  try {
    return await run.database.transaction(async (transaction) => {
      await lockReadings(transaction, run.integrationId)
      // Merges the incoming tables into staging, with history.
      const { staged, isNew } = await run.step('stage', () => stage(run, transaction, readings))
      const isMade = await run.step('transform', async () => {
        const isChanged = isNew || isRefreshed || options.refresh === true
        // Makes decisions and desired items from the staged records.
        const made = await run.connected.makeDesired(transaction, run.runId, isChanged)
        run.at('decisions made')
        return made
      })
      const { goesOn, unconfirmed } = await run.step('plan', async () => {
        const isSettled = (await findSettledRun(transaction, run)) !== null
        // The changes are the differences between the desired items and the items of the platform.
        const planned = await plan(run, transaction, staged, options.command, isSettled)
        if (planned.unconfirmed.length === 0) {
          const made = { decisions: isMade || (await judgesReadings(transaction, run)), plan: !isSettled }
          await requirePromises(transaction, 'before-apply', run, transformsOf(run.config), made)
        }
        return planned
      })
      if (unconfirmed.length > 0) throw new UnconfirmedError(unconfirmed)
      return goesOn
    })
  } catch (error) {
    if (!(error instanceof UnconfirmedError)) throw error
    const confirmed = await run.step('extract', () => confirm(run, readings, new Set(error.resources)))
    return await stageAndPlan(run, confirmed, options, isRefreshed)
  }
}

class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError'
  readonly resources: readonly string[]

  constructor(resources: readonly string[]) {
    super(`to be read again: ${resources.join(', ')}`)
    this.resources = resources
  }
}

async function applyAndAudit(run: RunContext): Promise<void> {
  // Sends the changes to the platform.
  const isContinued = !(await run.step('apply', () => apply(run)))
  // Writes the results of all steps into an audit pack of CSV files.
  await run.step('audit', () => audit(run, isContinued))
}

/**
 * Approves a stored plan and applies it. Before this, all changes that are still being sent to the platform
 * are finished. If no plan has this hash, the function does nothing.
 *
 * @param start the hash of the plan, or the first characters of the hash
 * @throws UserError if the hashes of several plans begin with these characters, or if the integration is
 *   pinned
 */
export async function approve(
  context: Context,
  integration: IntegrationConfig,
  start: string,
  approver: string,
  reason: string | null = null,
): Promise<readonly RunReport[]> {
  const { id: integrationId } = integration
  const db = context.database.kysely
  const [planHash = start, ...others] = await findPlanHashes(db, integrationId, start, 2)
  if (others.length > 0)
    throw new UserError(
      'usage',
      `several plans of ${integrationId} begin with ${start}`,
      'give more of the hash; nothing was sent',
    )
  const findOpen = () => findRun(db, { integrationId, planHash, statuses: OPEN })
  // This check is made before the lock is taken, so that nobody gets a message about a failed run.
  const waiting = await findOpen()
  if (waiting !== undefined) await requireUnpinned(db, waiting, timestamp(context.environment))
  return withLock(context, integration, 'apply', async (locked) => {
    const open = await findOpen()
    if (open === undefined) {
      // If the database is older than its packs or platform, it may miss a newer plan.
      const refusal = await findRefusal(locked, integration, true)
      if (refusal !== null) throw refusal
      return [await applyStored(locked, integration, planHash, approver, reason)]
    }
    const { takesPlatformEvent } = await requireRunnable(locked, integration)
    await requireUpToDate(locked, integration, {}, takesPlatformEvent)
    const finished = await finishInterrupted(locked, integration, applyAndAudit)
    const isDone = finished.some(({ status, planHash: hash }) => status !== 'finished' || hash === planHash)
    if (isDone) return finished
    return [...finished, await applyStored(locked, integration, planHash, approver, reason)]
  })
}

/**
 * Requires that no pin stops the plan of a run from being sent. The function accepts a run that only lacks
 * its pack, because this run sends nothing any more.
 *
 * @throws UserError if the integration is pinned
 */
export async function requireUnpinned(db: Db, record: RunRecord, now: string): Promise<void> {
  if (record.status === 'applied' || mayApplyWhilePinned(record)) return
  const { integration_id: id } = record
  const pin = await findPin(db, id, now)
  if (pin === null) return
  throw new UserError(
    'state',
    `${id} is ${describePinned(pin)}`,
    `\`event-sync resume ${id}\` first; nothing was sent`,
  )
}

const ADVICE_ON_PREVIEWS =
  'if it is the hash of a preview (`plan --refresh`, `plan --rebind`), which is not stored: `run` with the same options does what it shows'

/** Statuses of a run whose plan can still be applied or is being applied. */
const OPEN = ['planned', 'held', 'applying', 'applied'] as const

/**
 * Says when a plan was applied and by which run. Returns null if the plan was not applied, or if the same
 * plan was made again later.
 */
async function describeLanded(
  { database }: Context,
  integrationId: string,
  planHash: string,
  lastMade: string | undefined,
) {
  const landed = await findRun(database.kysely, { integrationId, planHash, statuses: ['finished', 'failed'] })
  if (landed?.applied_at == null || landed.run_id < (lastMade ?? '')) return null
  const by = landed.approved_by === null ? '' : `, approved by ${landed.approved_by}`
  return `plan ${planHash} of ${integrationId} was applied at ${landed.applied_at.toISOString()} by run ${landed.run_id}${by}`
}

interface StalePlan {
  readonly planHash: string
  readonly newest: NewestPlan | null
  /** The run that stored the plan. It is undefined if no run stored the plan, or if that run has ended. */
  readonly record: RunRecord | undefined
}

/** Says why a plan cannot be applied, and what the user can do. */
async function describeStale(
  context: Context,
  integrationId: string,
  { planHash, newest, record }: StalePlan,
): Promise<string> {
  const isNewest = newest?.run.plan_hash === planHash
  const isDue = newest?.canApply(newest.run) === true
  const newer =
    newest === null || isNewest
      ? 'there is no current plan'
      : `the newest is ${newest.run.plan_hash}${isDue ? '' : ', which can no longer be applied'}`
  const what =
    record === undefined
      ? 'not a stored plan of'
      : `${isNewest ? 'no longer current' : 'not the newest plan'} for`
  const make = isDue ? '' : `; make one with \`event-sync plan ${integrationId}\``
  const advice = record === undefined ? `${make}; ${ADVICE_ON_PREVIEWS}` : make
  const landed = await describeLanded(context, integrationId, planHash, record?.run_id)
  const said = landed ?? `${planHash} is ${what} ${integrationId}`
  return `${said}; ${newer}${advice}\nplatform untouched`
}

/**
 * Applies the stored plan with this hash. The plan must be the newest plan, and no other changes may have
 * been applied since it was made.
 */
export async function applyStored(
  context: Context,
  integration: IntegrationConfig,
  planHash: string,
  approver: string,
  reason: string | null = null,
): Promise<RunReport> {
  const db = context.database.kysely
  const { id: integrationId } = integration
  const newest = await findNewestPlan(db, integrationId)
  const record = await findRun(db, { integrationId, statuses: ['planned', 'held'], planHash })
  if (record === undefined || newest?.canApply(record) !== true) {
    const plans = { planHash, newest, record }
    return notRun(integrationId, 'stale', await describeStale(context, integrationId, plans))
  }
  const { run_id: runId } = record
  return runAndReport(openRunContext(context, integration, runId), async (run) => {
    await requireWritableOutput(run)
    const isRollback = record.command === 'rollback'
    await run.database.transaction(async (transaction) => {
      const now = timestamp(context.environment)
      await lockPin(transaction, integrationId)
      await requireUnpinned(transaction, record, now)
      await recordApproval(transaction, record, approver, now)
      await recordAction(transaction, context, integrationId, isRollback ? 'rolled_back' : 'approved', {
        madeBy: approver,
        reason,
        runId,
        detail: isRollback ? `to run ${record.rollback_to}` : `plan ${planHash}`,
      })
    })
    await applyAndAudit(run)
  })
}

/**
 * Records that somebody approved the plan of a run. After the approval, the plan is finished even if this
 * process dies. If the plan is that of a rollback, the caller also logs `rolled_back`, which pins the
 * integration.
 */
async function recordApproval(
  transaction: Db,
  { integration_id: integrationId, run_id: runId }: RunRecord,
  approver: string,
  now: string,
): Promise<void> {
  await updateRun(transaction, integrationId, runId, {
    status: 'applying',
    approved_by: approver,
    approved_at: now,
  })
}
