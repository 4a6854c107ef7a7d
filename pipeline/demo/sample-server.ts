import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface SampleRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type SampleAnswer = readonly [status: number, value: unknown]

export interface SampleServer {
  readonly url: string
  /** Stops the server at once and closes its connections. */
  close(): Promise<void>
}

/** Starts a server on a free port of 127.0.0.1 that answers in JSON. */
export async function startSampleServer(
  answer: (request: SampleRequest) => SampleAnswer,
): Promise<SampleServer> {
  const server = createServer((incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming
    text(incoming)
      .then((body) => {
        const [status, value] = answer({ method, url: new URL(url, 'http://127.0.0.1'), headers, body })
        response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' })
        response.end(JSON.stringify(value))
      })
      // If a client disconnects or sends invalid JSON, only its connection is closed. The demo continues.
      .catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
