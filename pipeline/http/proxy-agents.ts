import type http from 'node:http'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { HttpProxyAgent } from 'http-proxy-agent'
import { HttpsProxyAgent } from 'https-proxy-agent'
import { CONNECT_TIMEOUT, giveUpLate } from './connect-timeout.ts'
import { type HttpProxy, NO_PROXY_ANSWER, PROXY_FAULT } from './proxy.ts'

interface ProxyAgentOptions {
  /** Maximum wait for a connection through the proxy. */
  readonly connectMs: number
  /**
   * Additional certificates that are trusted. If no certificates are given, only the certificates that Node
   * trusts are trusted.
   */
  readonly trust: { readonly secureContext?: SecureContext }
  /** The signal is aborted when the connections are closed. */
  readonly closing: AbortSignal
}

type ConnectOptions = Parameters<HttpsProxyAgent<string>['connect']>[1]
type ForwardedRequest = Parameters<HttpProxyAgent<string>['connect']>[0]

/** Makes an agent that sends https requests through a tunnel, which a proxy opens with the method CONNECT. */
export function tunnelAgent(proxy: HttpProxy, options: ProxyAgentOptions): http.Agent {
  const { connectMs, trust, closing } = options
  class Tunnel extends HttpsProxyAgent<string> {
    override async connect(request: http.ClientRequest, asked: ConnectOptions): Promise<Socket> {
      const socket = await inTime(connectMs, closing, (signal) => {
        this.connectOpts = { ...this.connectOpts, signal }
        return super.connect(request, { ...asked, ...trust } as ConnectOptions)
      })
      return giveUpLate(socket, 'secureConnect', connectMs)
    }
  }
  const agent = new Tunnel(proxy.address, { keepAlive: true, headers: credentialsOf(proxy), ...trust })
  // If nobody listened to `proxyConnect`, the agent would return an answer of the proxy as if it came from
  // the source.
  return agent.on('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
    if (statusCode !== 200) throw Object.assign(new Error('the proxy refused'), { code: codeOf(statusCode) })
  })
}

/**
 * Returns the error code for a status of the proxy's answer. The package returns NaN if the first line of the
 * answer has no status.
 */
function codeOf(status: number): string {
  return Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : NO_PROXY_ANSWER
}

/**
 * Matches the error message of the package for an answer that does not begin with HTTP headers. The error of
 * the package has no error code.
 */
const NOT_HTTP = /^(?:No|Invalid) header/

/** Makes an agent that sends http requests to a proxy, which forwards them. */
export function forwardAgent(proxy: HttpProxy, options: ProxyAgentOptions): http.Agent {
  const { connectMs, trust, closing } = options
  class Forward extends HttpProxyAgent<string> {
    override connect(request: ForwardedRequest, asked: ConnectOptions): Promise<Socket> {
      return inTime(connectMs, closing, (signal) => {
        this.connectOpts = { ...this.connectOpts, signal }
        return super.connect(request, asked)
      })
    }
  }
  return new Forward(proxy.address, { keepAlive: true, headers: credentialsOf(proxy), ...trust })
}

/**
 * Makes the header that contains the credentials for the proxy. The credentials are not in the address,
 * because the agents print the address in debug output.
 */
function credentialsOf(proxy: HttpProxy): http.OutgoingHttpHeaders {
  const authorization = proxy.authorization()
  return authorization === null ? {} : { 'Proxy-Authorization': authorization }
}

/** Ends an attempt to connect to a proxy after a time limit. Marks every error as an error of the proxy. */
async function inTime(
  ms: number,
  closing: AbortSignal,
  connect: (signal: AbortSignal) => Promise<Socket>,
): Promise<Socket> {
  const controller = new AbortController()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    controller.abort()
  }, ms)
  try {
    return await connect(AbortSignal.any([controller.signal, closing]))
  } catch (cause) {
    // If the attempt were not aborted, the socket to a proxy that refuses would stay open.
    controller.abort()
    const code: unknown = isLate ? CONNECT_TIMEOUT : Reflect.get(Object(cause), 'code')
    const isNotHttp = cause instanceof Error && NOT_HTTP.test(cause.message)
    const name = typeof code === 'string' ? code : isNotHttp ? NO_PROXY_ANSWER : 'closed'
    throw Object.assign(new Error('no connection through the proxy', { cause }), { code: PROXY_FAULT + name })
  } finally {
    clearTimeout(timer)
  }
}
