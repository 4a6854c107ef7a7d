import { findRuns, updateRun } from '../../loaders/ledger/ledger.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { openRunContext } from '../extract/open-run.ts'
import { requireUpToDate } from '../platform/behind.ts'
import { notRun, type RunReport } from '../runtime/report.ts'
import { requireWritableOutput } from './apply.ts'
import { finishInterrupted, requireRunnable, runAndReport, withLock } from './recorded-run.ts'
import { applyAndAudit } from './run.ts'

/** Approves a stored plan and applies it, after everything that is on its way to the platform. */
export function approve(
  context: Context,
  integration: IntegrationConfig,
  planHash: string,
  approver: string,
): Promise<readonly RunReport[]> {
  return withLock(context, integration, async (locked) => {
    const { takesPlatformEvent } = await requireRunnable(locked, integration, false)
    await requireUpToDate(locked, integration, {}, takesPlatformEvent)
    const finished = await finishInterrupted(locked, integration, applyAndAudit)
    const isDone = finished.some(({ status, planHash: hash }) => status !== 'finished' || hash === planHash)
    if (isDone) return finished
    return [...finished, await applyStored(locked, integration, planHash, approver)]
  })
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
  const [newest] = await findRuns(db, { integrationId, hasPlan: true }, 1)
  const [record] = await findRuns(db, { integrationId, statuses: ['planned', 'held'], planHash }, 1)
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
        ? 'there is none that is current'
        : `the newest is ${newest.plan_hash}${isDue ? '' : ', which can no longer be applied'}`
    const what =
      record === undefined
        ? 'no stored plan of'
        : `${isNewest ? 'no longer current' : 'not the newest plan'} for`
    const advice = isDue ? '' : '; run `event-sync plan` for one'
    const message = `${planHash} is ${what} ${integrationId}; ${newer}${advice}\nplatform untouched`
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
