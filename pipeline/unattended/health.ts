import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WorkerState } from './work.ts'

/** Answers whoever watches a worker. */
export interface Health {
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves `/healthz`, 200 as long as the process lives, and `/readyz`, 200 while it works and its database answers, else 503.
 * Both tell the state as JSON: names of integrations, no other value.
 *
 * @throws where the port is taken
 */
export async function serveHealth(port: number, host: string, state: () => WorkerState): Promise<Health> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0]
    if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405).end()
    if (path !== '/healthz' && path !== '/readyz') return void response.writeHead(404).end()
    const now = state()
    const isReady = now.phase === 'working' && now.database
    const body = JSON.stringify({ ready: isReady, ...now })
    response
      .writeHead(path === '/healthz' || isReady ? 200 : 503, {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
      })
      .end(request.method === 'HEAD' ? undefined : `${body}\n`)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
