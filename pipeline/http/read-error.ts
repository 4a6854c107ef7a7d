/** Advice if an answer of a source is not an answer of its API. */
export const NOT_THE_API =
  'check that source.url is the address of the API and not a web page, then check source.eventId'

/** Advice if a source answers in a way that is its own fault. */
export const REPORT_IT = 'report it to the people who run the source'

interface ReadErrorOptions {
  readonly retryable?: boolean
  /** Advice such as `check source.url`; the message ends with it. */
  readonly hint?: string | null
  readonly cause?: unknown
}

/**
 * A read failed: the source did not answer, or its answer is not what was asked for. A failed read never
 * counts as "zero records".
 *
 * The message contains neither credentials nor values of records.
 */
export class ReadError extends Error {
  override readonly name = 'ReadError'
  /** True if a retry may help. */
  readonly retryable: boolean
  /** The message without its hint. */
  readonly what: string
  readonly hint: string | null

  constructor(what: string, { retryable = false, hint = null, cause }: ReadErrorOptions = {}) {
    super(hint === null ? what : `${what}: ${hint}`, { cause })
    this.retryable = retryable
    this.what = what
    this.hint = hint
  }
}

/**
 * Kind of a fault.
 *
 * - `status`: the status of the answer is not 200.
 * - `certificate`: the certificate is not trusted.
 * - `tls`: the server has no TLS, or no TLS version or cipher in common.
 * - `proxy`: the proxy did not accept the request.
 * - `headers`: the headers of the answer are too large.
 * - `connection`: the connection broke or failed in another way.
 */
export type HttpFaultKind =
  | 'status'
  | 'timeout'
  | 'unknown host'
  | 'connection refused'
  | 'certificate'
  | 'tls'
  | 'proxy'
  | 'headers'
  | 'connection'

interface HttpFaultOptions extends ReadErrorOptions {
  readonly kind: HttpFaultKind
  readonly status?: number | null
  readonly waitMs?: number | null
}

/** A request failed: there was no answer, or the status of the answer is not 200. */
export class HttpFault extends ReadError {
  readonly kind: HttpFaultKind
  readonly status: number | null
  /** The wait that the answer asks for. */
  readonly waitMs: number | null

  constructor(what: string, { kind, status = null, waitMs = null, ...options }: HttpFaultOptions) {
    super(what, options)
    this.kind = kind
    this.status = status
    this.waitMs = waitMs
  }
}
