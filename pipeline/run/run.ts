import { lockReadings } from '../../loaders/staging/readings.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { type Context, type RunContext, StepError } from '../context/run-context.ts'
import { confirm, extract } from '../extract/extract.ts'
import { reportOfError } from '../observe/emit.ts'
import { type Gap, requireUpToDate } from '../platform/behind.ts'
import { refresh } from '../platform/refresh.ts'
import type { Reading } from '../sources/contract/certificate.ts'
import { transformsOf } from '../sources/registry.ts'
import { apply } from './apply.ts'
import { audit } from './audit.ts'
import { plan } from './plan.ts'
import {
  finishInterrupted,
  type RunOptions,
  recordRun,
  requireRunnable,
  requireSettled,
  withLock,
} from './recorded-run.ts'
import { requirePromises } from './sql-checks.ts'
import { stage } from './stage.ts'

const NO_RUN_BEGUN =
  'the interrupted run was finished first and has a report of its own; no other was begun; safe to run again'

/** Runs one integration. A run that died after its plan was stored is finished first, under its own id. */
export async function runIntegration(context: Context, integration: IntegrationConfig, options: RunOptions) {
  return withLock(context, integration, async (locked) => {
    const { takesPlatformEvent } = await requireRunnable(locked, integration, options.rebind ?? false)
    const gap = await requireUpToDate(locked, integration, options, takesPlatformEvent)
    if (options.command === 'plan') await requireSettled(locked, integration)
    const finished =
      options.command === 'run' ? await finishInterrupted(locked, integration, applyAndAudit) : []
    // What the platform has is not known before that: a new plan would start from a guess.
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

/** The same, where a failure of one integration must not reach the next. */
export function runReported(context: Context, integration: IntegrationConfig, options: RunOptions) {
  return runIntegration(context, integration, options).catch((error: unknown) => [
    reportOfError(integration.id, error),
  ])
}

/** The steps in their order; `plan` stops before the platform, and so does a run that a guard holds. */
async function runSteps(run: RunContext, options: RunOptions, gap: Gap): Promise<void> {
  if (gap.unasked !== null) throw new StepError('refresh', 'platform', gap.unasked)
  const readings = await run.step('extract', () => extract(run, options)) // the source's pages -> incoming tables
  run.at('source read')
  await refresh(run, options.refresh ?? false, gap)
  const goesOn = await stageAndPlan(run, readings, options)
  run.at('plan stored')
  if (goesOn) await applyAndAudit(run)
}

/**
 * From stage to plan all happens in one transaction: a reader sees the snapshot of before or the new one, never a
 * mixture, and a run that dies there is continued from what it had read.
 *
 * Where the plan would remove what is missing, nothing of it is stored: what is missing is looked for once more, and all
 * is planned again.
 */
async function stageAndPlan(run: RunContext, readings: readonly Reading[], options: RunOptions) {
  try {
    return await run.database.transaction(async (transaction) => {
      await lockReadings(transaction, run.integrationId)
      const { staged, isNew } = await run.step('stage', () => stage(run, transaction, readings)) // incoming -> staging, with history
      await run.step('transform', async () => {
        const isChanged = isNew || options.refresh === true
        await run.connected.makeDesired(transaction, run.runId, isChanged) // staging -> decisions, desired items
        run.at('decisions made')
      })
      const { goesOn, unconfirmed } = await run.step('plan', async () => {
        const planned = await plan(run, transaction, staged, options.command) // desired - platform = changes
        if (planned.unconfirmed.length === 0) {
          await requirePromises(transaction, 'before-apply', run, transformsOf(run.config))
        }
        return planned
      })
      if (unconfirmed.length > 0) throw new UnconfirmedError(unconfirmed)
      return goesOn
    })
  } catch (error) {
    if (!(error instanceof UnconfirmedError)) throw error
    const confirmed = await run.step('extract', () => confirm(run, readings, new Set(error.resources)))
    return await stageAndPlan(run, confirmed, options)
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

export async function applyAndAudit(run: RunContext): Promise<void> {
  await run.step('apply', () => apply(run)) // changes -> platform
  await run.step('audit', () => audit(run)) // everything above -> CSV pack
}
