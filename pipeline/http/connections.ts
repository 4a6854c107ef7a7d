import { X509Certificate } from 'node:crypto'
import type http from 'node:http'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { ConfigError } from '../settings/errors.ts'
import { giveUpLate } from './connect-timeout.ts'
import { type HttpProxy, noProxy, type ProxyOf } from './proxy.ts'

/** A connection that is not made after this long is given up, however long an answer may take. */
const MAX_CONNECT_MS = 10_000
/** Less than the whole time-out, so that the wait for the connection ends first, and the message names it. */
const CONNECT_SHARE = 0.9

/**
 * Opens connections that stay open between requests, and are checked against the certificates that Node trusts.
 *
 * @param timeoutMs longest wait for an answer; a connection is given up a little before, after ten seconds at most
 * @param certificates private authorities, PEM, trusted beside those that Node trusts
 * @param proxyOf chooses the proxy that requests to an address go through
 * @throws ConfigError for certificates that are none
 */
export function makeConnections(
  timeoutMs: number,
  certificates: string | null = null,
  proxyOf: ProxyOf = noProxy,
) {
  const connectMs = Math.min(timeoutMs * CONNECT_SHARE, MAX_CONNECT_MS)
  const trust = certificates === null ? {} : { secureContext: trusting(certificates) }
  const agents = new Map<string, http.Agent>()
  const closing = new AbortController()
  // Node's modules are loaded only when they are used: TLS alone takes a fifth of the time in which a command starts.
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
    /** The proxy through which requests to an address go; null if there is none. */
    proxyOf,
    /** @returns one agent for all that goes the same way */
    async agentFor(url: URL): Promise<http.Agent> {
      const proxy = proxyOf(url)
      const way = `${url.protocol} ${proxy?.address.href ?? ''}`
      const made = agents.get(way) ?? (await agentOf(url.protocol, proxy))
      // Another call may have made one meanwhile.
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

/** Loggers of the packages that send requests through proxies. */
const AGENTS = ['agent-base', 'http-proxy-agent', 'https-proxy-agent*']

/**
 * Exempts the agents from what `DEBUG` shows: they would print headers with the credentials of the proxy and of the source. Called
 * before they are loaded, since they read the variable then.
 */
function keepAgentsSilent(env: NodeJS.ProcessEnv): void {
  const shown = env.DEBUG ?? ''
  const silent = AGENTS.map((name) => `-${name}`).join(',')
  if (shown !== '' && !shown.endsWith(silent)) env.DEBUG = `${shown},${silent}`
}

export type Connections = ReturnType<typeof makeConnections>

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Called once, since reading all that Node trusts takes as long as many a request. */
function trusting(certificates: string): SecureContext {
  const own = certificates.match(CERTIFICATE) ?? []
  // Node skips what it cannot read, and requests would fail as if nothing had been configured.
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

/** Makes an agent give up a connection that is not made in time. */
function withConnectTimeout<Agent extends http.Agent>(agent: Agent, event: string, ms: number): Agent {
  // The types lack it; Node documents it for exactly this use.
  const agentWithConnect = agent as unknown as { createConnection: Connect }
  const connect = agentWithConnect.createConnection
  agentWithConnect.createConnection = function (this: unknown, ...args) {
    return giveUpLate(connect.apply(this, args), event, ms)
  }
  return agent
}
