import { X509Certificate } from 'node:crypto'
import type http from 'node:http'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { ConfigError } from '../settings/errors.ts'
import { giveUpLate } from './connect-timeout.ts'
import { type HttpProxy, noProxy, type ProxyOf } from './proxy.ts'

/** Maximum wait for a connection, even if an answer may take longer. */
const MAX_CONNECT_MS = 10_000
/**
 * Part of the timeout after which an attempt to connect fails. The value is less than 1, so that the error
 * message says that the connection timed out, not the answer.
 */
const CONNECT_SHARE = 0.9

/**
 * Makes HTTP connections that stay open between requests. TLS accepts the certificates that Node trusts, and
 * the given certificates.
 *
 * @param timeoutMs maximum wait for an answer; the wait for a connection is a little shorter, and at most ten
 *   seconds
 * @param certificates certificates of private authorities, in PEM
 * @param proxyOf returns the proxy for an address
 * @throws ConfigError if the text has no readable certificates
 */
export function makeConnections(
  timeoutMs: number,
  certificates: string | null = null,
  proxyOf: ProxyOf = noProxy,
) {
  const connectMs = Math.min(timeoutMs * CONNECT_SHARE, MAX_CONNECT_MS)
  const trust = trustOf(certificates)
  const agents = new Map<string, http.Agent>()
  const closing = new AbortController()
  // Modules of Node are loaded only when they are used, because TLS alone takes a fifth of the start time of
  // a command.
  const agentOf = async (protocol: string, proxy: HttpProxy | null): Promise<http.Agent> => {
    if (proxy !== null) {
      keepAgentsSilent(process.env)
      const { forwardAgent, tunnelAgent } = await import('./proxy-agents.ts')
      const options = { connectMs, trust, closing: closing.signal }
      return protocol === 'https:' ? tunnelAgent(proxy, options) : forwardAgent(proxy, options)
    }
    if (protocol !== 'https:') {
      const { Agent } = process.getBuiltinModule('node:http')
      return withConnectTimeout(new Agent({ keepAlive: true }), 'connect', connectMs)
    }
    const { Agent } = process.getBuiltinModule('node:https')
    return withConnectTimeout(new Agent({ keepAlive: true, ...trust }), 'secureConnect', connectMs)
  }
  return {
    /** Returns the proxy for an address; null if requests are sent without a proxy. */
    proxyOf,
    /**
     * Returns the agent that sends the requests for an address.
     *
     * @returns one shared agent for all requests with the same protocol and proxy
     * @throws DOMException `AbortError` after `close`, because nothing would end such a request
     */
    async agentFor(url: URL): Promise<http.Agent> {
      closing.signal.throwIfAborted()
      const proxy = proxyOf(url)
      const way = `${url.protocol} ${proxy?.address.href ?? ''}`
      const made = agents.get(way) ?? (await agentOf(url.protocol, proxy))
      // Another call may have made the same agent while this call waited.
      const agent = agents.get(way) ?? made
      agents.set(way, agent)
      return agent
    },
    close() {
      closing.abort()
      for (const agent of agents.values()) agent.destroy()
    },
  }
}

/** Names of the debug loggers in the packages that send requests through proxies. */
const AGENTS = ['agent-base', 'http-proxy-agent', 'https-proxy-agent*']

/**
 * Removes these loggers from the environment variable `DEBUG`. The loggers would print headers with the
 * credentials of the proxy and of the source. The function must be called before the packages are loaded,
 * because they read the variable while they are loaded.
 */
function keepAgentsSilent(env: NodeJS.ProcessEnv): void {
  const shown = env.DEBUG ?? ''
  const silent = AGENTS.map((name) => `-${name}`).join(',')
  if (shown !== '' && !shown.endsWith(silent)) env.DEBUG = `${shown},${silent}`
}

export type Connections = ReturnType<typeof makeConnections>

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * Returns the options that make a TLS connection trust additional certificates.
 *
 * @param certificates text in PEM
 * @throws ConfigError if the text has no readable certificates
 */
export function trustOf(certificates: string | null): { readonly secureContext?: SecureContext } {
  return certificates === null ? {} : { secureContext: trusting(certificates) }
}

/**
 * Makes a TLS context with additional certificates. The TLS context is made only once, because reading all
 * certificates that Node trusts takes as long as a request.
 */
function trusting(certificates: string): SecureContext {
  const own = certificates.match(CERTIFICATE) ?? []
  // Node silently ignores a text without certificates. Requests would then fail as if nothing were
  // configured.
  if (own.length === 0)
    throw new ConfigError('http.caFile: the file holds no certificate', {
      todo: 'put PEM certificates there',
    })
  for (const [index, certificate] of own.entries()) {
    try {
      new X509Certificate(certificate)
    } catch (cause) {
      throw new ConfigError(`http.caFile: certificate ${index + 1} of the file cannot be read`, {
        todo: 'replace it',
        cause,
      })
    }
  }
  const { createSecureContext, getCACertificates } = process.getBuiltinModule('node:tls')
  return createSecureContext({ ca: [...getCACertificates('default'), ...own] })
}

type Connect = (
  options: http.ClientRequestArgs,
  callback?: (error: Error | null, socket: Socket) => void,
) => Socket

/** Makes an agent close connections that take too long to open. */
function withConnectTimeout<Agent extends http.Agent>(agent: Agent, event: string, ms: number): Agent {
  // The TypeScript types do not have `createConnection`, but Node documents it for this use.
  const agentWithConnect = agent as unknown as { createConnection: Connect }
  const connect = agentWithConnect.createConnection
  agentWithConnect.createConnection = function (this: unknown, ...args) {
    return giveUpLate(connect.apply(this, args), event, ms)
  }
  return agent
}
