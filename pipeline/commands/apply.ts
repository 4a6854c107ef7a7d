import type { Command } from 'commander'
import { findRuns, updateRun } from '../../loaders/ledger.ts'
import { requireWritableOutput } from '../apply.ts'
import type { IntegrationConfig } from '../config.ts'
import { openRunContext } from '../open-run.ts'
import { finishInterrupted, reported, requireRunnable, withLock } from '../recorded-run.ts'
import { exitCodeOf, notRun, type RunReport, worst } from '../report.ts'
import { applyAndAudit } from '../run.ts'
import { type Context, timestamp } from '../run-context.ts'
import { printReports } from './print-report.ts'
import { integrationOf, maxQuarantined } from './run.ts'
import { type GlobalOptions, withContext } from './session.ts'

/** `event-sync apply ID PLAN_HASH`. */
export function addApplyCommand(program: Command, exit: (code: number) => void): void {
  program
    .command('apply')
    .description('apply a stored plan, held or not, and no other')
    .argument('<id>', 'integration')
    .argument('<plan-hash>', 'hash that `plan` or a held `run` printed')
    .option('--approver <name>', 'who approved the plan; left out: the user at the operating system')
    .addHelpText(
      'after',
      `
Where another plan has become current, or something has landed since, nothing is sent: exit code 4, and the message names
the plan that is current, if there is one.

Examples:
  event-sync apply summit 5c1f9ad0…                        the whole hash, as plan printed it
  event-sync apply summit 5c1f9ad0… --approver "A. Lovelace"  ledger and pack name who approved it`,
    )
    .action(async (id: string, planHash: string, options: { readonly approver?: string }) => {
      const global = program.opts<GlobalOptions>()
      const code = await withContext(global, async (context) => {
        const integration = integrationOf(context.config, id)
        const approver = options.approver ?? context.environment.user
        const reports = await approve(context, integration, planHash, approver)
        printReports(reports, global.json)
        return worst(reports.map((report) => exitCodeOf(report, maxQuarantined(context, report))))
      })
      exit(code)
    })
}

/**
 * Approves a stored plan and applies it, after whatever is on its way to the platform.
 *
 * @returns what happened, failures included
 */
export function approve(
  context: Context,
  integration: IntegrationConfig,
  planHash: string,
  approver: string,
): Promise<readonly RunReport[]> {
  return withLock(context, integration, async (locked) => {
    await requireRunnable(locked, integration, { rebind: false })
    const finished = await finishInterrupted(locked, integration, applyAndAudit)
    const isDone = finished.some(({ status, planHash: hash }) => status !== 'finished' || hash === planHash)
    if (isDone) return finished
    return [...finished, await applyStored(locked, integration, planHash, approver)]
  })
}

/** Applies the stored plan of that hash, if it is current. */
export async function applyStored(
  context: Context,
  integration: IntegrationConfig,
  planHash: string,
  approver: string,
): Promise<RunReport> {
  const { database, environment } = context
  const db = database.kysely
  const [latest] = await findRuns(db, { integrationId: integration.id, statuses: ['planned', 'held'] }, 1)
  const [record] = await findRuns(
    db,
    { integrationId: integration.id, statuses: ['planned', 'held'], planHash },
    1,
  )
  const bound = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integration.id)
    .select('base')
    .executeTakeFirst()
  if (record === undefined || String(record.base) !== String(bound?.base)) {
    const newer =
      latest !== undefined && String(latest.base) === String(bound?.base)
        ? `the current one is ${latest.plan_hash}`
        : 'there is none that is current; run `event-sync plan` for one'
    const what = record === undefined ? 'no stored plan of' : 'no longer the current plan of'
    return notRun(
      integration.id,
      'stale',
      `${planHash} is ${what} ${integration.id}; ${newer}\nplatform untouched`,
    )
  }
  return reported(openRunContext(context, integration, record.run_id), async (run) => {
    await requireWritableOutput(run)
    await run.database.transaction((transaction) =>
      updateRun(transaction, integration.id, record.run_id, {
        status: 'applying',
        approved_by: approver,
        approved_at: timestamp(environment),
      }),
    )
    await applyAndAudit(run)
  })
}
