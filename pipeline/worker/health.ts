import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { hostname } from 'node:os'
import type { WorkerState } from './work.ts'

/** The report of a run or the page of its plan, and the page to forward. */
export type ReportName = 'report.html' | 'report-masked.html'

/** Pages that a worker serves in addition to its health. */
export interface Pages {
  /** Returns the status page of all integrations. */
  status(): Promise<string>
  /** Returns the report of a run; null if there is none. */
  report(integration: string, run: string, name: ReportName): Promise<string | null>
}

/** Path of a report, as the status page links it. */
const REPORT = /^\/([^/]+)\/([^/]+)\/(report|report-masked)\.html$/

/**
 * Forbids scripts, requests and forms in the browser, because somebody may have changed a report in its
 * folder.
 */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** Seconds after which a browser loads the status page again. */
export const REFRESH_SECONDS = 60

/**
 * A worker queries its database every few seconds. After this time without an answer the database counts as
 * unreachable.
 */
const SILENT_MS = 15_000

/**
 * Serves health and pages of a worker. `/healthz` answers 200 while the process lives. `/readyz` answers 200
 * while the worker works and its database answers, otherwise 503. Both return the state as JSON, with names
 * of integrations.
 *
 * `/` is the status page of all integrations, or 503 if the page cannot be made. Below it are the reports
 * that it links. Page and reports are served only if the `Host` of the request is an IP address, the name of
 * this machine, or `host`. Otherwise a page from elsewhere could make a browser read them.
 *
 * @param monotonic the clock of the state
 * @throws if the port is in use
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
    if (path === '/') {
      // A page that could not be made is tried again, too.
      response.setHeader('Refresh', REFRESH_SECONDS)
      return void sendPage(response, isHead, pages.status)
    }
    const [, integration, run, kind] = REPORT.exec(path ?? '') ?? []
    if (integration !== undefined && run !== undefined)
      return void sendPage(response, isHead, () =>
        pages.report(decoded(integration), run, kind === 'report' ? 'report.html' : 'report-masked.html'),
      )
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

/**
 * Returns true if a request is meant for this machine. An IP address is safe: an attacker can let a DNS name
 * point to this machine, but not an IP address.
 *
 * @param asked header `Host` of the request
 */
function isOfThisMachine(asked: string | undefined, host: string): boolean {
  const name = (asked ?? '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  return isIP(name) !== 0 || ['localhost', hostname().toLowerCase(), host.toLowerCase()].includes(name)
}

/** Decodes a part of an address. Returns the part unchanged if it is malformed. */
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
