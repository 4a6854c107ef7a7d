import { expect, test } from 'vitest'
import { rawElement } from '../../../pipeline/demo/sample-server.ts'
import {
  type SampleSourceBOptions,
  type SourceBData,
  sampleSourceBDefaults,
  startSampleSourceB,
} from '../../../pipeline/demo/sample-source-b.ts'
import { useServers } from '../extract/use-servers.ts'

const sessions = Array.from({ length: 45 }, (_, index) => ({
  id: 45 - index,
  name: `Session ${index}`,
  description: '<p>text</p>',
  date: '2031-03-10',
}))
const registrants = [
  { id: 7, first_name: 'Iris', last_name: 'Carrow', email: 'iris@example.org', cancelled_at: null },
  { id: '007', first_name: 'Bram', last_name: 'Ellery', email: 'bram@example.org', cancelled_at: false },
]
const regTypes = [{ id: 902, name: 'Speaker', capacity: null }]

const { closing } = useServers()

async function start(options?: SampleSourceBOptions, data: Partial<SourceBData> = {}) {
  const source = closing(await startSampleSourceB({ sessions, registrants, regTypes, ...data }, options))
  const authorized = { authorization: `Bearer ${(await getToken(source.url)).body.access_token}` }
  const read = async (path: string, headers: Record<string, string> = authorized) => {
    const response = await fetch(`${source.url}/api/v1/${path}`, { headers })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  }
  return { source, read }
}

const { apiKey, authenticationSecret } = sampleSourceBDefaults
const goodBasic = basic(encodeURIComponent(apiKey), encodeURIComponent(authenticationSecret))
const formType = 'application/x-www-form-urlencoded;charset=UTF-8'

function basic(key: string, secret: string): string {
  return `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
}

async function getToken(
  url: string,
  { authorization = goodBasic, type = formType, body = 'grant_type=client_credentials' } = {},
) {
  const response = await fetch(`${url}/api/v1/oauth2/token.json`, {
    method: 'POST',
    headers: { authorization, 'content-type': type },
    body,
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

test('a token is given for URL-encoded credentials, with its expiry in UTC', async () => {
  const now = Date.parse('2031-03-01T23:45:10.500Z')
  const { source } = await start({ now: () => now })
  const { status, body } = await getToken(source.url)
  expect(status).toBe(200)
  expect(body).toEqual({
    access_token: expect.stringMatching(/^\S{20,}$/),
    type: 'bearer',
    expires_at: '2031-03-02 00:15:10',
  })
})

test.each([
  ['a wrong secret', { authorization: basic(encodeURIComponent(apiKey), 'wrong') }],
  ['credentials that are not URL-encoded', { authorization: basic(apiKey, authenticationSecret) }],
  ['a JSON body', { type: 'application/json', body: '{"grant_type":"client_credentials"}' }],
])('a token is refused for %s', async (_, request) => {
  const { source } = await start()
  const { status, body } = await getToken(source.url, request)
  expect(status).toBe(401)
  expect(body).toEqual({ message: expect.any(String) })
})

test('without a token, or with one that has expired, a list is refused', async () => {
  let now = Date.parse('2031-03-01T12:00:00Z')
  const { source, read } = await start({ now: () => now, tokenMinutes: 5 })
  expect((await read('sessions.json?event_id=77')).status).toBe(200)
  expect((await read('sessions.json?event_id=77', {})).status).toBe(401)
  now += 5 * 60_000
  expect((await read('sessions.json?event_id=77')).status).toBe(401)
  const { body } = await getToken(source.url)
  const renewed = { authorization: `Bearer ${body.access_token}` }
  expect((await read('sessions.json?event_id=77', renewed)).status).toBe(200)
})

test('event_id is required, and must be the event', async () => {
  const { read } = await start()
  const missing = await read('registrants.json')
  expect(missing.status).toBe(422)
  const wrong = await read('registrants.json?event_id=78')
  expect(wrong.status).toBe(404)
  expect((await read('speakers.json?event_id=77')).status).toBe(404)
})

test('fields other than id and name come only when named', async () => {
  const { read } = await start()
  const bare = await read('registrants.json?event_id=77')
  expect(bare.body.items).toEqual([{ id: 7 }, { id: '007' }])
  const named = await read('registrants.json?event_id=77&fields=first_name,%20cancelled_at,unknown')
  expect(named.body.items).toEqual([
    { id: 7, first_name: 'Iris', cancelled_at: null },
    { id: '007', first_name: 'Bram', cancelled_at: false },
  ])
  expect((await read('reg-types.json?event_id=77')).body.items).toEqual([{ id: 902, name: 'Speaker' }])
})

test('pages tell where they stand and link to their neighbours', async () => {
  const { source, read } = await start()
  const { body } = await read('sessions.json?event_id=77&page=2&per-page=20')
  expect(body.items.map(({ id }: { id: number }) => id)).toEqual(sessions.slice(20, 40).map(({ id }) => id))
  expect(body._meta).toEqual({ totalCount: 45, pageCount: 3, currentPage: 2, perPage: 20 })
  expect(body._links.next.href).toBe(`${source.url}/api/v1/sessions.json?event_id=77&page=3&per-page=20`)
  const last = await read('sessions.json?event_id=77&page=3&per-page=20')
  expect(last.body.items).toHaveLength(5)
  expect(last.body._links).not.toHaveProperty('next')
})

test.each<[string, string, SampleSourceBOptions, readonly [pages: number, page: number, held: number]]>([
  ['holds 20 unless asked for more', '', { pageCap: 30 }, [3, 1, 20]],
  ['never holds more than the cap', '&per-page=500', { pageCap: 30 }, [2, 1, 30]],
  ['holds one where none is asked for', '&per-page=0', { pageCap: 30 }, [45, 1, 1]],
  ['beyond the last is the last one again, and only _meta tells', '&page=9&per-page=20', {}, [3, 3, 20]],
])('a page %s', async (_, query, options, [pageCount, currentPage, perPage]) => {
  const { read } = await start(options)
  const { body } = await read(`sessions.json?event_id=77${query}`)
  expect(body._meta).toEqual({ totalCount: 45, pageCount, currentPage, perPage })
  const before = (currentPage - 1) * perPage
  const ids = sessions.slice(before, before + perPage).map(({ id }) => id)
  expect(body.items.map(({ id }: { id: number }) => id)).toEqual(ids)
})

test('an event without registrants has an empty list and no pages', async () => {
  const { read } = await start({}, { registrants: [] })
  const { body } = await read('registrants.json?event_id=77')
  expect(body.items).toEqual([])
  expect(body._meta).toEqual({ totalCount: 0, pageCount: 0, currentPage: 1, perPage: 20 })
})

test('items as an object are keyed by id, in the order of the source', async () => {
  const raw = rawElement('{"id":88888888888888888,"x":1}')
  const elements = [
    { id: 9 },
    { id: 2 },
    { id: JSON.rawJSON('99999999999999999') },
    { id: 2, name: 'again' },
    {},
    raw,
  ]
  const { read } = await start({ itemsAs: 'object' }, { sessions: elements })
  const { text } = await read('sessions.json?event_id=77')
  expect(text).toMatch(
    '{"items":{"9":{"id":9},"2":{"id":2},"99999999999999999":{"id":99999999999999999},' +
      '"2":{"id":2,"name":"again"},"":{},"88888888888888888":{"id":88888888888888888,"x":1}},"_links":',
  )
})

test('credits are counted, and when they are used up the answer says for how long', async () => {
  let now = Date.parse('2031-03-01T12:00:00Z')
  const { read } = await start({ now: () => now, creditsPerTenMinutes: 25 })
  const first = await read('sessions.json?event_id=77')
  expect(first.headers.get('x-rate-limit-limit')).toBe('25')
  expect(first.headers.get('x-rate-limit-remaining')).toBe('15')
  expect(first.headers.get('x-rate-limit-reset')).toBe('600')
  now += 90_000
  await read('registrants.json?event_id=77')
  const refused = await read('registrants.json?event_id=77')
  expect(refused.status).toBe(429)
  expect(refused.body).toEqual({ message: expect.any(String) })
  expect(refused.headers.get('x-rate-limit-reset')).toBe('510')
  now += 510_000
  expect((await read('registrants.json?event_id=77')).status).toBe(200)
})
