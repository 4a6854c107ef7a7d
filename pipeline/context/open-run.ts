import { isAbsolute, resolve } from 'node:path'
import { ConfigError, type IntegrationConfig } from '../config/config.ts'
import { type Connections, makeConnections } from '../http/connections.ts'
import { chooseProxies } from '../http/proxy.ts'
import { creditsInMemory, makeRateBudgets } from '../http/rate.ts'
import { ReadError } from '../http/read-error.ts'
import { makeRetries, type Retries } from '../http/retry.ts'
import { pointsOf, type RunEvent } from '../runtime/events.ts'
import { describeCode } from '../runtime/not-writable.ts'
import { pick } from '../runtime/pick.ts'
import type { RunId } from '../runtime/report.ts'
import { UnprovedError } from '../sources/contract/source.ts'
import type { ReaderContext } from './run-context.ts'
import { type BaseContext, type Context, connect, type RunContext, StepError } from './run-context.ts'

/** @param notes for the report, from before the run */
export function openRunContext(
  context: Context,
  integration: IntegrationConfig,
  runId: RunId,
  notes: readonly string[] = [],
): RunContext {
  return {
    ...context,
    ...openReader(context, integration),
    integration,
    runId,
    notes,
    at: pointsOf(context.events, integration.id),
    async step(name, work) {
      const { environment, events } = context
      const startedMs = environment.now()
      const ended = (errorType: string | null) =>
        events.emit(integration.id, {
          type: 'step ended',
          step: name,
          ms: Math.max(0, environment.now() - startedMs),
          errorType,
        })
      events.emit(integration.id, { type: 'step begun', step: name })
      try {
        context.cancelled?.throwIfAborted()
        const result = await work()
        ended(null)
        return result
      } catch (error) {
        ended(error instanceof Error ? error.name : 'unknown')
        // In the step extract the database may fail, too.
        const isOfSource =
          name === 'extract' && (error instanceof ReadError || error instanceof UnprovedError)
        throw new StepError(name, isOfSource ? `source ${integration.source.type}` : '', error)
      }
    },
  }
}

/** What it takes to read the source of an integration, without a database; by default with the retries of a run. */
export function openReader(
  context: BaseContext,
  integration: IntegrationConfig,
  retries: Retries = retriesOf(context, integration, context.config.http.retryBudgetSeconds),
): ReaderContext {
  const { environment, events, secrets } = context
  const emit = (event: RunEvent) => events.emit(integration.id, event)
  const limits = limitsOf(context, integration)
  const connected = connect(integration, { environment, secrets, limits, retries })
  const { account, requestCost, within } = connected.source
  const { host } = within
  const cause = 'the source allows no more requests for now'
  const report = (what: string, waitMs: number) =>
    emit({ type: 'wait', what, cause, waitMs, host, status: null, isRetry: false })
  const budgets = context.budgets ?? makeRateBudgets(environment, creditsInMemory(environment))
  const rate = budgets.of(account === null ? host : `${host} ${account}`, requestCost, report)
  return { integrationId: integration.id, environment, emit, connected, limits, retries, rate }
}

/** Limits of answers as configured, with connections that the caller closes in the end. */
export function limitsOf(context: BaseContext, { id }: IntegrationConfig): RunContext['limits'] {
  const { http } = context.config
  const timeoutMs = http.timeoutSeconds * 1000
  const connections = connectionsOf(context, timeoutMs)
  // A request that nobody waits for any more ends; what would try it again does not.
  context.cancelled?.addEventListener('abort', () => connections.close(), { once: true })
  return {
    ...pick(http, 'maxResponseBytes', 'maxRecordBytes', 'maxRecords', 'maxBytes', 'resumeMinutes'),
    timeoutMs,
    maxResponseMs: http.maxResponseSeconds * 1000,
    connections,
    report: (exchange) => context.events.emit(id, { type: 'request', ...exchange }),
  }
}

/** @param budgetSeconds time that may be spent on waiting, in all */
export function retriesOf(
  { environment, events }: Pick<Context, 'environment' | 'events'>,
  integration: IntegrationConfig,
  budgetSeconds: number,
  url: string = integration.source.url,
): Retries {
  const { host } = new URL(url)
  return makeRetries(environment, budgetSeconds * 1000, (what, cause, waitMs, status) =>
    events.emit(integration.id, { type: 'wait', what, cause, waitMs, host, status, isRetry: true }),
  )
}

/**
 * Connections by the proxies and certificates that are configured; the caller closes them.
 *
 * @param timeoutMs longest wait for an answer
 * @throws ConfigError
 */
export function connectionsOf(context: BaseContext, timeoutMs: number): Connections {
  const { config, secrets } = context
  return makeConnections(timeoutMs, certificatesOf(context), chooseProxies(config.http.proxy, secrets))
}

/** Certificates of private authorities, from the file that the configuration names. */
function certificatesOf({ config, secrets }: BaseContext): string | null {
  const { caFile } = config.http
  if (caFile === undefined) return null
  const path = isAbsolute(caFile) ? caFile : resolve(secrets.configFolder, caFile)
  try {
    return secrets.readFile(path)
  } catch (cause) {
    throw new ConfigError(`http.caFile: ${caFile} cannot be read${describeCode(cause)}`, {
      todo: 'check the path',
      cause,
    })
  }
}
