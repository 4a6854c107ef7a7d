/**
 * Serves registrants of Source B from its own process, so that a measured command is alone in its process.
 *
 * `node source-server.ts COUNT array|pages SESSIONS SPEAKERS-IN-HUNDRED` serves one bare array, or pages of
 * the requested size with at most 1000 elements. The server prints its address when the data is ready. Under
 * `/api/v1/4242` the server has the same event in the form of Source A. `POST /control/serve/changed` changes
 * the job title of one registrant in a hundred; `/control/serve/original` restores the titles.
 * `/control/requests` returns how often registrants were requested.
 */
import { createServer, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { type PreparedList, prepareList } from './prepared-list.ts'
import { eventOfA, registrantsOf, regTypes, sessionsOf, usersOf } from './sample-registrants.ts'

const [, , count, form, sessions, speakersInHundred] = process.argv
const [registrants, isArray] = [Number(count), form === 'array']
const shape = { sessions: Number(sessions), speakersInHundred: Number(speakersInHundred) }
/** Maximum page size of both sources. */
const MOST_ON_A_PAGE = 1000
/** While changed registrants are served, one registrant in this many is changed. */
const CHANGED_EVERY = 100

function* changedRegistrants() {
  let index = 0
  for (const registrant of registrantsOf(registrants, shape)) {
    const change = index % CHANGED_EVERY === 0 ? { job_title: 'Harbour Pilot' } : {}
    yield { ...Object(registrant), ...change }
    index += 1
  }
}
const lists: Record<string, PreparedList> = {
  original: await prepareList(registrantsOf(registrants, shape), registrants),
  sessions: await prepareList(sessionsOf(shape), shape.sessions),
  regTypes: await prepareList(regTypes, regTypes.length),
}
let ofA: Promise<ReadonlyMap<string, PreparedList>> | null = null

/**
 * Prepares the data of Source A at the first request for Source A, so that other measurements need not wait
 * for this work.
 */
async function prepareA(): Promise<ReadonlyMap<string, PreparedList>> {
  const lists = new Map([['Users', await prepareList(usersOf(registrants, shape), registrants)]])
  for (const [name, elements] of Object.entries(eventOfA(registrants, shape)))
    lists.set(name, await prepareList(elements, elements.length))
  return lists
}
let served = 'original'
let requests = 0

async function send(
  response: ServerResponse,
  list: PreparedList,
  from: number,
  to: number,
  around: string[],
) {
  const [head = '', tail = ''] = around
  const length = Buffer.byteLength(head) + list.bytes(from, to) + Buffer.byteLength(tail)
  response.setHeader('Content-Length', length)
  response.write(head)
  if (to > from) await pipeline(list.read(from, to), response, { end: false })
  response.end(tail)
}

async function sendPage(response: ServerResponse, list: PreparedList, query: URLSearchParams): Promise<void> {
  const perPage = Math.min(Number(query.get('per-page') ?? 20), MOST_ON_A_PAGE)
  const currentPage = Number(query.get('page') ?? 1)
  const from = Math.min((currentPage - 1) * perPage, list.length)
  const pageCount = Math.ceil(list.length / perPage)
  const meta = JSON.stringify({ totalCount: list.length, pageCount, currentPage, perPage })
  const to = Math.min(from + perPage, list.length)
  await send(response, list, from, to, ['{"items":[', `],"_meta":${meta}}`])
}

async function sendPageOfA(
  response: ServerResponse,
  resource: string,
  query: URLSearchParams,
): Promise<void> {
  ofA ??= prepareA()
  const list = (await ofA).get(resource)
  if (list === undefined) {
    response.writeHead(404).end()
    return
  }
  const from = Math.min(Number(query.get('$skip') ?? 0), list.length)
  const top = Math.min(Number(query.get('$top') ?? MOST_ON_A_PAGE), MOST_ON_A_PAGE)
  await send(response, list, from, Math.min(from + top, list.length), ['[', ']'])
}

function token(): string {
  const expires = new Date(Date.now() + 1_800_000).toISOString().slice(0, 19).replace('T', ' ')
  return JSON.stringify({ access_token: 't', type: 'bearer', expires_at: expires })
}

async function control(path: string): Promise<string> {
  const [, name] = /^\/control\/serve\/(changed|original)$/.exec(path) ?? []
  if (name === undefined) return String(requests)
  lists[name] ??= await prepareList(changedRegistrants(), registrants)
  served = name
  return ''
}

const listAt: Readonly<Record<string, () => string>> = {
  '/api/v1/sessions.json': () => 'sessions',
  '/api/v1/reg-types.json': () => 'regTypes',
  '/api/v1/registrants.json': () => served,
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  response.setHeader('Content-Type', 'application/json')
  if (url.pathname.startsWith('/control/')) return response.end(await control(url.pathname))
  const list = lists[listAt[url.pathname]?.() ?? '']
  if (url.pathname === '/api/v1/oauth2/token.json') return response.end(token())
  const [, ofA] = /^\/api\/v1\/4242\/(\w+)$/.exec(url.pathname) ?? []
  // If a client breaks the connection, the error is ignored here; the client itself reports the error.
  if (ofA !== undefined) return sendPageOfA(response, ofA, url.searchParams).catch(() => undefined)
  if (list === undefined) return response.writeHead(404).end()
  const isRegistrants = url.pathname.endsWith('/registrants.json')
  if (isRegistrants) requests += 1
  const isWhole = isArray && isRegistrants
  // Without a total, a bare list would prove nothing.
  if (isWhole) response.setHeader('X-Total-Count', list.length)
  const sent = isWhole
    ? send(response, list, 0, list.length, ['[', ']'])
    : sendPage(response, list, url.searchParams)
  return sent.catch(() => undefined)
})
server.keepAliveTimeout = 60_000
// The server ends when the process that started it ends for any reason.
process.stdin.on('close', () => process.exit(0)).resume()
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})
