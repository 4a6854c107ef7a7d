/**
 * Serves registrants of Source B from a process of its own, so that a measured command is alone in its process.
 *
 * `node source-server.ts COUNT array|pages`: one bare array, or pages of 200. Prints its address when it listens.
 */
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { registrantsOf } from '../../pipeline/demo/sample-event.ts'

const count = Number(process.argv[2])
const form = process.argv[3] === 'array' ? 'array' : 'pages'
const registrants = registrantsOf(count)
const BATCH = 500

function* slice(from: number, to: number): Generator<string> {
  yield '['
  for (let start = from; start < to; start += BATCH) {
    let text = ''
    for (let index = start; index < Math.min(start + BATCH, to); index += 1) {
      text += `${index === from ? '' : ','}${JSON.stringify(registrants.at(index))}`
    }
    yield text
  }
  yield ']'
}

function* page(
  number: number,
  size: number,
  total: number,
  elements: (from: number, to: number) => Iterable<string>,
) {
  const from = Math.min((number - 1) * size, total)
  yield '{"items":'
  yield* elements(from, Math.min(from + size, total))
  const meta = { totalCount: total, pageCount: Math.ceil(total / size), currentPage: number, perPage: size }
  yield `,"_meta":${JSON.stringify(meta)}}`
}

const regTypes = [
  { id: 902, name: 'Speaker' },
  { id: 901, name: 'Attendee' },
]
const none = () => ['[]']

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  response.setHeader('Content-Type', 'application/json')
  const expires = new Date(Date.now() + 1_800_000).toISOString().slice(0, 19).replace('T', ' ')
  const number = Number(url.searchParams.get('page') ?? 1)
  const bodies: Record<string, () => Iterable<string>> = {
    '/api/v1/oauth2/token.json': () => [
      JSON.stringify({ access_token: 't', type: 'bearer', expires_at: expires }),
    ],
    '/api/v1/sessions.json': () => page(1, 200, 0, none),
    '/api/v1/reg-types.json': () => page(1, 200, 2, () => [JSON.stringify(regTypes)]),
    '/api/v1/registrants.json': () => (form === 'array' ? slice(0, count) : page(number, 200, count, slice)),
  }
  const body = bodies[url.pathname]
  await pipeline(Readable.from(body?.() ?? []), response).catch(() => undefined)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})
