import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Response } from 'node-fetch'
import { counted } from '../../transforms/texts/counted.ts'
import type { Exchange } from '../runtime/events.ts'
import { CONNECT_TIMEOUT } from './connect-timeout.ts'
import { type Connections, makeConnections } from './connections.ts'
import { type HttpProxy, NO_PROXY_ANSWER, PROXY_FAULT } from './proxy.ts'
import { HttpFault, type HttpFaultKind, ReadError } from './read-error.ts'

/** An answer of a server. The caller must read the body to its end or call `discard`. */
export interface Answer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /**
   * The proxy that forwarded an http request and may itself have sent the answer. The text has its host and
   * port, and the key or variable that names it.
   */
  readonly sentOnBy?: string
  /**
   * The body of the answer, decompressed. Reading it throws a ReadError if the connection breaks or the body
   * is too large.
   */
  readonly body: AsyncIterable<Uint8Array>
  discard(): void
}

export interface HttpRequest {
  readonly method?: Exchange['method']
  readonly url: URL
  /** Key of event-sync.yaml that contains the address, for hints in messages. Example: `source.url`. */
  readonly addressKey: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * Redirects are followed only to addresses below this address. If the address is left out, no redirect is
   * followed.
   */
  readonly within?: URL
  /**
   * Key of the configuration that sets the maximum size of an answer, for messages. The default is
   * `http.maxResponseBytes`; null means that no key sets the maximum.
   */
  readonly sizeKey?: string | null
  /** Resource that the request reads; left out if the request reads no resource. */
  readonly resource?: string
}

export interface HttpLimits {
  /**
   * Maximum wait for the headers of an answer and between two chunks of its body. The wait for a connection
   * is at most ten seconds.
   */
  readonly timeoutMs: number
  /** Maximum total time that the reader may wait for the parts of one answer. */
  readonly maxResponseMs: number
  /** Maximum size of an answer after decompression, in bytes. */
  readonly maxResponseBytes: number
  readonly connections?: Connections
  /** Called with each request. */
  readonly report?: (exchange: Exchange) => void
}

const MAX_REDIRECTS = 3

/**
 * Sends a request without retries. An answer is returned whatever its status is.
 *
 * A GET request follows at most three redirects. Redirects are followed only to addresses below `within`,
 * because the credentials are sent to the new address too.
 *
 * @throws HttpFault if the network failed; ReadError if the answer is too large
 */
export async function send(request: HttpRequest, limits: HttpLimits): Promise<Answer> {
  let { url } = request
  for (let redirects = 0; ; redirects += 1) {
    const answer = await sendAndReport({ ...request, url }, limits)
    const next = redirects < MAX_REDIRECTS ? redirectOf(answer, request, url) : null
    if (next === null) return answer
    answer.discard()
    url = next
  }
}

/**
 * Returns the target of a redirect. Returns null if the answer is not a redirect, or if the redirect must not
 * be followed.
 */
function redirectOf({ status, headers }: Answer, { method, within }: HttpRequest, from: URL): URL | null {
  const location = headers.get('location')
  const isRedirect = status >= 300 && status <= 399 && location !== null
  if (!isRedirect || within === undefined || (method ?? 'GET') !== 'GET') return null
  const next = URL.parse(location, from.href)
  return next !== null && isBelow(next, within) ? next : null
}

async function sendAndReport(request: HttpRequest, limits: HttpLimits): Promise<Answer> {
  if (limits.report === undefined) return sendOnce(request, limits)
  const { method = 'GET', url, resource = null } = request
  const startedMs = performance.now()
  let status: number | null = null
  try {
    const answer = await sendOnce(request, limits)
    status = answer.status
    return answer
  } finally {
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
    limits.report({ method, host: url.hostname, port, resource, status, ms: performance.now() - startedMs })
  }
}

async function sendOnce(request: HttpRequest, limits: HttpLimits): Promise<Answer> {
  const controller = new AbortController()
  const timer = makeIdleTimer(limits, () => controller.abort())
  const connections = limits.connections ?? defaultConnections
  const [{ default: fetch }, agent] = await Promise.all([nodeFetch(), connections.agentFor(request.url)])
  const proxy = connections.proxyOf(request.url)
  timer.start()
  try {
    const response = await fetch(request.url, {
      method: request.method ?? 'GET',
      headers: { 'User-Agent': 'event-content-sync', 'Accept-Encoding': 'gzip', ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body }),
      redirect: 'manual',
      // The function `decompressed` decompresses instead, because it rejects encodings that were not
      // requested.
      compress: false,
      agent,
      highWaterMark: 65_536,
      signal: controller.signal,
    })
    if (proxy !== null && response.status === 407) {
      controller.abort()
      throw proxyFault('407', request, proxy)
    }
    return {
      status: response.status,
      headers: response.headers,
      ...(proxy !== null &&
        request.url.protocol === 'http:' && { sentOnBy: `${proxy.shown} (${proxy.namedBy})` }),
      body: readBody(response, request, limits, timer, proxy),
      discard: () => controller.abort(),
    }
  } catch (error) {
    throw error instanceof ReadError ? error : await networkFault(error, request, timer, proxy)
  } finally {
    timer.stop()
  }
}

/** Loads node-fetch only for the first request, because many commands send no request. */
const nodeFetch = () => import('node-fetch')

const defaultConnections = makeConnections(Number.POSITIVE_INFINITY)

type IdleTimer = ReturnType<typeof makeIdleTimer>

/** Measures how long the reader waits for a source. Time in which the reader itself works is not counted. */
function makeIdleTimer({ timeoutMs, maxResponseMs }: HttpLimits, giveUp: () => void) {
  let timeout: NodeJS.Timeout | undefined
  let sinceMs: number | null = null
  let leftMs = maxResponseMs
  return {
    start() {
      sinceMs = performance.now()
      timeout = setTimeout(giveUp, Math.max(0, Math.min(timeoutMs, leftMs)))
    },
    stop() {
      clearTimeout(timeout)
      if (sinceMs !== null) leftMs -= performance.now() - sinceMs
      sinceMs = null
    },
    /**
     * Says which part of the request took too long, and what the user can do. The hint is null if only the
     * network can be the cause.
     */
    get fault(): readonly [what: string, hint: string | null] {
      return leftMs < timeoutMs
        ? [
            `the answer took longer than http.maxResponseSeconds (${maxResponseMs / 1000})`,
            'raise the limit if answers take that long',
          ]
        : [`no answer for ${timeoutMs / 1000} s`, null]
    },
  }
}

async function* readBody(
  response: Response,
  request: HttpRequest,
  limits: HttpLimits,
  timer: IdleTimer,
  proxy: HttpProxy | null,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  timer.start()
  try {
    // The types say ReadableStream, but node-fetch returns a Node stream. If the loop ends early, the
    // connection is closed.
    for await (const chunk of decompressed(response.body as Readable | null, response.headers)) {
      timer.stop()
      bytes += chunk.length
      if (bytes > limits.maxResponseBytes) {
        const { addressKey, sizeKey = 'http.maxResponseBytes' } = request
        const most =
          sizeKey === null ? `${limits.maxResponseBytes} bytes` : `${sizeKey} (${limits.maxResponseBytes})`
        throw new ReadError(`the answer is larger than ${most}`, {
          hint: `check ${addressKey}${sizeKey === null ? '' : ', or raise the limit'}`,
        })
      }
      yield chunk
      timer.start()
    }
  } catch (error) {
    throw error instanceof ReadError ? error : await networkFault(error, request, timer, proxy, bytes)
  } finally {
    timer.stop()
  }
}

/** Error codes for certificates that are not trusted. A retry does not help. */
export const NOT_TRUSTED = /CERT|UNABLE_TO_|ERR_TLS|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH/
/**
 * Error codes for servers that have no TLS, or that support no TLS version or cipher of this client. The
 * codes for damaged TLS records are not among these.
 */
const NO_COMMON_TLS =
  /^ERR_SSL_.*(?:VERSION|PROTOCOL|PACKET_LENGTH|HTTP_REQUEST|HANDSHAKE|UNRECOGNIZED_NAME)|^EPROTO$/

/** Error codes for a connection that breaks in the middle of an answer. */
const BROKEN_OFF = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
  'UND_ERR_SOCKET',
])

const maxHeaderKib = () => process.getBuiltinModule('node:http').maxHeaderSize / 1024

export const UNKNOWN_HOST = new Set(['ENOTFOUND', 'EAI_AGAIN'])

/**
 * Makes the error for a request that failed in the network.
 *
 * @param bytes number of bytes of the body that were received; null if the body had not begun
 */
async function networkFault(
  cause: unknown,
  request: HttpRequest,
  timer: IdleTimer,
  proxy: HttpProxy | null,
  bytes: number | null = null,
): Promise<HttpFault> {
  const { AbortError, FetchError } = await nodeFetch()
  const { addressKey } = request
  const way = proxy === null ? '' : ` through the proxy ${proxy.shown}`
  const unreachable =
    proxy === null
      ? `check ${addressKey}, and that this machine can reach it (firewall, proxy)`
      : `check ${addressKey}, and that the proxy of ${proxy.namedBy} can reach it`
  const passing = (what: string, kind: HttpFaultKind, hint = unreachable) =>
    new HttpFault(what + way, { kind, retryable: true, hint, cause })
  if (cause instanceof AbortError) {
    const [what, hint] = timer.fault
    return passing(what, 'timeout', hint ?? unreachable)
  }
  const code = cause instanceof FetchError ? cause.code : undefined
  if (proxy !== null && code?.startsWith(PROXY_FAULT)) {
    return proxyFault(code.slice(PROXY_FAULT.length), request, proxy, cause)
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    const what = `the headers of the answer are larger than ${maxHeaderKib()} KiB (${code})`
    const hint = 'ask the people who run the source, or a proxy before it, to send fewer or shorter headers'
    return new HttpFault(what, { kind: 'headers', hint, cause })
  }
  if (bytes !== null && (code === undefined || BROKEN_OFF.has(code))) {
    const what = `the answer was cut: the connection broke off after ${counted(bytes, 'byte')} of it`
    return passing(what, 'connection')
  }
  if (code === undefined) return passing('the connection broke off', 'connection')
  if (code === CONNECT_TIMEOUT) return passing('the connection timed out', 'timeout')
  if (NOT_TRUSTED.test(code)) {
    const hint = `check ${addressKey}; if the certificate is from a private authority, set http.caFile`
    const what = `the certificate is not trusted (${code})${way}`
    return new HttpFault(what, { kind: 'certificate', hint, cause })
  }
  if (NO_COMMON_TLS.test(code)) {
    const hint = `check ${addressKey}, whether it is https, and its port`
    return new HttpFault(`the connection failed (${code})${way}`, { kind: 'tls', hint, cause })
  }
  const failed = `the connection failed (${code})`
  if (UNKNOWN_HOST.has(code)) {
    return passing(
      failed,
      'unknown host',
      `check the host name in ${addressKey}, and the DNS of this machine`,
    )
  }
  if (code === 'ECONNREFUSED') {
    return passing(failed, 'connection refused', `check host and port in ${addressKey}`)
  }
  return passing(failed, code.startsWith('ERR_SSL_') ? 'tls' : 'connection')
}

/**
 * Makes the error for a request that the proxy did not accept.
 *
 * @param fault status code of the proxy's answer, or error code of the connection to the proxy
 */
function proxyFault(fault: string, { url }: HttpRequest, proxy: HttpProxy, cause?: unknown): HttpFault {
  const { shown, namedBy } = proxy
  const exempt = `or exempt ${url.hostname} by NO_PROXY`
  if (fault === '407') {
    const isKnown = proxy.authorization() !== null
    const wants = isKnown ? 'refuses the user name and password' : 'wants a user name and a password'
    const hint = `put them into ${namedBy === 'http.proxy' ? 'the address that http.proxy refers to (env:NAME or file:PATH)' : namedBy}, as in http://USER:PASSWORD@${shown}, ${exempt}`
    return new HttpFault(`the proxy ${shown} answered 407: it ${wants}`, { kind: 'proxy', hint, cause })
  }
  if (fault === NO_PROXY_ANSWER) {
    const hint = `check host and port in ${namedBy}, and whether an http proxy listens there, ${exempt}`
    return new HttpFault(`${shown} did not answer as a proxy does`, { kind: 'proxy', hint, cause })
  }
  const hint = `check ${namedBy}, ${exempt}`
  if (/^\d+$/.test(fault)) {
    const retryable = fault === '408' || fault === '429' || fault.startsWith('5')
    const what = `the proxy ${shown} answered ${fault} and did not connect to ${url.hostname}`
    return new HttpFault(what, { kind: 'proxy', retryable, hint, cause })
  }
  const how = fault === CONNECT_TIMEOUT ? 'timed out' : `failed (${fault})`
  const retryable = !NOT_TRUSTED.test(fault) && !NO_COMMON_TLS.test(fault)
  return new HttpFault(`the connection to the proxy ${shown} ${how}`, {
    kind: 'proxy',
    retryable,
    hint,
    cause,
  })
}

/** Reads the whole body of an answer as text. */
export async function textOf({ body }: Answer): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Matches a path segment `..` of which some characters are percent-encoded. `URL` does not resolve such a
 * segment, but a careless server does.
 */
const HIDDEN_WAY_UP = /(?:\/|%2f|%5c)(?:\.|%2e){2}(?:$|[/;]|%2f|%5c|%3b)/i

/**
 * Returns true if `url` is equal to `within` or below it. Credentials for `within` may then be sent to `url`.
 */
export function isBelow(url: URL, within: URL): boolean {
  const folder = within.pathname.endsWith('/') ? within.pathname : `${within.pathname}/`
  return (
    url.origin === within.origin &&
    `${url.pathname}/`.startsWith(folder) &&
    !HIDDEN_WAY_UP.test(url.pathname) &&
    // A user name or password in the address would be sent as credentials, so such an address is rejected.
    url.username === '' &&
    url.password === ''
  )
}

/**
 * Maximum ratio of decompressed to compressed size. gzip usually shrinks JSON to a tenth, at best to a
 * fiftieth. A gzip bomb (a small answer that fills the memory) is shrunk to a thousandth. An answer that is
 * small after decompression may have any ratio.
 */
const MAX_RATIO = 200
const ANY_RATIO_BYTES = 16 * 1024 * 1024

const MEDDLING = 'check whether a proxy changes the answers'

/** Values of the header Content-Encoding that some servers send for an answer that is not compressed. */
const PLAIN = new Set(['', 'identity', 'none', 'utf-8', 'utf8'])
const GZIP = new Set(['gzip', 'x-gzip'])
/**
 * Matches encoding names that messages may show. A text that is not an encoding name could be personal data.
 */
const ENCODING_NAME = /^[a-z0-9][a-z0-9._+-]{0,29}$/

/**
 * Decompresses a body.
 *
 * @throws ReadError if the encoding is not gzip (the only encoding that is requested), if the gzip data ends
 *   early or is damaged, or if its decompressed size is suspiciously large
 */
async function* decompressed(
  body: Readable | null,
  headers: { get(name: string): string | null },
): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const named = (headers.get('content-encoding') ?? '').split(',').map((name) => name.trim().toLowerCase())
  const encodings = named.filter((name) => !PLAIN.has(name))
  const [encoding] = encodings
  if (encoding === undefined) {
    yield* body
    return
  }
  if (encodings.length > 1 || !GZIP.has(encoding)) {
    body.destroy()
    const shown = encodings.map((name) => (ENCODING_NAME.test(name) ? name : 'a name that is not shown'))
    const what = `the answer has the Content-Encoding ${shown.slice(0, 3).join(', ')}, and only gzip was asked for`
    throw new ReadError(what, { hint: MEDDLING })
  }
  // If one of the two streams fails, `pipeline` closes both and passes the error to the reader.
  const gunzip = createGunzip()
  const unzipped = pipeline(body, gunzip, () => undefined)
  let bytes = 0
  try {
    for await (const chunk of unzipped) {
      bytes += chunk.length
      if (bytes > ANY_RATIO_BYTES && bytes > gunzip.bytesWritten * MAX_RATIO) {
        throw new ReadError(`the answer unpacks to more than ${MAX_RATIO} times its size`, { hint: MEDDLING })
      }
      yield chunk
    }
  } catch (error) {
    if (!isZlibError(error)) throw error
    if (isZlibError(error, 'Z_BUF_ERROR')) {
      throw new ReadError('the answer was cut: its gzip ends early', {
        retryable: true,
        hint: MEDDLING,
        cause: error,
      })
    }
    throw new ReadError('the gzip of the answer is broken', { hint: MEDDLING, cause: error })
  }
}

function isZlibError(error: unknown, code = 'Z_'): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith(code)
}
