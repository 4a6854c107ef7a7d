import { isAbsolute, resolve } from 'node:path'
import { ConfigError, type IntegrationConfig } from './config.ts'
import { connect } from './extract/connect.ts'
import { makeConnections } from './extract/connections.ts'
import type { ReaderContext } from './extract/page-reader.ts'
import { makeRateBudget } from './extract/rate.ts'
import { makeRetries, type Retries } from './extract/retry.ts'
import { type BaseContext, type Context, type RunContext, StepError } from './run-context.ts'
import type { RunId } from './run-id.ts'

/** Gives the steps of a run what they work with: the source, its limits, one retry budget. */
export function openRunContext(context: Context, integration: IntegrationConfig, runId: RunId): RunContext {
  return {
    ...context,
    ...openReader(context, integration),
    integration,
    runId,
    async step(name, work) {
      const { environment, progress } = context
      const startedMs = environment.now()
      const tell = (errorType: string | null) =>
        progress.stepped(integration.id, { step: name, ms: environment.now() - startedMs, errorType })
      progress.step(integration.id, name)
      try {
        const result = await work()
        tell(null)
        return result
      } catch (error) {
        tell(error instanceof Error ? error.name : 'unknown')
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
  context: BaseContext,
  integration: IntegrationConfig,
  retries: Retries = retriesOf(context, integration, context.config.http.retryBudgetSeconds),
): ReaderContext {
  const { environment, progress, secrets } = context
  const limits = limitsOf(context, integration)
  const connected = connect(integration, { environment, secrets, limits, retries })
  const { requestCost, within } = connected.source
  const { host } = within
  const cause = 'the source takes no more requests for now'
  const report = (what: string, waitMs: number) =>
    progress.wait(integration.id, { what, cause, waitMs, host, status: null, isRetry: false })
  const rate =
    context.budgets?.of(host, requestCost, report) ?? makeRateBudget(environment, requestCost, report)
  return { integrationId: integration.id, environment, progress, connected, limits, retries, rate }
}

/** What the configuration allows an answer to take and to be. */
export function limitsOf(context: BaseContext, { id }: IntegrationConfig): RunContext['limits'] {
  const { http } = context.config
  return {
    timeoutMs: http.timeoutSeconds * 1000,
    maxResponseBytes: http.maxResponseBytes,
    maxRecordBytes: http.maxRecordBytes,
    resumeMinutes: http.resumeMinutes,
    connections: makeConnections(http.timeoutSeconds * 1000, certificatesOf(context)),
    report: (exchange) => context.progress.request(id, exchange),
  }
}

/**
 * @param budgetSeconds time that may be spent on waiting, in all
 * @param url what is asked
 */
export function retriesOf(
  { environment, progress }: Pick<Context, 'environment' | 'progress'>,
  integration: IntegrationConfig,
  budgetSeconds: number,
  url: string = integration.source.url,
): Retries {
  const { host } = new URL(url)
  return makeRetries(environment, budgetSeconds * 1000, (what, cause, waitMs, status) =>
    progress.wait(integration.id, { what, cause, waitMs, host, status, isRetry: true }),
  )
}

/** Certificates of private authorities, from the file that the configuration names. */
export function certificatesOf({ config, secrets }: BaseContext): string | null {
  const { caFile } = config.http
  if (caFile === undefined) return null
  const path = isAbsolute(caFile) ? caFile : resolve(secrets.configFolder, caFile)
  try {
    return secrets.readFile(path)
  } catch (cause) {
    throw new ConfigError(`http.caFile: ${caFile} cannot be read`, { cause })
  }
}
