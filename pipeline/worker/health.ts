import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { hostname } from 'node:os'
import type { WorkerState } from './work.ts'

/** The pages beside the health of a worker. */
export interface Pages {
  /** The page of all integrations. */
  status(): Promise<string>
  /** The report of a run; null where there is none. */
  report(integration: string, run: string): Promise<string | null>
}

/** The path of a report, as the page of all integrations links it. */
const REPORT = /^\/([^/]+)\/([^/]+)\/report\.html$/

/** Lets a browser run, fetch and send nothing, since someone may have altered a report in its folder. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** A worker asks its database every few seconds; after this long without an answer the database counts as gone. */
const SILENT_MS = 15_000

/**
 * Serves `/healthz`, 200 as long as the process lives, and `/readyz`, 200 while it works and its database answers, else 503.
 * Both give the state as JSON, with names of integrations. `/` is the page of all integrations, 503 where it cannot be made, and below it are
 * the reports that it links; both only under an address of this machine, its name or `host`, so that no page from elsewhere can have a browser read them.
 *
 * @param monotonic the clock of the state
 * @throws where the port is taken
 */
export async function serveHealth(
  port: number,
  host: string,
  state: () => WorkerState,
  monotonic: () => number,
  pages: Pages,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0]
    if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405).end()
    const isHead = request.method === 'HEAD'
    response.setHeader('X-Content-Type-Options', 'nosniff')
    const isHealth = path === '/healthz' || path === '/readyz'
    if (!isHealth && !isOfThisMachine(request.headers.host, host)) return void response.writeHead(421).end()
    if (path === '/') return void sendPage(response, isHead, pages.status)
    const [, integration, run] = REPORT.exec(path ?? '') ?? []
    if (integration !== undefined && run !== undefined)
      return void sendPage(response, isHead, () => pages.report(decoded(integration), run))
    if (!isHealth) return void response.writeHead(404).end()
    const { phase, underWay, answeredMs, database: hasAnswered } = state()
    const database = hasAnswered && monotonic() - answeredMs <= SILENT_MS
    const isReady = phase === 'working' && database
    const body = JSON.stringify({ ready: isReady, phase, database, underWay })
    response
      .writeHead(path === '/healthz' || isReady ? 200 : 503, {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
      })
      .end(isHead ? undefined : `${body}\n`)
  })
  server.listen(port, host)
  await once(server, 'listening')
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

/** @param asked `Host` of a request; nobody can point an IP address at this machine as they can a name */
function isOfThisMachine(asked: string | undefined, host: string): boolean {
  const name = (asked ?? '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  return isIP(name) !== 0 || ['localhost', hostname().toLowerCase(), host.toLowerCase()].includes(name)
}

/** Decodes a part of an address; returns it unchanged if it is malformed. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

async function sendPage(
  response: ServerResponse,
  isHead: boolean,
  page: () => Promise<string | null>,
): Promise<void> {
  const made = await page().catch(() => undefined)
  if (made === undefined) return void response.writeHead(503, { 'Cache-Control': 'no-store' }).end()
  if (made === null) return void response.writeHead(404).end()
  response
    .writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': POLICY,
    })
    .end(isHead ? undefined : made)
}
