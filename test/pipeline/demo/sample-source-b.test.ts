import { afterEach, expect, test } from 'vitest'
import { rawElement } from '../../../pipeline/demo/sample-elements.ts'
import type { SampleSource } from '../../../pipeline/demo/sample-server.ts'
import {
  loadSourceB,
  type SampleSourceBOptions,
  type SourceBData,
  sampleSourceBDefaults,
  startSampleSourceB,
} from '../../../pipeline/demo/sample-source-b.ts'
import { withFolder } from './folder.ts'

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

const started: SampleSource<SourceBData>[] = []
afterEach(async () => {
  for (const source of started.splice(0)) await source.close()
})

async function start(options?: SampleSourceBOptions, data: Partial<SourceBData> = {}) {
  const source = await startSampleSourceB({ sessions, registrants, regTypes, ...data }, options)
  started.push(source)
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
  const plusForBlank = encodeURIComponent(apiKey).replaceAll('%20', '+')
  const again = await getToken(source.url, {
    authorization: basic(plusForBlank, encodeURIComponent(authenticationSecret)),
  })
  expect(again.status).toBe(200)
})

test.each([
  ['a wrong secret', { authorization: basic(encodeURIComponent(apiKey), 'wrong') }],
  ['credentials that are not URL-encoded', { authorization: basic(apiKey, authenticationSecret) }],
  ['no Basic header', { authorization: 'none' }],
  ['another grant', { body: 'grant_type=password' }],
  ['a JSON body', { type: 'application/json', body: '{"grant_type":"client_credentials"}' }],
])('a token is refused for %s', async (_, request) => {
  const { source } = await start()
  const { status, body } = await getToken(source.url, request)
  expect(status).toBe(401)
  expect(body).toEqual({ message: expect.any(String) })
})

test.each([{}, { authorization: 'Bearer nonsense' }, { authorization: goodBasic }])(
  'a list is refused without a good bearer token: %j',
  async (headers) => {
    const { read } = await start()
    const answer = await read('sessions.json?event_id=77', headers as Record<string, string>)
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual({ message: expect.any(String) })
  },
)

test('a token that has expired is refused, a new one is taken', async () => {
  let now = Date.parse('2031-03-01T12:00:00Z')
  const { source, read } = await start({ now: () => now, tokenMinutes: 5 })
  expect((await read('sessions.json?event_id=77')).status).toBe(200)
  now += 5 * 60_000
  expect((await read('sessions.json?event_id=77')).status).toBe(401)
  const { body } = await getToken(source.url)
  const renewed = { authorization: `bearer ${body.access_token}` }
  expect((await read('sessions.json?event_id=77', renewed)).status).toBe(200)
})

test('event_id is required, and must be the event', async () => {
  const { read } = await start()
  const missing = await read('registrants.json')
  expect(missing.status).toBe(422)
  expect(missing.body).toEqual([expect.objectContaining({ message: expect.any(String) })])
  const wrong = await read('registrants.json?event_id=78')
  expect(wrong.status).toBe(404)
  expect(wrong.body).toEqual({ message: expect.any(String) })
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
  expect((await read('sessions.json?event_id=77&per-page=1')).body.items).toEqual([
    { id: 45, name: 'Session 0' },
  ])
  expect((await read('reg-types.json?event_id=77')).body.items).toEqual([{ id: 902, name: 'Speaker' }])
})

test('pages tell where they stand and link to their neighbours', async () => {
  const { source, read } = await start()
  const { body } = await read('sessions.json?event_id=77&page=2&per-page=20')
  expect(body.items.map(({ id }: { id: number }) => id)).toEqual(sessions.slice(20, 40).map(({ id }) => id))
  expect(body._meta).toEqual({ totalCount: 45, pageCount: 3, currentPage: 2, perPage: 20 })
  expect(Object.keys(body._links)).toEqual(['first', 'prev', 'self', 'next', 'last'])
  expect(body._links.next.href).toBe(`${source.url}/api/v1/sessions.json?event_id=77&page=3&per-page=20`)
  const last = await read('sessions.json?event_id=77&page=3&per-page=20')
  expect(last.body.items).toHaveLength(5)
  expect(Object.keys(last.body._links)).toEqual(['first', 'prev', 'self', 'last'])
})

test('a page holds 20 unless asked for more, and never more than the cap', async () => {
  const { read } = await start({ pageCap: 30 })
  expect((await read('sessions.json?event_id=77')).body._meta.perPage).toBe(20)
  const capped = await read('sessions.json?event_id=77&per-page=500')
  expect(capped.body.items).toHaveLength(30)
  expect(capped.body._meta).toEqual({ totalCount: 45, pageCount: 2, currentPage: 1, perPage: 30 })
  expect((await read('sessions.json?event_id=77&per-page=0')).body._meta.perPage).toBe(1)
})

test('the default cap is 200', async () => {
  const { read } = await start({}, { sessions: Array.from({ length: 201 }, (_, id) => ({ id })) })
  expect((await read('sessions.json?event_id=77&per-page=1000')).body._meta).toEqual({
    totalCount: 201,
    pageCount: 2,
    currentPage: 1,
    perPage: 200,
  })
})

test('without a cap everything is one page', async () => {
  const { read } = await start({ pageCap: Number.POSITIVE_INFINITY })
  const { body } = await read('sessions.json?event_id=77&per-page=1000000')
  expect(body.items).toHaveLength(45)
  expect(body._meta.pageCount).toBe(1)
})

test('a page beyond the last is the last one again, and only _meta tells', async () => {
  const { read } = await start()
  const { body } = await read('sessions.json?event_id=77&page=9&per-page=20')
  expect(body._meta.currentPage).toBe(3)
  expect(body.items[0].id).toBe(5)
})

test('an event without registrants has an empty list and no pages', async () => {
  for (const itemsAs of ['list', 'object'] as const) {
    const { read } = await start({ itemsAs }, { registrants: [] })
    const { body } = await read('registrants.json?event_id=77')
    expect(body.items).toEqual([])
    expect(body._meta).toEqual({ totalCount: 0, pageCount: 0, currentPage: 1, perPage: 20 })
  }
})

test('items as an object are keyed by id, in the order of the source', async () => {
  const elements = [
    { id: 9 },
    { id: 2 },
    { id: JSON.rawJSON('99999999999999999') },
    { id: 2, name: 'again' },
    {},
    rawElement('{"id":88888888888888888,"x":1}'),
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
  expect((await read('registrants.json?event_id=77')).headers.get('x-rate-limit-remaining')).toBe('5')
  const refused = await read('registrants.json?event_id=77')
  expect(refused.status).toBe(429)
  expect(refused.body).toEqual({ message: expect.any(String) })
  expect(refused.headers.get('x-rate-limit-reset')).toBe('510')
  now += 510_000
  expect((await read('registrants.json?event_id=77')).status).toBe(200)
})

test('without a limit no credits are counted', async () => {
  const { read } = await start({ creditsPerTenMinutes: Number.POSITIVE_INFINITY })
  expect((await read('sessions.json?event_id=77')).headers.get('x-rate-limit-limit')).toBeNull()
})

test('no credential is recorded', async () => {
  const { source, read } = await start()
  await read('sessions.json?event_id=77')
  expect(source.requests).toEqual([
    { method: 'POST', path: '/api/v1/oauth2/token.json' },
    { method: 'GET', path: '/api/v1/sessions.json?event_id=77' },
  ])
})

test('a loaded folder keeps the digits of every number', async () => {
  const text = '[{"id":99999999999999999,"share":1.50}]'
  const files = {
    'sessions.json': text,
    'registrants.json': text,
    'reg_types.json': '[{"id":1,"name":"Speaker"}]',
  }
  await withFolder(files, async (folder) => {
    const { read } = await start({}, await loadSourceB(folder))
    const registrants = await read('registrants.json?event_id=77&fields=share')
    expect(registrants.text).toMatch('"items":[{"id":99999999999999999,"share":1.50}]')
    expect((await read('reg-types.json?event_id=77')).body.items).toEqual([{ id: 1, name: 'Speaker' }])
  })
})
