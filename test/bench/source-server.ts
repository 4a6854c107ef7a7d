/**
 * Serves registrants of Source B from a process of its own, so that a measured command is alone in its process.
 *
 * `node source-server.ts COUNT array|pages`: one bare array, or pages as long as they are asked for, 200 at most. Prints
 * its address when all is prepared. `POST /control/serve/changed` lets one registrant in a hundred have another job title,
 * `/control/serve/original` takes that back.
 */
import { createServer, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { type PreparedList, prepareList } from './prepared-list.ts'
import { registrantsOf } from './sample-registrants.ts'

const [count, isArray] = [Number(process.argv[2]), process.argv[3] === 'array']
const MOST_ON_A_PAGE = 200
/** One registrant of so many is another one where changes are served. */
const CHANGED_EVERY = 100

function* changedRegistrants() {
  let index = 0
  for (const registrant of registrantsOf(count)) {
    const change = index % CHANGED_EVERY === 0 ? { job_title: 'Harbour Pilot' } : {}
    yield { ...Object(registrant), ...change }
    index += 1
  }
}
/** The ordinary sessions that registrants name. */
const sessions = Array.from({ length: 200 }, (_, index) => ({
  id: index + 1,
  name: `Session ${index + 1}`,
  description: '<p>About timetables.</p>',
  date: `2031-03-${10 + (index % 4)}`,
  start_time: `${String(9 + (index % 8)).padStart(2, '0')}:00:00`,
  end_time: `${String(9 + (index % 8)).padStart(2, '0')}:45:00`,
  timezone: null,
}))
const regTypes = [
  { id: 902, name: 'Speaker' },
  { id: 901, name: 'Attendee' },
]
const lists: Record<string, PreparedList> = {
  original: await prepareList(registrantsOf(count), count),
  sessions: await prepareList(sessions, sessions.length),
  regTypes: await prepareList(regTypes, regTypes.length),
}
let served = 'original'

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

function token(): string {
  const expires = new Date(Date.now() + 1_800_000).toISOString().slice(0, 19).replace('T', ' ')
  return JSON.stringify({ access_token: 't', type: 'bearer', expires_at: expires })
}

async function serve(path: string): Promise<void> {
  const [, name] = /^\/control\/serve\/(changed|original)$/.exec(path) ?? []
  if (name === undefined) return
  lists[name] ??= await prepareList(changedRegistrants(), count)
  served = name
}

const listAt: Readonly<Record<string, () => string>> = {
  '/api/v1/sessions.json': () => 'sessions',
  '/api/v1/reg-types.json': () => 'regTypes',
  '/api/v1/registrants.json': () => served,
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  response.setHeader('Content-Type', 'application/json')
  if (url.pathname.startsWith('/control/')) return serve(url.pathname).then(() => response.end())
  const list = lists[listAt[url.pathname]?.() ?? '']
  if (url.pathname === '/api/v1/oauth2/token.json') return response.end(token())
  if (list === undefined) return response.writeHead(404).end()
  const isWhole = isArray && url.pathname.endsWith('/registrants.json')
  const sent = isWhole
    ? send(response, list, 0, list.length, ['[', ']'])
    : sendPage(response, list, url.searchParams)
  // A client that has gone is for the client to tell.
  return sent.catch(() => undefined)
})
server.keepAliveTimeout = 60_000
// It ends with the process that started it, however that came about.
process.stdin.on('close', () => process.exit(0)).resume()
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})
