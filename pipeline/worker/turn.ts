import type { Database } from '../../sql/database.ts'
import type { Context } from '../context/run-context.ts'
import { runReported } from '../run/run.ts'
import { EXIT, exitCodeOf, type RunReport, worst } from '../runtime/report.ts'

export interface JobResult {
  readonly reports: readonly RunReport[]
  /** Exit code that `run` would have ended with. */
  readonly code: number
  /** `done`: also where it was held or is incomplete, since another try changes nothing. `busy`: another process runs it. */
  readonly result: 'done' | 'failed' | 'busy'
  readonly error: string | null
}

/**
 * Runs an integration as `run` does: what a process that died has begun is finished first.
 *
 * @param open gives the run a database of its own; its connections go with it
 */
export async function runTurn(
  context: Context,
  open: () => Promise<{ readonly database: Database; close(): Promise<void> }>,
  integrationId: string,
): Promise<JobResult> {
  const integration = context.config.integrations.find(({ id }) => id === integrationId)
  const failed = (
    error: string,
    reports: readonly RunReport[] = [],
    code: number = EXIT.failed,
  ): JobResult => ({
    reports,
    code,
    result: 'failed',
    error,
  })
  if (integration === undefined) {
    return failed(
      `${integrationId} is not in the configuration of this worker; \`event-sync schedule\` removes it`,
    )
  }
  const opened = await open().catch((error: unknown) => error)
  if (opened instanceof Error) return failed(opened.message)
  const { database, close } = opened as Awaited<ReturnType<typeof open>>
  try {
    const options = { command: 'run', rebind: false, fresh: false } as const
    const reports = await runReported({ ...context, database }, integration, options)
    const code = worst(reports.map((report) => exitCodeOf(report, integration.guards.maxQuarantined)))
    if (code === EXIT.locked) return { reports, code, result: 'busy', error: null }
    if (code !== EXIT.failed && code !== EXIT.usage) return { reports, code, result: 'done', error: null }
    const error = reports.find((report) => report.error !== undefined)?.error
    return failed(error ?? 'the run failed; `event-sync show RUN` tells why', reports, code)
  } finally {
    await close()
  }
}
