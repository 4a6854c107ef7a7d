import { isAbsolute, resolve } from 'node:path'
import { ConfigError, type IntegrationConfig } from './config.ts'
import { makeConnections } from './extract/connections.ts'
import type { ReaderContext } from './extract/page-reader.ts'
import { makeRateBudget } from './extract/rate.ts'
import { connect } from './extract/registry.ts'
import { makeRetries, type Retries } from './extract/retry.ts'
import { type Context, type RunContext, StepError } from './run-context.ts'
import type { RunId } from './run-id.ts'

/** Gives the steps of a run what they work with: the source, its limits, one retry budget. */
export function openRunContext(context: Context, integration: IntegrationConfig, runId: RunId): RunContext {
  return {
    ...context,
    ...openReader(context, integration),
    integration,
    runId,
    async step(name, work) {
      context.progress.step(integration.id, name)
      try {
        return await work()
      } catch (error) {
        throw new StepError(name, name === 'extract' ? `source ${integration.source.type}` : '', error)
      }
    },
  }
}

/**
 * Gives what it takes to read the source of an integration, without a database.
 *
 * @param retries left out: with the budget of a run
 */
export function openReader(
  context: Omit<Context, 'database'>,
  integration: IntegrationConfig,
  retries: Retries = retriesOf(context, integration, context.config.http.retryBudgetSeconds),
): ReaderContext {
  const { environment, progress, secrets } = context
  const limits = limitsOf(context)
  const connected = connect(integration, { environment, secrets, limits, retries })
  const rate = makeRateBudget(environment, connected.source.requestCost, (what, waitMs) =>
    progress.wait(integration.id, what, 'the source takes no more requests for now', waitMs),
  )
  return { integrationId: integration.id, environment, progress, connected, limits, retries, rate }
}

/** What the configuration allows an answer to take and to be. */
export function limitsOf(context: Omit<Context, 'database'>): RunContext['limits'] {
  const { http } = context.config
  return {
    timeoutMs: http.timeoutSeconds * 1000,
    maxResponseBytes: http.maxResponseBytes,
    maxRecordBytes: http.maxRecordBytes,
    resumeMinutes: http.resumeMinutes,
    connections: makeConnections(http.timeoutSeconds * 1000, certificatesOf(context)),
  }
}

/** @param budgetSeconds time that may be spent on waiting, in all */
export function retriesOf(
  { environment, progress }: Pick<Context, 'environment' | 'progress'>,
  integration: IntegrationConfig,
  budgetSeconds: number,
): Retries {
  return makeRetries(environment, budgetSeconds * 1000, (what, cause, waitMs) =>
    progress.wait(integration.id, what, cause, waitMs),
  )
}

/** Certificates of private authorities, from the file that the configuration names. */
function certificatesOf({ config, secrets }: Omit<Context, 'database'>): string | null {
  const { caFile } = config.http
  if (caFile === undefined) return null
  const path = isAbsolute(caFile) ? caFile : resolve(secrets.configFolder, caFile)
  try {
    return secrets.readFile(path)
  } catch (cause) {
    throw new ConfigError(`http.caFile: ${caFile} cannot be read`, { cause })
  }
}
