import { isAbsolute, resolve } from 'node:path'
import { ConfigError, type IntegrationConfig } from '../config/config.ts'
import { type Connections, makeConnections } from '../http/connections.ts'
import { chooseProxies } from '../http/proxy.ts'
import { makeRetries, type Retries } from '../http/retry.ts'
import { describeCode } from '../runtime/not-writable.ts'
import { pick } from '../runtime/pick.ts'
import type { BaseContext, Context, RunContext } from './run-context.ts'

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
