import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** One request that a sample source received. Headers and body are not kept: they carry the credentials. */
export interface RecordedRequest {
  readonly method: string
  /** path and query as sent */
  readonly path: string
}

/** A source system on loopback that answers as the real one does on the wire. */
export interface SampleSource<Data> {
  /** without a slash at the end */
  readonly url: string
  /** all requests so far, in the order of their arrival */
  readonly requests: readonly RecordedRequest[]
  readonly data: Data
  /** Changes what the source holds; an answer already under way goes on with what it began with. */
  setData(data: Data): void
  /** Ends at once, open connections included. */
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
  readonly port?: number | undefined
  /** waited before each answer */
  readonly latencyMs?: number | undefined
  readonly answer: (request: SampleRequest, data: Data) => SampleAnswer
}

const pieceCharacters = 65_536
const maxRequestBytes = 65_536

/** A short answer made of one value. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SampleAnswer {
  return { status, headers, body: [JSON.stringify(value)] }
}

/** Listens on 127.0.0.1, on a free port unless told one. */
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
    // A client that has gone, or data that cannot be written, breaks the answer off as a real failure would.
    respond(incoming, response).catch(() => response.destroy())
  })
  server.listen(options.port ?? 0, '127.0.0.1')
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

/** Gathers many small parts into few writes, one at a time, so that a slow reader holds the source back. */
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
