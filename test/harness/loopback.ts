import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server on loopback that answers as a test tells it. */
export interface Loopback {
  readonly url: string
  /** Path and query of every request so far. */
  readonly requests: readonly string[]
  /** Stops listening and closes all connections. */
  goAway(): void
  comeBack(): Promise<void>
  close(): Promise<void>
}

/**
 * Ports of all servers so far. A second server never gets the port of a closed one, because the product would
 * take an integration with the same address of its source for the former integration with a new id.
 */
const usedPorts = new Set<number>()

/** @param answer answers a request; it also receives the number of the request, counted from 1 */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, number: number) => void,
): Promise<Loopback> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    answer(request, response, requests.length)
  })
  async function listen(at: number): Promise<void> {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const portOf = () => (server.address() as AddressInfo).port
  while (usedPorts.has(portOf())) {
    server.close()
    await once(server, 'close')
    await listen(0)
  }
  const port = portOf()
  usedPorts.add(port)
  function goAway(): void {
    server.close()
    server.closeAllConnections()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    goAway,
    async comeBack() {
      if (!server.listening) await listen(port)
    },
    async close() {
      const closed = server.listening ? once(server, 'close') : null
      goAway()
      await closed
    },
  }
}
