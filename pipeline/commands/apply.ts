import type { Command } from 'commander'
import { findRuns, updateRun } from '../../loaders/ledger/ledger.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { openRunContext } from '../extract/open-run.ts'
import { requireUpToDate } from '../platform/behind.ts'
import { requireWritableOutput } from '../run/apply.ts'
import { finishInterrupted, requireRunnable, runAndReport, withLock } from '../run/recorded-run.ts'
import { applyAndAudit } from '../run/run.ts'
import { notRun, type RunReport } from '../runtime/report.ts'
import { codeOfReports } from '../status/run-outcome.ts'
import { integrationOf } from './arguments.ts'
import type { CommandIo } from './io.ts'
import { printReports } from './print-report.ts'
import { type GlobalOptions, withContext } from './session.ts'

const HELP = `
Where a newer plan was made since, or something has landed, nothing is sent: exit code 4, and the message names the newest plan.

Examples:
  event-sync apply summit 5c1f9ad0…                        the whole hash, as plan printed it
  event-sync apply summit 5c1f9ad0… --approver "A. Lovelace"  ledger and pack name who approved it`

export function addApplyCommand(program: Command, io: CommandIo, exit: (code: number) => void): void {
  program
    .command('apply')
    .description('apply a stored plan, held or not, and no other')
    .argument('<id>', 'integration')
    .argument('<plan-hash>', 'hash that `plan` or a held `run` printed')
    .option('--approver <name>', 'who approved the plan; left out: the user at the operating system')
    .addHelpText('after', HELP)
    .action(async (id: string, planHash: string, options: { readonly approver?: string }) => {
      const global = program.opts<GlobalOptions>()
      const code = await withContext(global, io, async (context) => {
        const integration = integrationOf(context.config, id)
        const approver = options.approver ?? context.environment.user
        const reports = await approve(context, integration, planHash, approver)
        printReports(io, reports, global.json)
        return codeOfReports(context, reports)
      })
      exit(code)
    })
}

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
        : `the newest is ${newest.plan_hash}${isDue ? '' : ', which is not to be applied any more'}`
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
