import { expect, test } from 'vitest'
import { rawElement } from '../../../pipeline/demo/sample-server.ts'
import {
  type SampleSourceAOptions,
  type SourceAData,
  startSampleSourceA,
} from '../../../pipeline/demo/sample-source-a.ts'
import { useServers } from '../extract/use-servers.ts'

const empty: SourceAData = { Sessions: [], TimeSlots: [], Rooms: [], Tracks: [], SessionTypes: [], Users: [] }
const rooms = Array.from({ length: 25 }, (_, index) => ({ Id: 25 - index, Name: `Room ${index}` }))

const { closing } = useServers()

async function start(data: Partial<SourceAData>, options?: SampleSourceAOptions) {
  const source = closing(await startSampleSourceA({ ...empty, ...data }, options))
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

const BAD = ['$top=-1', '$top=x', '$skip=-1', '$skip=1.5', '$skip=', '$filter=Id eq 1', '$expand=Nobody']
const UNKNOWN = ['2/4242/Rooms', '1/4243/Rooms', '1/4242/Speakers', '1/4242/toString']
test.each([
  ...BAD.map((query) => [`/api/v1/4242/Rooms?${query}`, 400] as const),
  ...UNKNOWN.map((path) => [`/api/v${path}`, 404] as const),
  ['/', 404] as const,
])('%s is answered with %i', async (path, status) => {
  const { source, read } = await start({ Rooms: rooms })
  const answer = await read(source.url + path)
  expect(answer.status).toBe(status)
  expect(answer.body).toEqual({ Message: expect.any(String) })
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

test('a next link carries what is left of $top, and $top once reached has no next link', async () => {
  const { read } = await start({ Rooms: rooms }, { pageCap: 10, envelope: 'value' })
  const { body } = await read('Rooms?$top=12')
  const rest = await read(body['@odata.nextLink'])
  expect(rest.body).toEqual({ value: rooms.slice(10, 12) })
  expect((await read('Rooms?$top=10')).body).toEqual({ value: rooms.slice(0, 10) })
})
