import { OtherBindingError } from '../../loaders/ledger/binding.ts'
import { findRun } from '../../loaders/ledger/ledger.ts'
import type { IntegrationConfig } from '../config/config.ts'
import type { RunContext } from '../context/run-context.ts'
import type { Listener, RunCommand } from '../runtime/events.ts'
import { messageOf } from '../runtime/message-of.ts'
import { notRun, type RunReport } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import { endOf } from './outcome.ts'

/**
 * Emits the event that a run was opened or is being continued. The values of the event are the stored values
 * of the run.
 */
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
    resources: record.command === 'rollback' ? [] : connected.resources,
  })
}

/**
 * Does work and emits the reports that belong to no run. After the work, the function waits until all events
 * are delivered. The reports of runs are emitted by `runAndReport`.
 *
 * @throws the error of `work`
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

/** If a command that sends nothing fails, adds to its error that nothing was sent to the platform. */
export function withoutSending<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (error instanceof UserError || error instanceof OtherBindingError) throw error
    throw new Error(`${messageOf(error)}\n${UNTOUCHED}`, { cause: error })
  })
}

/**
 * Returns the report of an integration whose run could not be opened.
 *
 * @param consequence what the error means for the platform and for the next run
 */
export function reportOfError(integrationId: string, error: unknown, consequence = UNTOUCHED): RunReport {
  if (error instanceof UserError || error instanceof OtherBindingError)
    return notRun(integrationId, 'refused', messageOf(error))
  return notRun(integrationId, 'failed', `${messageOf(error)}\n${consequence}`)
}
