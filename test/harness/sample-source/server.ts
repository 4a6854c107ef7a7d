import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request as it is recorded, without headers and body, which have the credentials. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
}

/** A source system on loopback that answers as the real one does on the wire. */
export interface SampleSource<Data> {
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  readonly data: Data
  /** Changes what the source holds; an answer under way continues with the old data. */
  setData(data: Data): void
  /** Ends at once, with its open connections. */
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
  /** JSON text in parts of any size */
  readonly body: Iterable<string>
}

export interface SampleServerOptions<Data> {
  readonly data: Data
  readonly latencyMs?: number | undefined
  readonly answer: (request: SampleRequest, data: Data) => SampleAnswer
}

const pieceCharacters = 65_536
const maxRequestBytes = 5_242_880

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SampleAnswer {
  return { status, headers, body: [JSON.stringify(value)] }
}

/** Listens on a free port of 127.0.0.1. */
export async function startSampleServer<Data>(
  options: SampleServerOptions<Data>,
): Promise<SampleSource<Data>> {
  const requests: RecordedRequest[] = []
  let data = options.data

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = incoming.method ?? 'GET'
    const path = incoming.url ?? '/'
    requests.push({ method, path })
    const body = await readBody(incoming)
    if (options.latencyMs !== undefined && options.latencyMs > 0) await sleep(options.latencyMs)
    const url = new URL(`http://${incoming.headers.host ?? '127.0.0.1'}${path}`)
    const answer = options.answer({ method, url, headers: incoming.headers, body }, data)
    response.writeHead(answer.status, {
      'Content-Type': 'application/json; charset=utf-8',
      ...answer.headers,
    })
    await pipeline(Readable.from(inPieces(answer.body), { highWaterMark: 1 }), response)
  }

  const server = createServer((incoming, response) => {
    // Where the client has gone, or data cannot be written, the connection breaks, as it would in a real failure.
    respond(incoming, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  let closed: Promise<void> | undefined

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get data() {
      return data
    },
    setData(next) {
      data = next
    },
    close() {
      closed ??= new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      return closed
    },
  }
}

/** Gathers small parts into few writes, one at a time, so that a slow reader slows the source down. */
function* inPieces(parts: Iterable<string>): Generator<string> {
  let piece = ''
  for (const part of parts) {
    piece += part
    if (piece.length < pieceCharacters) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxRequestBytes) throw new Error(`a request body of more than ${maxRequestBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** What a resource holds, in source order: an array, or a list that makes its elements when they are asked for. */
export interface ElementList {
  readonly length: number
  at(index: number): unknown
}

const rawText = Symbol('raw text')

/** An element served byte for byte as written, with no expansion or field selection: repeated keys and all. */
export interface RawElement {
  readonly [rawText]: string
}

export function rawElement(text: string): RawElement {
  return { [rawText]: text }
}

export function isRawElement(value: unknown): value is RawElement {
  return typeof value === 'object' && value !== null && rawText in value
}

/** The JSON of one element; lone surrogates and U+0000 become escapes. */
export function toElementText(element: unknown): string {
  if (isRawElement(element)) return element[rawText]
  const text: string | undefined = JSON.stringify(element)
  if (text === undefined) throw new Error(`a sample element that JSON cannot write: ${typeof element}`)
  return text
}

/** The elements from `skip` on, at most `take` of them, one at a time. */
export function* sliceOf(elements: ElementList, skip: number, take: number): Generator<unknown> {
  const end = Math.min(elements.length, skip + take)
  for (let index = skip; index < end; index += 1) yield elements.at(index)
}
