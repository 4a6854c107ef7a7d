import type { IntegrationConfig } from './config.ts'
import { connect } from './extract/registry.ts'
import { makeRetries } from './extract/retry.ts'
import { type Context, type RunContext, StepError } from './run-context.ts'
import type { RunId } from './run-id.ts'

/** Gives the steps of a run what they work with: the source, its limits, one retry budget. */
export function openRunContext(context: Context, integration: IntegrationConfig, runId: RunId): RunContext {
  const { config, environment, progress, secrets } = context
  const limits = {
    timeoutMs: config.http.timeoutSeconds * 1000,
    maxResponseBytes: config.http.maxResponseBytes,
    maxRecordBytes: config.http.maxRecordBytes,
  }
  const retries = makeRetries(environment, config.http.retryBudgetSeconds * 1000, (what, cause, waitMs) =>
    progress.wait(integration.id, what, cause, waitMs),
  )
  return {
    ...context,
    integration,
    integrationId: integration.id,
    runId,
    connected: connect(integration, { environment, secrets, limits, retries }),
    limits,
    retries,
    async step(name, work) {
      progress.step(integration.id, name)
      try {
        return await work()
      } catch (error) {
        throw new StepError(name, name === 'extract' ? `source ${integration.source.type}` : '', error)
      }
    },
  }
}
