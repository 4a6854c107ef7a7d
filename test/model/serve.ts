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

export interface Server {
  readonly url: string
  serve(held: Served): void
  close(): Promise<void>
}

/** A Source A and a Source B on loopback, written from the documents alone. */
export async function startServer(): Promise<Server> {
  let held: Served = { type: 'a', resources: {} }
  const server = createServer((request, response) => {
    answer(request, response, held).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (next) => {
      held = next
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const TOKEN = 'token-of-b'

async function answer(request: IncomingMessage, response: ServerResponse, held: Served): Promise<void> {
  const url = new URL(request.url ?? '', `http://${request.headers.host}`)
  const send = (status: number, body: string) =>
    response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(body)
  if (held.type === 'a') {
    const [, name = ''] = new RegExp(`^/api/v1/${EVENT_ID}/([A-Za-z]+)$`).exec(url.pathname) ?? []
    const served = held.resources[name]
    if (served === undefined) return void send(404, '{"Message":"no such resource"}')
    return void send(200, answerA(url, name, served))
  }
  if (url.pathname === '/api/v1/oauth2/token.json') return void send(...(await token(request)))
  const [, name = ''] = /^\/api\/v1\/([a-z-]+)\.json$/.exec(url.pathname) ?? []
  const served = held.resources[name]
  if (request.headers.authorization?.toLowerCase() !== `bearer ${TOKEN}`)
    return void send(401, '{"message":"token"}')
  if (served === undefined || url.searchParams.get('event_id') !== EVENT_ID)
    return void send(404, '{"message":"no"}')
  return void send(200, answerB(url, served))
}

async function token(request: IncomingMessage): Promise<[status: number, body: string]> {
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
  const expires = new Date(Date.now() + 1_800_000).toISOString().slice(0, 19).replace('T', ' ')
  return [200, JSON.stringify({ access_token: TOKEN, type: 'bearer', expires_at: expires })]
}
