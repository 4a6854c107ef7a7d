import type { Kysely } from 'kysely'
import type { Tables } from '../sql/tables.ts'
import { apply } from './apply.ts'
import { audit } from './audit.ts'
import type { IntegrationConfig } from './config.ts'
import { extract } from './extract/extract.ts'
import { reportOfError } from './observe/tell.ts'
import { plan } from './plan.ts'
import { refresh } from './platform/refresh.ts'
import {
  finishInterrupted,
  type RunOptions,
  recordRun,
  requireRunnable,
  requireSettled,
  withLock,
} from './recorded-run.ts'
import type { RunReport } from './report.ts'
import type { Context, RunContext } from './run-context.ts'
import { requirePromises } from './sql-checks.ts'
import { stage } from './stage.ts'

/**
 * One execution for one integration.
 *
 * A run that died after its plan was stored is finished first, under its own id.
 *
 * @returns what happened, failures included
 * Source: design 4.
 */
export async function runIntegration(
  context: Context,
  integration: IntegrationConfig,
  options: RunOptions,
): Promise<readonly RunReport[]> {
  return withLock(context, integration, async (locked) => {
    await requireRunnable(locked, integration, options)
    if (options.command === 'plan') await requireSettled(locked, integration)
    const finished =
      options.command === 'run' ? await finishInterrupted(locked, integration, applyAndAudit) : []
    // What the platform has is not known before that: a new plan would start from a guess.
    if (finished.some(({ status }) => status !== 'finished')) return finished
    const report = await recordRun(locked, integration, options, (run) => runSteps(run, options))
    return [...finished, report]
  })
}

/** The same, where nothing that goes wrong with one integration is to reach the next. */
export async function runReported(
  context: Context,
  integration: IntegrationConfig,
  options: RunOptions,
): Promise<readonly RunReport[]> {
  try {
    return await runIntegration(context, integration, options)
  } catch (error) {
    return [reportOfError(integration.id, error)]
  }
}

/**
 * The steps in their order; `plan` stops before the platform, and so does a run that a guard holds.
 *
 * From stage to plan all happens in one transaction: a reader sees the snapshot of before or the new one, never a
 * mixture, and a run that dies there is continued from what it had read.
 */
async function runSteps(run: RunContext, { command, refresh: isAsked = false }: RunOptions): Promise<void> {
  const readings = await run.step('extract', () => extract(run)) // the source's pages -> incoming tables
  run.progress.at(run.integrationId, 'source read')
  await refresh(run, isAsked)
  const { goesOn } = await run.database.transaction(async (transaction) => {
    const isNew = await run.step('stage', () => stage(run, transaction, readings)) // incoming -> staging, with history
    await run.step('transform', () => transform(run, transaction, isNew || isAsked)) // staging -> decisions, desired items
    return run.step('plan', async () => {
      const planned = await plan(run, transaction, readings, command) // desired - platform = changes
      await requirePromises(transaction, 'before-apply', run) // else nothing of all this is stored
      return planned
    })
  })
  run.progress.at(run.integrationId, 'plan stored')
  if (goesOn) await applyAndAudit(run)
}

async function transform(run: RunContext, transaction: Kysely<Tables>, isNew: boolean): Promise<void> {
  await run.connected.makeDesired(transaction, run.runId, isNew)
  run.progress.at(run.integrationId, 'decisions made')
}

/** Takes the stored plan of a run to the platform, then accounts for the run. */
export async function applyAndAudit(run: RunContext): Promise<void> {
  await run.step('apply', () => apply(run)) // changes -> platform
  await run.step('audit', () => audit(run)) // everything above -> CSV pack
}
