import { createServer, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { listen } from '../serve/listen.ts'
import type { WorkerState } from './work.ts'

/**
 * Name of a report page. The first is the report of a run or the page of its plan. The second is a copy
 * without personal data, which can be forwarded.
 */
export type ReportName = 'report.html' | 'report-masked.html'

/** Pages that a worker serves besides its health. */
export interface Pages {
  /** Returns the status page of all integrations. */
  status(): Promise<string>
  /** Returns the report of a run; null if there is no report. */
  report(integration: string, run: string, name: ReportName): Promise<string | null>
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<string>
}

/** Pattern of the path of a report, as links on the status page have it. */
const REPORT = /^\/([^/]+)\/([^/]+)\/(report|report-masked)\.html$/

/**
 * Policy for the browser that forbids scripts, requests and forms. The policy is needed because somebody may
 * have changed a report in its folder.
 */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

const PAGE_HEADERS = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY }
const METRICS_HEADERS = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }

/** Seconds after which a browser loads the status page again. */
export const REFRESH_SECONDS = 60

/**
 * A worker queries its database every few seconds. If the database does not answer for this time, it is
 * reported as unreachable.
 */
const SILENT_MS = 15_000

/**
 * Serves the health and the pages of a worker over HTTP. `/healthz` answers 200 as long as the process lives.
 * `/readyz` answers 200 if the worker takes jobs and its database answers; otherwise it answers 503.
 * `/healthz` and `/readyz` answer with the state as JSON, which has the names of integrations.
 *
 * `/` serves the status page of all integrations. The answer of `/` is 503 if the status page cannot be made.
 * The reports to which this page links have paths below `/`. `/metrics` serves the metrics for Prometheus, or
 * answers 503 like `/`. Metrics and pages are served only if the header `Host`
 * of the request is an IP address, the name of this machine, or `host`. Without the check of `Host`, another
 * website could make the user's browser read the pages.
 *
 * @param monotonic clock to which the times in the state belong
 * @throws UserError if the port cannot be used
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
      // The browser also loads a page again that could not be made.
      response.setHeader('Refresh', REFRESH_SECONDS)
      return void sendPage(response, isHead, pages.status)
    }
    if (path === '/metrics') return void sendPage(response, isHead, pages.metrics, METRICS_HEADERS)
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
  const taken = await listen(server, port, host)
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
 * Returns true if the header `Host` shows that a request is meant for this machine. An IP address is safe: an
 * attacker can make a DNS name point to this machine, but not another IP address.
 *
 * @param asked value of the header `Host`
 */
function isOfThisMachine(asked: string | undefined, host: string): boolean {
  const name = (asked ?? '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  return isIP(name) !== 0 || ['localhost', hostname().toLowerCase(), host.toLowerCase()].includes(name)
}

/** Decodes percent escapes in a part of an address. If an escape is malformed, returns the part unchanged. */
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
  headers: OutgoingHttpHeaders = PAGE_HEADERS,
): Promise<void> {
  const made = await page().catch(() => undefined)
  if (made === undefined) return void response.writeHead(503, { 'Cache-Control': 'no-store' }).end()
  if (made === null) return void response.writeHead(404).end()
  response.writeHead(200, { ...headers, 'Cache-Control': 'no-store' }).end(isHead ? undefined : made)
}
