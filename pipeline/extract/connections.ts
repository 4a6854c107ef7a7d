import { X509Certificate } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { ConfigError } from '../config/errors.ts'

/** Opens connections to sources and platforms. */
export interface Connections {
  agentFor(url: URL): http.Agent
}

/** A connection that is not there after this long is given up, whatever time an answer may take. */
const MAX_CONNECT_MS = 10_000
/** Less than the whole time-out, so that what ends is the wait for the connection, and the message names it. */
const CONNECT_SHARE = 0.9

/** Code of the error by which a connection is given up: what wraps an error keeps its code. */
export const CONNECT_TIMEOUT = 'CONNECT_TIMEOUT'

/**
 * Connections that are kept open between requests, checked against the certificates that Node trusts.
 *
 * @param timeoutMs longest wait for an answer; a connection is given up a little before, after ten seconds at most
 * @param certificates of private authorities, PEM, trusted beside those that Node trusts
 * @throws ConfigError for certificates that are none
 */
export function makeConnections(timeoutMs: number, certificates: string | null = null): Connections {
  const connectMs = Math.min(timeoutMs * CONNECT_SHARE, MAX_CONNECT_MS)
  const trust = certificates === null ? {} : { secureContext: trusting(certificates) }
  const agents = {
    'http:': impatient(new http.Agent({ keepAlive: true }), 'connect', connectMs),
    'https:': impatient(new https.Agent({ keepAlive: true, ...trust }), 'secureConnect', connectMs),
  }
  return { agentFor: ({ protocol }) => agents[protocol === 'https:' ? 'https:' : 'http:'] }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs

/** Made once, since reading all that Node trusts takes as long as many a request. */
function trusting(certificates: string): SecureContext {
  const own = certificates.match(CERTIFICATE) ?? []
  // Node passes over what it cannot read, and the read would fail as if nothing had been named.
  if (own.length === 0) throw new ConfigError('http.caFile: the file holds no certificate (PEM)')
  for (const [index, certificate] of own.entries()) {
    try {
      new X509Certificate(certificate)
    } catch (cause) {
      throw new ConfigError(`http.caFile: certificate ${index + 1} of the file cannot be read`, { cause })
    }
  }
  return createSecureContext({ ca: [...getCACertificates('default'), ...own] })
}

type Connect = (
  options: http.ClientRequestArgs,
  callback?: (error: Error | null, socket: Socket) => void,
) => Socket

/** Makes an agent give up a connection that does not come about. */
function impatient<Agent extends http.Agent>(agent: Agent, event: string, ms: number): Agent {
  // The types do not tell of it; Node documents it for exactly this use.
  const agentWithConnect = agent as unknown as { createConnection: Connect }
  const connect = agentWithConnect.createConnection
  agentWithConnect.createConnection = function (this: unknown, ...args) {
    const socket = connect.apply(this, args)
    const giveUp = () =>
      socket.destroy(Object.assign(new Error(`no connection in ${ms} ms`), { code: CONNECT_TIMEOUT }))
    const timer = setTimeout(giveUp, ms)
    const settle = () => clearTimeout(timer)
    socket.once(event, settle)
    socket.once('close', settle)
    return socket
  }
  return agent
}
