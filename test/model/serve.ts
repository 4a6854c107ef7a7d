import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerA, type ServedA } from './serve-a.ts'
import { answerB, type ServedB } from './serve-b.ts'

export const API_KEY = 'key:of/B'
export const AUTHENTICATION_SECRET = 'sécret&+'
export const EVENT_ID = '4242'

/** What the server holds, by resource. */
export type Served =
  | { readonly type: 'a'; readonly resources: Readonly<Record<string, ServedA>> }
  | { readonly type: 'b'; readonly resources: Readonly<Record<string, ServedB>> }

/** What is answered instead; null where the answer stays as it is. */
export type Spoil = (resource: string, url: URL, body: string) => SpoiltAnswer | null

export interface SpoiltAnswer {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Server {
  readonly url: string
  /** @param spoil asked about each answer that holds records */
  serve(held: Served, spoil?: Spoil): void
  close(): Promise<void>
}

/**
 * A Source A and a Source B on loopback, written from the documents alone.
 *
 * @param now the moment by which tokens expire
 */
export async function startServer(now: () => number = Date.now): Promise<Server> {
  let held: Served = { type: 'a', resources: {} }
  let spoil: Spoil = () => null
  const server = createServer((request, response) => {
    answer(request, response, held, spoil, now).catch((error: unknown) =>
      response.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (next, nextSpoil = () => null) => {
      held = next
      spoil = nextSpoil
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const TOKEN = 'token-of-b'

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  held: Served,
  spoil: Spoil,
  now: () => number,
): Promise<void> {
  const url = new URL(request.url ?? '', `http://${request.headers.host}`)
  const send = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
    response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers }).end(body)
  const sendRecords = (name: string, body: string) => {
    const spoilt = spoil(name, url, body)
    if (spoilt === null) send(200, body)
    else send(spoilt.status, spoilt.body, spoilt.headers)
  }
  if (held.type === 'a') {
    const [, name = ''] = new RegExp(`^/api/v1/${EVENT_ID}/([A-Za-z]+)$`).exec(url.pathname) ?? []
    const served = held.resources[name]
    if (served === undefined) return void send(404, '{"Message":"no such resource"}')
    return sendRecords(name, answerA(url, name, served))
  }
  if (url.pathname === '/api/v1/oauth2/token.json') return void send(...(await token(request, now)))
  const [, name = ''] = /^\/api\/v1\/([a-z-]+)\.json$/.exec(url.pathname) ?? []
  const served = held.resources[name]
  if (request.headers.authorization?.toLowerCase() !== `bearer ${TOKEN}`)
    return void send(401, '{"message":"token"}')
  if (served === undefined || url.searchParams.get('event_id') !== EVENT_ID)
    return void send(404, '{"message":"no"}')
  return sendRecords(name, answerB(url, served))
}

async function token(request: IncomingMessage, now: () => number): Promise<[status: number, body: string]> {
  let form = ''
  for await (const chunk of request) form += String(chunk)
  const pair = `${encodeURIComponent(API_KEY)}:${encodeURIComponent(AUTHENTICATION_SECRET)}`
  const right = request.headers.authorization === `Basic ${Buffer.from(pair).toString('base64')}`
  if (
    request.method !== 'POST' ||
    !right ||
    new URLSearchParams(form).get('grant_type') !== 'client_credentials'
  ) {
    return [401, '{"message":"who?"}']
  }
  const expires = new Date(now() + 1_800_000).toISOString().slice(0, 19).replace('T', ' ')
  return [200, JSON.stringify({ access_token: TOKEN, type: 'bearer', expires_at: expires })]
}
