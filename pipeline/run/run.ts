import { findPlanHashes, findRun, updateRun } from '../../loaders/ledger/ledger.ts'
import { lockReadings } from '../../loaders/staging/readings.ts'
import { findSettledRun, judgesReadings } from '../../transforms/plan/settled.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { openRunContext } from '../context/open-run.ts'
import { requireWritableOutput } from '../context/pack-folder.ts'
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

/** Runs one integration. A run that died after its plan was stored is finished first, under its own id. */
export async function runIntegration(
  context: Context,
  integration: IntegrationConfig,
  options: RecordedRunOptions,
) {
  return withLock(context, integration, options.command, async (locked) => {
    const { takesPlatformEvent } = await requireRunnable(locked, integration, options.rebind ?? false)
    const gap = await requireUpToDate(locked, integration, options, takesPlatformEvent)
    if (options.command === 'plan') await requireSettled(locked, integration)
    const finished =
      options.command === 'run' ? await finishInterrupted(locked, integration, applyAndAudit) : []
    // The items of the platform are not known before that: a new plan would start from a guess.
    if (finished.some(({ status }) => status !== 'finished')) return finished
    const report = await recordRun(locked, integration, options, gap, (run) =>
      runSteps(run, options, gap),
    ).catch((error: unknown) => {
      if (finished.length === 0) throw error
      return reportOfError(integration.id, error, NO_RUN_BEGUN)
    })
    return [...finished, report]
  })
}

/** The same, if a failure of one integration must not reach the next. */
export function runReported(context: Context, integration: IntegrationConfig, options: RecordedRunOptions) {
  return runIntegration(context, integration, options).catch((error: unknown) => [
    reportOfError(integration.id, error),
  ])
}

/** The steps in their order; `plan` stops before the platform, and so does a run that a guard holds. */
async function runSteps(run: RunContext, options: RecordedRunOptions, gap: Gap): Promise<void> {
  if (gap.unasked !== null) throw new StepError('refresh', 'platform', gap.unasked)
  const readings = await run.step('extract', () => extract(run, options)) // the source's pages -> incoming tables
  run.at('source read')
  const isRefreshed = await refresh(run, options.refresh ?? false, gap)
  const goesOn = await stageAndPlan(run, readings, options, isRefreshed)
  run.at('plan stored')
  await showPlan(run) // the plan -> a page for those who decide
  if (goesOn) await applyAndAudit(run)
}

/** Writes the page of a plan that waits. If that fails, the plan waits all the same, and `show` prints it. */
async function showPlan(run: RunContext): Promise<void> {
  const { integrationId } = run
  await replacePlanPages(run, integrationId).catch((error: unknown) =>
    run.emit({ type: 'delivery failed', to: 'the page of the plan', cause: messageOf(error) }),
  )
}

/**
 * Stages and plans in one transaction: a reader sees the snapshot of before or the new one, never a
 * mixture, and a run that dies there is continued from what it had read.
 *
 * If the plan would remove missing items, nothing of it is stored: what is missing is looked for once more, and all
 * is planned again.
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
      const { staged, isNew } = await run.step('stage', () => stage(run, transaction, readings)) // incoming -> staging, with history
      const isMade = await run.step('transform', async () => {
        const isChanged = isNew || isRefreshed || options.refresh === true
        const made = await run.connected.makeDesired(transaction, run.runId, isChanged) // staging -> decisions, desired items
        run.at('decisions made')
        return made
      })
      const { goesOn, unconfirmed } = await run.step('plan', async () => {
        const isSettled = (await findSettledRun(transaction, run)) !== null
        const planned = await plan(run, transaction, staged, options.command, isSettled) // desired - platform = changes
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
  const isContinued = !(await run.step('apply', () => apply(run))) // changes -> platform
  await run.step('audit', () => audit(run, isContinued)) // everything above -> CSV pack
}

/**
 * Approves a stored plan and applies it, after everything that is on its way to the platform. Where there is no such plan, nothing
 * is done.
 *
 * @param start the plan's hash, or a beginning of it that no other plan of the integration has
 * @throws UserError where several plans begin so
 */
export function approve(
  context: Context,
  integration: IntegrationConfig,
  start: string,
  approver: string,
): Promise<readonly RunReport[]> {
  const { id: integrationId } = integration
  return withLock(context, integration, 'apply', async (locked) => {
    const db = locked.database.kysely
    const [planHash = start, ...others] = await findPlanHashes(db, integrationId, start, 2)
    if (others.length > 0)
      throw new UserError(
        'usage',
        `several plans of ${integrationId} begin with ${start}`,
        'give more of the hash; nothing was sent',
      )
    if ((await findRun(db, { integrationId, planHash, statuses: OPEN })) === undefined) {
      // A database that is behind knows of no plan that was made since.
      const refusal = await findRefusal(locked, integration, true)
      if (refusal !== null) throw refusal
      return [await applyStored(locked, integration, planHash, approver)]
    }
    const { takesPlatformEvent } = await requireRunnable(locked, integration, false)
    await requireUpToDate(locked, integration, {}, takesPlatformEvent)
    const finished = await finishInterrupted(locked, integration, applyAndAudit)
    const isDone = finished.some(({ status, planHash: hash }) => status !== 'finished' || hash === planHash)
    if (isDone) return finished
    return [...finished, await applyStored(locked, integration, planHash, approver)]
  })
}

/** Statuses of a plan that can still be applied, or is being applied. */
const OPEN = ['planned', 'held', 'applying', 'applied'] as const

/** Says when and by which run a plan landed; null where it did not, or was made again since. */
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

/** Applies the stored plan of that hash, if it is the newest and nothing has landed since. */
export async function applyStored(
  context: Context,
  integration: IntegrationConfig,
  planHash: string,
  approver: string,
): Promise<RunReport> {
  const db = context.database.kysely
  const { id: integrationId } = integration
  const newest = await findRun(db, { integrationId, hasPlan: true })
  const record = await findRun(db, { integrationId, statuses: ['planned', 'held'], planHash })
  const bound = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('base')
    .executeTakeFirst()
  const isNewest = newest?.plan_hash === planHash
  const hasLanded = (of: { readonly base: unknown }) => String(of.base) !== String(bound?.base)
  if (record === undefined || !isNewest || hasLanded(record)) {
    const isDue = newest !== undefined && ['planned', 'held'].includes(newest.status) && !hasLanded(newest)
    const newer =
      newest === undefined || isNewest
        ? 'there is no current plan'
        : `the newest is ${newest.plan_hash}${isDue ? '' : ', which can no longer be applied'}`
    const what =
      record === undefined
        ? 'not a stored plan of'
        : `${isNewest ? 'no longer current' : 'not the newest plan'} for`
    const advice = isDue ? '' : `; make one with \`event-sync plan ${integrationId}\``
    const landed = await describeLanded(context, integrationId, planHash, record?.run_id)
    const said = landed ?? `${planHash} is ${what} ${integrationId}`
    const message = `${said}; ${newer}${advice}\nplatform untouched`
    return notRun(integrationId, 'stale', message)
  }
  return runAndReport(openRunContext(context, integration, record.run_id), async (run) => {
    await requireWritableOutput(run)
    await run.database.transaction((transaction) =>
      updateRun(transaction, integrationId, record.run_id, {
        status: 'applying',
        approved_by: approver,
        approved_at: timestamp(context.environment),
      }),
    )
    await applyAndAudit(run)
  })
}
