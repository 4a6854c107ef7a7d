/** Advice for an answer that does not come from the API of the source. */
export const NOT_THE_API =
  'check that source.url is the address of the API and not a web page, then check source.eventId'

/** Advice for an answer that shows a fault of the source itself. */
export const REPORT_IT = 'report it to the people who run the source'

interface ReadErrorOptions {
  readonly retryable?: boolean
  /** Advice at the end of the message, for example `check source.url`. */
  readonly hint?: string | null
  readonly cause?: unknown
}

/**
 * Error for a failed read: the source did not answer, or its answer is not the requested data. A failed read
 * is never treated as "zero records".
 *
 * The message contains no credentials and no values of records.
 */
export class ReadError extends Error {
  override readonly name = 'ReadError'
  /** True if the same request may succeed later. */
  readonly retryable: boolean
  /** The error message without its hint. */
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
 * Kind of a failed HTTP request.
 *
 * - `status`: the answer has another status than 200.
 * - `certificate`: the certificate is not trusted.
 * - `tls`: the server has no TLS, or it supports no TLS version or cipher of this client.
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

/** Error for a failed HTTP request: no answer came, or its status is not 200. */
export class HttpFault extends ReadError {
  readonly kind: HttpFaultKind
  readonly status: number | null
  /** Wait before the next request for which the answer asks, in milliseconds. */
  readonly waitMs: number | null

  constructor(what: string, { kind, status = null, waitMs = null, ...options }: HttpFaultOptions) {
    super(what, options)
    this.kind = kind
    this.status = status
    this.waitMs = waitMs
  }
}
