import { OtherBindingError } from '../../loaders/binding.ts'
import { findRuns } from '../../loaders/ledger.ts'
import { ConfigError, type IntegrationConfig } from '../config.ts'
import { notRun, type RunReport } from '../report.ts'
import type { RunContext } from '../run-context.ts'
import { endOf } from './outcome.ts'
import type { Progress } from './told.ts'

/** Tells that a run is opened or gone on with, as the ledger has it. */
export async function tellOfOpening(run: RunContext): Promise<void> {
  const { connected, database, integrationId, progress, runId } = run
  const db = database.kysely
  const [record] = await findRuns(db, { integrationId, runId })
  if (record === undefined) return
  const [success] = await findRuns(db, { integrationId, statuses: ['finished'] }, 1)
  progress.opened(integrationId, {
    run: runId,
    command: record.command,
    isContinued: record.status !== 'running',
    lastSuccessMs: success?.finished_at?.getTime() ?? null,
    resources: connected.resources,
  })
}

/**
 * Tells of those outcomes that are no run (`reported` tells of runs), and waits until all have been told.
 *
 * @throws what `work` throws
 */
export async function tellingOfNoRun(
  progress: Progress,
  integration: IntegrationConfig,
  work: () => Promise<readonly RunReport[]>,
): Promise<readonly RunReport[]> {
  const tell = (report: RunReport) => progress.ended(integration.id, endOf(report, integration))
  try {
    const reports = await work()
    for (const report of reports) if (report.run === null) tell(report)
    return reports
  } catch (error) {
    tell(reportOfError(integration.id, error))
    throw error
  } finally {
    await progress.settled(integration.id)
  }
}

/** The report of an integration for which no run could be opened. */
export function reportOfError(integrationId: string, error: unknown): RunReport {
  const isUsage = error instanceof ConfigError || error instanceof OtherBindingError
  const message = error instanceof Error ? error.message : String(error)
  return notRun(integrationId, isUsage ? 'refused' : 'failed', message)
}
