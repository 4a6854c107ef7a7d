import { isAbsolute, resolve } from 'node:path'
import { ConfigError, type IntegrationConfig } from '../config/config.ts'
import { type Connections, makeConnections } from '../http/connections.ts'
import { chooseProxies } from '../http/proxy.ts'
import { makeRetries, type Retries } from '../http/retry.ts'
import { describeCode } from '../runtime/not-writable.ts'
import { pick } from '../runtime/pick.ts'
import type { BaseContext, Context, RunContext } from './run-context.ts'

/** Returns the configured limits of answers, and HTTP connections that the caller must close. */
export function limitsOf(context: BaseContext, { id }: IntegrationConfig): RunContext['limits'] {
  const { http } = context.config
  const timeoutMs = http.timeoutSeconds * 1000
  const connections = connectionsOf(context, timeoutMs)
  // If the caller cancels, closing the connections ends the requests in progress. A wait before a retry is
  // ended by the function `sleep` of the environment.
  context.cancelled?.addEventListener('abort', () => connections.close(), { once: true })
  return {
    ...pick(http, 'maxResponseBytes', 'maxRecordBytes', 'maxRecords', 'maxBytes', 'resumeMinutes'),
    timeoutMs,
    maxResponseMs: http.maxResponseSeconds * 1000,
    connections,
    report: (exchange) => context.events.emit(id, { type: 'request', ...exchange }),
  }
}

/**
 * Makes the retry rules for the requests of an integration.
 *
 * @param budgetSeconds total time that may be spent waiting
 */
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
 * Makes HTTP connections that use the configured proxies and certificates. The caller must close the
 * connections.
 *
 * @param timeoutMs maximum wait for an answer
 * @throws ConfigError if the proxy or the certificates are unusable
 */
export function connectionsOf(context: BaseContext, timeoutMs: number): Connections {
  const { config, secrets } = context
  return makeConnections(timeoutMs, certificatesOf(context), chooseProxies(config.http.proxy, secrets))
}

/** Reads the certificates of private certificate authorities from the configured file. */
export function certificatesOf({ config, secrets }: BaseContext): string | null {
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
