import type { Database } from '../../sql/database.ts'
import { EXIT, exitCodeOf, type RunReport, worst } from '../report.ts'
import { runReported } from '../run.ts'
import type { Context } from '../run-context.ts'

/** What became of a try at a turn. */
export interface Outcome {
  readonly reports: readonly RunReport[]
  /** Exit code that `run` would have ended with. */
  readonly code: number
  /** `done`: also where it was held or is incomplete: trying again changes nothing. `busy`: another process runs it. */
  readonly result: 'done' | 'failed' | 'busy'
  /** Why, where it failed. */
  readonly error: string | null
}

/**
 * Runs an integration as `run` does: what a process that died had begun is finished first.
 *
 * @param open gives the run a database of its own; its connections go with it
 */
export async function runTurn(
  context: Context,
  open: () => Promise<{ readonly database: Database; close(): Promise<void> }>,
  integrationId: string,
): Promise<Outcome> {
  const integration = context.config.integrations.find(({ id }) => id === integrationId)
  if (integration === undefined) {
    return failure(
      `${integrationId} is not in the configuration of this worker; \`event-sync schedule\` takes it away`,
    )
  }
  const opened = await open().catch((error: unknown) => error)
  if (opened instanceof Error) return failure(opened.message)
  const { database, close } = opened as Awaited<ReturnType<typeof open>>
  try {
    const options = { command: 'run', rebind: false, fresh: false } as const
    const reports = await runReported({ ...context, database }, integration, options)
    const code = worst(reports.map((report) => exitCodeOf(report, integration.guards.maxQuarantined)))
    if (code === EXIT.locked) return { reports, code, result: 'busy', error: null }
    if (code !== EXIT.failed && code !== EXIT.usage) return { reports, code, result: 'done', error: null }
    const error = reports.find((report) => report.error !== undefined)?.error
    return {
      reports,
      code,
      result: 'failed',
      error: error ?? 'the run failed; `event-sync show RUN` tells why',
    }
  } finally {
    await close()
  }
}

function failure(error: string): Outcome {
  return { reports: [], code: EXIT.failed, result: 'failed', error }
}
