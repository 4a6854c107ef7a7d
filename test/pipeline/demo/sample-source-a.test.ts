import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { rawElement } from '../../../pipeline/demo/sample-elements.ts'
import type { SampleSource } from '../../../pipeline/demo/sample-server.ts'
import {
  loadSourceA,
  type SampleSourceAOptions,
  type SourceAData,
  startSampleSourceA,
} from '../../../pipeline/demo/sample-source-a.ts'
import { withFolder } from './folder.ts'

const empty: SourceAData = { Sessions: [], TimeSlots: [], Rooms: [], Tracks: [], SessionTypes: [], Users: [] }
const rooms = Array.from({ length: 25 }, (_, index) => ({ Id: 25 - index, Name: `Room ${index}` }))

const started: SampleSource<SourceAData>[] = []
afterEach(async () => {
  for (const source of started.splice(0)) await source.close()
})

async function start(data: Partial<SourceAData>, options?: SampleSourceAOptions) {
  const source = await startSampleSourceA({ ...empty, ...data }, options)
  started.push(source)
  const read = async (path: string) => {
    const response = await fetch(path.startsWith('http') ? path : `${source.url}/api/v1/4242/${path}`)
    const text = await response.text()
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text,
      body: JSON.parse(text),
    }
  }
  return { source, read }
}

test('a resource is a bare array in the order of the data, whatever $orderby says', async () => {
  const { read } = await start({ Rooms: rooms })
  const answer = await read('Rooms?$orderby=Id&$top=100&$skip=0')
  expect(answer.status).toBe(200)
  expect(answer.type).toMatch(/^application\/json/)
  expect(answer.body).toEqual(rooms)
})

test('a bare call is cut off at the page cap without a word', async () => {
  const { read } = await start({ Rooms: rooms }, { pageCap: 10 })
  expect((await read('Rooms')).body).toEqual(rooms.slice(0, 10))
  expect((await read('Rooms?$top=15')).body).toHaveLength(10)
})

test('the default page cap is 1000', async () => {
  const Users = Array.from({ length: 1001 }, (_, index) => ({ Id: index }))
  const { read } = await start({ Users })
  expect((await read('Users')).body).toHaveLength(1000)
})

test.each([
  ['$top=3&$skip=5', [5, 6, 7]],
  ['$top=10&$skip=23', [23, 24]],
  ['$skip=24', [24]],
  ['$skip=25', []],
  ['$skip=9000', []],
  ['$top=0', []],
])('%s gives that part of the list', async (query, indexes) => {
  const { read } = await start({ Rooms: rooms })
  expect((await read(`Rooms?${query}`)).body).toEqual(indexes.map((index) => rooms[index]))
})

test('pages that overlap by one begin with the last element of the page before', async () => {
  const { read } = await start({ Rooms: () => rooms.values() }, { pageCap: 10 })
  const first = (await read('Rooms?$top=10&$skip=0')).body
  const second = (await read('Rooms?$top=10&$skip=9')).body
  expect(second[0]).toEqual(first[9])
})

test.each(['$top=-1', '$top=x', '$skip=-1', '$skip=1.5', '$skip=', '$filter=Id eq 1', '$expand=Nobody'])(
  '%s is a bad request',
  async (query) => {
    const { read } = await start({ Rooms: rooms })
    const answer = await read(`Rooms?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ Message: expect.any(String) })
  },
)

test.each([
  '/api/v2/4242/Rooms',
  '/api/v1/4243/Rooms',
  '/api/v1/4242/Speakers',
  '/api/v1/4242/toString',
  '/',
])('%s is not found', async (path) => {
  const { source, read } = await start({ Rooms: rooms })
  const answer = await read(source.url + path)
  expect(answer.status).toBe(404)
  expect(answer.body).toEqual({ Message: expect.any(String) })
})

test('version and event id are as configured', async () => {
  const { source, read } = await start({ Rooms: rooms }, { version: 'v3', eventId: 'summit 31' })
  expect((await read(`${source.url}/api/v3/summit%2031/Rooms?$top=1`)).body).toEqual([rooms[0]])
})

test('relations are empty unless expanded, however their key is spelled', async () => {
  const Sessions = [
    { Id: 1, Speakers: [{ Id: 9 }], SpeakerOrder: ['9'] },
    { Id: 2, speakers: [9] },
    { Id: 3, Title: 'none' },
  ]
  const Users = [{ Id: 9, SpeakingAt: [{ Id: 1 }] }]
  const { read } = await start({ Sessions, Users })
  expect((await read('Sessions')).body).toEqual([
    { Id: 1, Speakers: [], SpeakerOrder: ['9'] },
    { Id: 2, speakers: [] },
    { Id: 3, Title: 'none' },
  ])
  expect((await read('Sessions?$expand=Speakers')).body).toEqual(Sessions)
  expect((await read('Users')).body).toEqual([{ Id: 9, SpeakingAt: [] }])
  expect((await read('Users?%24expand=SpeakingAt')).body).toEqual(Users)
  expect((await read('Users?$expand=Speakers')).status).toBe(400)
})

test('a raw element is served as written', async () => {
  const text = '{"Id":99999999999999999,"Id":1.0,"Name":"a\\u0000"}'
  const { read } = await start({ Rooms: [rawElement(text), { Id: JSON.rawJSON('12345678901234567') }, null] })
  expect((await read('Rooms')).text).toBe(`[${text},{"Id":12345678901234567},null]`)
})

test('the value envelope links to the rest until there is none', async () => {
  const { read } = await start({ Rooms: rooms }, { pageCap: 10, envelope: 'value' })
  const found: unknown[] = []
  const sizes: number[] = []
  for (let next: string | undefined = 'Rooms?$orderby=Id'; next !== undefined; ) {
    const { body } = await read(next)
    found.push(...body.value)
    sizes.push(body.value.length)
    next = body['@odata.nextLink']
  }
  expect(found).toEqual(rooms)
  expect(sizes).toEqual([10, 10, 5])
})

test('a next link carries what is left of $top, and $top once reached has no next link', async () => {
  const { read } = await start({ Rooms: rooms }, { pageCap: 10, envelope: 'value' })
  const { body } = await read('Rooms?$top=12')
  const rest = await read(body['@odata.nextLink'])
  expect(rest.body).toEqual({ value: rooms.slice(10, 12) })
  expect((await read('Rooms?$top=10')).body).toEqual({ value: rooms.slice(0, 10) })
})

test('a change of the data shows in the next answer', async () => {
  const { source, read } = await start({ Rooms: rooms })
  source.setData({ ...source.data, Rooms: [] })
  expect((await read('Rooms')).text).toBe('[]')
})

test('requests are recorded with method, path and query', async () => {
  const { source, read } = await start({ Rooms: rooms })
  await read('Rooms?$top=1')
  await fetch(`${source.url}/api/v1/4242/Rooms`, { method: 'DELETE' })
  expect(source.requests).toEqual([
    { method: 'GET', path: '/api/v1/4242/Rooms?$top=1' },
    { method: 'DELETE', path: '/api/v1/4242/Rooms' },
  ])
})

test('a reader who stops reading stops the source, and leaving ends it', async () => {
  let made = 0
  let ended = false
  const text = 'x'.repeat(10_000)
  function* users() {
    try {
      for (; made < 1_000_000; made += 1) yield { Id: made, Biography: text }
    } finally {
      ended = true
    }
  }
  const { source } = await start({ Users: users }, { pageCap: Number.POSITIVE_INFINITY })
  const request = get(`${source.url}/api/v1/4242/Users`)
  const response = await new Promise<NodeJS.ReadableStream & { destroy(): void }>((resolve) => {
    request.on('response', resolve)
  })
  await sleep(300)
  const madeUnread = made
  await sleep(100)
  expect(made).toBe(madeUnread)
  expect(madeUnread * text.length).toBeLessThan(50_000_000)
  response.destroy()
  await expect.poll(() => ended).toBe(true)
})

test('an unpaged answer of any length arrives whole', async () => {
  const count = 50_000
  const { read } = await start(
    { Users: () => Iterator.from({ [Symbol.iterator]: () => rangeOf(count) }) },
    { pageCap: Number.POSITIVE_INFINITY },
  )
  const { body } = await read('Users')
  expect(body).toHaveLength(count)
  expect(body.at(-1)).toEqual({ Id: count - 1 })
})

function* rangeOf(count: number) {
  for (let index = 0; index < count; index += 1) yield { Id: index }
}

test('closing ends open connections at once', async () => {
  const { source, read } = await start({ Rooms: rooms })
  await read('Rooms')
  const before = performance.now()
  await source.close()
  expect(performance.now() - before).toBeLessThan(1000)
  await expect(fetch(`${source.url}/api/v1/4242/Rooms`)).rejects.toThrow()
})

test('latency is waited before each answer', async () => {
  const { read } = await start({ Rooms: rooms }, { latencyMs: 80 })
  const before = performance.now()
  await read('Rooms')
  expect(performance.now() - before).toBeGreaterThan(70)
})

test('a loaded folder keeps the digits of every number', async () => {
  const files = ['Sessions', 'TimeSlots', 'Rooms', 'Tracks', 'SessionTypes', 'Users']
  const text = '[{"Id":99999999999999999,"Order":1.0,"Share":1e3},{"Id":7}]'
  await withFolder(Object.fromEntries(files.map((name) => [`${name}.json`, text])), async (folder) => {
    const { read } = await start(await loadSourceA(folder))
    expect((await read('Users')).text).toBe(text)
    expect((await read('Sessions?$expand=Speakers')).text).toBe(text)
  })
})

test('a file that is no list is refused by name', async () => {
  await withFolder({ 'Sessions.json': '{"Message":"no"}' }, async (folder) => {
    await expect(loadSourceA(folder)).rejects.toThrow()
  })
})
