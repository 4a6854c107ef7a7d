/** Advice if an answer of a source is not what its API gives. */
export const NOT_THE_API =
  'check that source.url is the address of the API and not a web page, then check source.eventId'

/** Advice if a source answers as no source should. */
export const REPORT_IT = 'report it to the people who run the source'

interface ReadErrorOptions {
  readonly retryable?: boolean
  /** Advice such as `check source.url`; the message ends with it. */
  readonly hint?: string | null
  readonly cause?: unknown
}

/**
 * A read that failed: the source did not answer, or answered something that is not what was asked for.
 *
 * Never "zero records". The message names neither credentials nor values of records.
 */
export class ReadError extends Error {
  override readonly name = 'ReadError'
  /** True if asking again may help. */
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
 * `status`: an answer that is not 200. `certificate`: one that is not trusted. `tls`: no TLS, or none that both sides speak.
 * `proxy`: the proxy did not take the request. `headers`: those of the answer are too large. `connection`: one that broke off or failed in another way.
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

/** A request that got no answer, or one whose status is not 200. */
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
