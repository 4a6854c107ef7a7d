import type { Readable } from 'node:stream'
import fetch, { AbortError, FetchError, type Response } from 'node-fetch'
import { ReadError } from './read-error.ts'

/** One answer of a source. The body must be read to its end or given up with `discard`. */
export interface Answer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** Decompressed; breaks off with a ReadError where the connection does, or where it grows too large. */
  readonly body: AsyncIterable<Uint8Array>
  discard(): void
}

export interface HttpRequest {
  readonly method?: 'GET' | 'POST'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface HttpLimits {
  /** Longest wait for the headers, and between two pieces of the body. */
  readonly timeoutMs: number
  /** Largest answer, decompressed. */
  readonly maxResponseBytes: number
}

/**
 * Sends one request, once.
 *
 * Redirects are not followed: where a source has moved is for a person to decide, and credentials must not follow.
 *
 * @throws ReadError, retryable, where the network failed; answers of any status are returned
 */
export async function send(request: HttpRequest, limits: HttpLimits): Promise<Answer> {
  const controller = new AbortController()
  const patience = makePatience(limits.timeoutMs, () => controller.abort())
  patience.start()
  try {
    const response = await fetch(request.url, {
      method: request.method ?? 'GET',
      headers: { 'User-Agent': 'event-content-sync', 'Accept-Encoding': 'gzip', ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body }),
      redirect: 'manual',
      highWaterMark: 65_536,
      signal: controller.signal,
    })
    return {
      status: response.status,
      headers: response.headers,
      body: readBody(response, limits, patience, () => controller.abort()),
      discard: () => controller.abort(),
    }
  } catch (error) {
    throw networkError(error, limits.timeoutMs)
  } finally {
    patience.stop()
  }
}

/** Measures how long a source keeps its reader waiting; time that the reader takes itself does not count. */
interface Patience {
  start(): void
  stop(): void
}

function makePatience(ms: number, giveUp: () => void): Patience {
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      timer = setTimeout(giveUp, ms)
    },
    stop: () => clearTimeout(timer),
  }
}

async function* readBody(
  response: Response,
  limits: HttpLimits,
  patience: Patience,
  discard: () => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  let ended = false
  patience.start()
  try {
    // The types say ReadableStream; node-fetch gives Node's own stream.
    for await (const chunk of (response.body ?? []) as Readable) {
      patience.stop()
      bytes += chunk.length
      if (bytes > limits.maxResponseBytes) {
        throw new ReadError(`the answer is larger than http.maxResponseBytes (${limits.maxResponseBytes})`, {
          retryable: false,
        })
      }
      yield chunk
      patience.start()
    }
    ended = true
  } catch (error) {
    throw error instanceof ReadError ? error : networkError(error, limits.timeoutMs)
  } finally {
    patience.stop()
    if (!ended) discard()
  }
}

function networkError(cause: unknown, timeoutMs: number): ReadError {
  if (cause instanceof AbortError) {
    return new ReadError(`no answer for ${timeoutMs / 1000} s`, { retryable: true, cause })
  }
  const code = cause instanceof FetchError ? cause.code : undefined
  return new ReadError(code === undefined ? 'the connection broke off' : `the connection failed (${code})`, {
    retryable: true,
    cause,
  })
}
