import { OtherBindingError } from '../../loaders/ledger/binding.ts'
import { findRun } from '../../loaders/ledger/ledger.ts'
import type { IntegrationConfig } from '../config/config.ts'
import type { RunContext } from '../context/run-context.ts'
import type { Listener, RunCommand } from '../runtime/events.ts'
import { messageOf } from '../runtime/message-of.ts'
import { notRun, type RunReport } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import { endOf } from './outcome.ts'

/** Emits that a run is opened or continued, as the ledger has it. */
export async function emitOpening(run: RunContext): Promise<void> {
  const { connected, database, integrationId, runId } = run
  const db = database.kysely
  const record = await findRun(db, { integrationId, runId })
  if (record === undefined) return
  const success = await findRun(db, { integrationId, statuses: ['finished'] })
  run.emit({
    type: 'run opened',
    run: runId,
    command: record.command,
    isContinued: record.status !== 'running',
    lastSuccessMs: success?.finished_at?.getTime() ?? null,
    resources: connected.resources,
  })
}

/**
 * Emits reports without a run (`runAndReport` emits the others), and waits until all events have been passed on.
 *
 * @throws what `work` throws
 */
export async function emitUnopened(
  events: Listener,
  integration: IntegrationConfig,
  command: RunCommand,
  work: () => Promise<readonly RunReport[]>,
): Promise<readonly RunReport[]> {
  const emit = (report: RunReport) =>
    events.emit(integration.id, { type: 'run ended', command, ...endOf(report, integration) })
  try {
    const reports = await work()
    for (const report of reports) if (report.run === null) emit(report)
    return reports
  } catch (error) {
    emit(reportOfError(integration.id, error))
    throw error
  } finally {
    await events.settled?.(integration.id)
  }
}

export const UNTOUCHED = 'platform untouched; safe to run again'

/** Adds to a failure of a command that sends nothing that the platform is untouched. */
export function withoutSending<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (error instanceof UserError || error instanceof OtherBindingError) throw error
    throw new Error(`${messageOf(error)}\n${UNTOUCHED}`, { cause: error })
  })
}

/** The report where no run was opened. @param consequence the meaning for the platform and the next run */
export function reportOfError(integrationId: string, error: unknown, consequence = UNTOUCHED): RunReport {
  if (error instanceof UserError || error instanceof OtherBindingError)
    return notRun(integrationId, 'refused', messageOf(error))
  return notRun(integrationId, 'failed', `${messageOf(error)}\n${consequence}`)
}
