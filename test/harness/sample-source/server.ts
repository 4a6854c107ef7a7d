import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Json, num, toJson } from '../json.ts'
import { serve } from '../loopback.ts'

/** A server on loopback that sends the same HTTP answers as the real source system. */
export interface SampleSource<Data> {
  readonly url: string
  /** All requests so far. Headers and body are left out, because they contain the credentials. */
  readonly requests: readonly { readonly method: string; readonly path: string }[]
  readonly data: Data
  setData(data: Data): void
  /** Stops the server at once and closes open connections. */
  close(): Promise<void>
}

export interface SampleRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface SampleAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

export interface SampleServerOptions<Data> {
  readonly data: Data
  readonly latencyMs?: number | undefined
  readonly answer: (request: SampleRequest, data: Data) => SampleAnswer
}

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SampleAnswer {
  return { status, headers, body: JSON.stringify(value) }
}

export async function startSampleServer<Data>({
  data: first,
  latencyMs = 0,
  answer,
}: SampleServerOptions<Data>): Promise<SampleSource<Data>> {
  const requests: { readonly method: string; readonly path: string }[] = []
  let data = first

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = incoming
    requests.push({ method, path })
    const body = await text(incoming)
    if (latencyMs > 0) await sleep(latencyMs)
    const answered = answer({ method, url: new URL(path, server.url), headers, body }, data)
    response.writeHead(answered.status, {
      'Content-Type': 'application/json; charset=utf-8',
      ...answered.headers,
    })
    response.end(answered.body)
  }

  const server = await serve((incoming, response) => {
    // If the client has disconnected or the answer cannot be sent, the server breaks the connection, as in a
    // real failure.
    respond(incoming, response).catch(() => response.destroy())
  })
  return {
    url: server.url,
    requests,
    get data() {
      return data
    },
    setData(next) {
      data = next
    },
    close: server.close,
  }
}

const rawText = Symbol('raw text')

/**
 * An element that is served exactly as it is, even with repeated keys: neither `$expand` nor a selection of
 * fields changes it.
 */
interface RawElement {
  readonly [rawText]: string
}

export function rawElement(written: string): RawElement {
  return { [rawText]: written }
}

/** Converts a list of JavaScript values to the elements that the server sends. */
export function elementsOf(list: readonly unknown[]): readonly Json[] {
  return list.map((element) =>
    typeof element === 'object' && element !== null && rawText in element
      ? num((element as RawElement)[rawText])
      : toJson(element),
  )
}
