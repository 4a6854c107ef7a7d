import { OtherBindingError } from '../../loaders/ledger/binding.ts'
import { findRun } from '../../loaders/ledger/ledger.ts'
import type { IntegrationConfig } from '../config/config.ts'
import type { RunContext } from '../context/run-context.ts'
import type { Listener, RunCommand } from '../runtime/events.ts'
import { messageOf } from '../runtime/message-of.ts'
import { notRun, type RunReport } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import { endOf } from './outcome.ts'

/** Emits the event that a run was opened or continued, with the values of the ledger. */
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
 * Emits the reports that have no run, and waits until all events are delivered. `runAndReport` emits the
 * other reports.
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

/** Adds to the error of a command that sends nothing: the platform is untouched. */
export function withoutSending<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (error instanceof UserError || error instanceof OtherBindingError) throw error
    throw new Error(`${messageOf(error)}\n${UNTOUCHED}`, { cause: error })
  })
}

/**
 * Returns the report of an integration for which no run was opened.
 *
 * @param consequence what the error means for the platform and the next run
 */
export function reportOfError(integrationId: string, error: unknown, consequence = UNTOUCHED): RunReport {
  if (error instanceof UserError || error instanceof OtherBindingError)
    return notRun(integrationId, 'refused', messageOf(error))
  return notRun(integrationId, 'failed', `${messageOf(error)}\n${consequence}`)
}
