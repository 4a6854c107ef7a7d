import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type SampleSourceAOptions, startSampleSourceA } from '../../../../pipeline/demo/sample-source-a.ts'
import { extract } from '../../../../pipeline/extract/extract.ts'
import { ReadError } from '../../../../pipeline/extract/read-error.ts'
import type { Database } from '../../../../sql/database.ts'
import { openEngine } from '../../../support/engines.ts'
import { failureOf, openRun, readAttendees, sendJson, serve, testEnvironment } from '../support.ts'

let database: Database
beforeAll(async () => {
  database = await openEngine('postgres')
})
afterAll(() => database.close())

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

type User = { readonly Id: number | string }
const user = (Id: number | string): User => ({ Id })
const users = (count: number) => Array.from({ length: count }, (_, index) => user(index + 1))
const idsOf = (list: readonly User[]) => list.map(({ Id }) => String(Id))
const nothing = { Sessions: [], TimeSlots: [], Rooms: [], Tracks: [], SessionTypes: [] }
const readFrom = (url: string, options?: Parameters<typeof readAttendees>[2]) =>
  readAttendees(database, { type: 'a', url, eventId: '4242' }, options)

async function readSample(list: readonly User[], options: SampleSourceAOptions = {}) {
  const source = await startSampleSourceA({ ...nothing, Users: list }, options)
  open.push(source)
  const read = await readFrom(source.url)
  const pages = source.requests.map(({ path }) => {
    const query = new URL(path, source.url).searchParams
    return [Number(query.get('$skip')), Number(query.get('$top'))]
  })
  return { ...read, pages, skips: pages.map(([skip]) => skip) }
}

/** Answers with what `page` gives for `$skip`, `$top` and the number of the request. */
async function serveUsers(
  page: (
    query: { readonly skip: number; readonly top: number; readonly path: string },
    number: number,
  ) => unknown,
) {
  const server = await serve((request, response, number) => {
    const query = new URL(request.url ?? '', 'http://a.example').searchParams
    const skip = Number(query.get('$skip'))
    sendJson(response, page({ skip, top: Number(query.get('$top')), path: request.url ?? '' }, number))
  })
  open.push(server)
  return server
}

test('a request names the event, what to expand, an order, and its page', async () => {
  const source = await startSampleSourceA({ ...nothing, Users: [] }, { version: 'v 3', eventId: 'a/b?c' })
  open.push(source)
  await readAttendees(database, { type: 'a', url: source.url, version: 'v 3', eventId: 'a/b?c' })
  const [request] = source.requests
  const url = new URL(request?.path ?? '', source.url)
  expect(url.pathname).toBe('/api/v%203/a%2Fb%3Fc/Users')
  expect(Object.fromEntries(url.searchParams)).toEqual({
    $expand: 'SpeakingAt',
    $orderby: 'Id',
    $top: '1000',
    $skip: '0',
  })
})

test('each resource is a GET of its own path, sessions with their speakers and users with their sessions', async () => {
  const source = await startSampleSourceA({ ...nothing, Users: [] })
  open.push(source)
  const content = ['agenda', 'speakers', 'attendees'] as const
  await extract(openRun(database, { type: 'a', url: source.url, eventId: '4242' }, { content }))
  const asked = source.requests.map(({ method, path }) => {
    const url = new URL(path, source.url)
    return [`${method} ${url.pathname}`, url.searchParams.get('$expand')]
  })
  // One reading of each, the users' too, who serve two contents.
  expect(asked).toHaveLength(6)
  expect(Object.fromEntries(asked)).toEqual({
    'GET /api/v1/4242/Sessions': 'Speakers',
    'GET /api/v1/4242/TimeSlots': null,
    'GET /api/v1/4242/Rooms': null,
    'GET /api/v1/4242/Tracks': null,
    'GET /api/v1/4242/SessionTypes': null,
    'GET /api/v1/4242/Users': 'SpeakingAt',
  })
})

test('Source A is read without credentials', async () => {
  const sent: (readonly (string | undefined)[])[] = []
  const server = await serve((request, response) => {
    sent.push([request.headers.authorization, request.headers.cookie])
    sendJson(response, [])
  })
  open.push(server)
  await readFrom(server.url)
  expect(sent).toEqual([[undefined, undefined]])
})

describe('pages overlap by one element', () => {
  // Worked out by hand: each page begins with the last element read, the last page holds it alone.
  test.each<[string, number, number, readonly number[], string]>([
    ['an empty resource', 0, 1000, [0], 'empty page'],
    ['one element: what follows it is empty', 1, 1000, [0, 1], 'empty page'],
    ['two elements', 2, 1000, [0, 1], 'overlap'],
    ['a cap smaller than $top', 5, 3, [0, 2, 4], 'overlap'],
    ['a cap of two', 5, 2, [0, 1, 2, 3, 4], 'overlap'],
    ['an exact multiple of the cap', 6, 3, [0, 2, 4, 5], 'overlap'],
    ['one page of just the cap', 3, 3, [0, 2], 'overlap'],
    ['999 elements', 999, 1000, [0, 998], 'overlap'],
    ['1000 elements', 1000, 1000, [0, 999], 'overlap'],
    ['1001 elements', 1001, 1000, [0, 999, 1000], 'overlap'],
    ['1999 elements: two full pages', 1999, 1000, [0, 999, 1998], 'overlap'],
    ['no cap: $top alone limits', 1500, Number.POSITIVE_INFINITY, [0, 999, 1499], 'overlap'],
  ])('%s', async (_, count, pageCap, skips, proof) => {
    const read = await readSample(users(count), { pageCap })
    expect(read.ids).toEqual(idsOf(users(count)))
    expect(read.skips).toEqual(skips)
    expect(read.reading).toMatchObject({
      certified: true,
      endProof: proof,
      declared: null,
      requests: skips.length,
      detail: '',
    })
  })

  test('ids that repeat at the border of two pages are all read, once each', async () => {
    for (const ids of [
      [1, 2, 2, 3],
      [1, 1, 2, 2, 2, 3],
      [5, 5],
      [7, 7, 7, 7, 7],
      [1, 7, 7],
      [7, 7, 1],
    ]) {
      for (const pageCap of [2, 3, 4, 1000]) {
        const read = await readSample(ids.map(user), { pageCap })
        expect(read.ids, `${ids} by ${pageCap}`).toEqual(ids.map(String))
        expect(read.reading.certified).toBe(true)
      }
    }
  })

  test('elements that cannot be read overlap too', async () => {
    const list = [{ Id: 1 }, { Name: 'x' }, { Name: 'y' }, null, 7, { Id: 2 }] as unknown as User[]
    for (const pageCap of [2, 3]) {
      const read = await readSample(list, { pageCap })
      expect(read.ids).toEqual(['1', null, null, null, null, '2'])
      expect(read.reading).toMatchObject({ certified: true, totals: { elements: 6, faults: 4 } })
    }
  })

  test('a cap of one, with which nothing can overlap, is not believed to be the end', async () => {
    const read = await readSample(users(3), { pageCap: 1 })
    expect(read.reading).toMatchObject({ certified: false, endProof: 'none' })
  })
})

describe('a source that ignores $skip', () => {
  const ignoring = (list: readonly User[]) => serveUsers(() => list)

  test.each([1, 2, 3, 999])('is complete with %d elements, fewer than were asked for', async (count) => {
    const { url } = await ignoring(users(count))
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(users(count)))
    expect(reading).toMatchObject({ certified: true, endProof: 'unpaged array' })
  })

  test.each([1000, 1500])('fails with %d, which may be cut short', async (count) => {
    const { url } = await ignoring(users(count))
    const error = await failureOf(readFrom(url))
    expect(error).toBeInstanceOf(ReadError)
    expect(error.message).toMatch(
      /^users, page \d+: the source ignores \$skip, so its answer may be cut short$/,
    )
  })

  test('and repeats one id ends all the same', async () => {
    const { url } = await ignoring([user(7), user(1), user(7)])
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(['7', '1', '7'])
    expect(reading).toMatchObject({ certified: true, endProof: 'unpaged array' })
  })

  test('is told from one where elements came in front meanwhile', async () => {
    const list = users(4)
    const { url } = await serveUsers(({ skip }, number) => {
      if (number === 2) list.unshift(user(0))
      return list.slice(skip, skip + 2)
    })
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(['0', '1', '2', '3', '4'])
    expect(reading).toMatchObject({ certified: true, endProof: 'overlap' })
  })
})

describe('next links', () => {
  const link = (path: string, skip: number, top: number) => `${path.split('?')[0]}?$skip=${skip}&$top=${top}`

  test('are followed to the last, and their pages overlap too', async () => {
    const read = await readSample(users(5), { pageCap: 3, envelope: 'value' })
    expect(read.ids).toEqual(idsOf(users(5)))
    expect(read.pages).toEqual([
      [0, 1000],
      [2, 998],
    ])
    expect(read.reading).toMatchObject({ certified: true, endProof: 'last link', requests: 2 })
  })

  test('that lead on from an element are followed as they are', async () => {
    const { url, requests } = await serveUsers(({ path }) => {
      const after = Number(new URL(path, 'http://a.example').searchParams.get('$skiptoken') ?? 0)
      const value = users(5).slice(after, after + 2)
      return after + 2 < 5 ? { value, '@odata.nextLink': `Users?$skiptoken=${after + 2}` } : { value }
    })
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(users(5)))
    expect(reading).toMatchObject({ certified: true, endProof: 'last link' })
    expect(requests.slice(1).map((path) => path.split('?')[1])).toEqual(['$skiptoken=2', '$skiptoken=4'])
  })

  test('whose page does not begin with the last element read: the source moved', async () => {
    const list = users(7)
    const { url } = await serveUsers(({ skip, path }, number) => {
      if (number === 2) list.splice(0, 1)
      const value = list.slice(skip, skip + 3)
      return skip + 3 < list.length ? { value, '@odata.nextLink': link(path, skip + 3, 997) } : { value }
    })
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(list))
    expect(reading).toMatchObject({ certified: true, endProof: 'last link', requests: 3 })
  })

  test('that end at $top prove nothing: the next pages are asked for', async () => {
    const read = await readSample(users(2500), { pageCap: 300, envelope: 'value' })
    expect(read.ids).toEqual(idsOf(users(2500)))
    expect(read.pages.filter(([, top]) => top === 1000)).toEqual([
      [0, 1000],
      [999, 1000],
      [1998, 1000],
    ])
    expect(read.reading).toMatchObject({ certified: true, endProof: 'last link' })
  })

  test.each([1000, 1999])('of a resource that ends with a chain: %d elements', async (count) => {
    const read = await readSample(users(count), { pageCap: 100, envelope: 'value' })
    expect(read.ids).toEqual(idsOf(users(count)))
    expect(read.reading).toMatchObject({ certified: true, endProof: 'overlap' })
  })

  test('may lead further than $top', async () => {
    const { url } = await serveUsers(({ skip, path }) => {
      const value = users(2500).slice(skip, skip + 700)
      return skip + 700 < 2500 ? { value, 'odata.nextLink': link(path, skip + 700, 1000) } : { value }
    })
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(users(2500)))
    expect(reading).toMatchObject({ certified: true, endProof: 'overlap' })
  })

  test('a page without elements is no end while it has a link', async () => {
    const { url } = await serveUsers(({ path }, number) =>
      number < 3 ? { value: [], '@odata.nextLink': link(path, number * 10, 1000) } : { value: users(2) },
    )
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(['1', '2'])
    expect(reading).toMatchObject({ certified: true, requests: 3 })
  })

  test.each([null, '', 7, {}, []])('%j is no link', async (nextLink) => {
    const { url } = await serveUsers(({ skip }) => ({
      value: users(2).slice(skip),
      '@odata.nextLink': nextLink,
    }))
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(['1', '2'])
    expect(reading).toMatchObject({ certified: true, endProof: 'overlap' })
  })

  test.each([
    ['another host', 'http://127.0.0.2:1/api/v1/4242/Users?$skip=2'],
    ['another scheme', 'https://127.0.0.1/api/v1/4242/Users?$skip=2'],
    ['another port', '//127.0.0.1:1/api/v1/4242/Users?$skip=2'],
    ['another resource', '/api/v1/4242/Sessions?$skip=2'],
    ['another event', '/api/v1/4243/Users?$skip=2'],
    ['a path that climbs', 'Users/../../4243/Users'],
    ['no address', 'http://['],
    ['a file', 'file:///etc/passwd'],
  ])('that lead to %s are refused', async (_, nextLink) => {
    const { url, requests } = await serveUsers(() => ({ value: users(2), '@odata.nextLink': nextLink }))
    const error = await failureOf(readFrom(url))
    expect(error).toBeInstanceOf(ReadError)
    expect(error.message).toBe('users, page 1: the next link leads to another resource or another host')
    expect(requests).toHaveLength(1)
  })

  test('with a user name are refused', async () => {
    const server = await serveUsers(() => ({
      value: users(2),
      '@odata.nextLink': `${server.url.replace('//', '//ada:secret@')}/api/v1/4242/Users?$skip=2`,
    }))
    const error = await failureOf(readFrom(server.url))
    expect(error.message).toMatch(/another resource or another host/)
    expect(error.message).not.toContain('secret')
  })

  test.each([
    ['to its own page', (path: string) => path],
    ['round and round', (path: string) => `Users?$skiptoken=${path.includes('token=1') ? 2 : 1}`],
  ])('that lead %s are a failed read', async (_, next) => {
    const { url, requests } = await serveUsers(({ path }, number) => ({
      value: [user(number)],
      '@odata.nextLink': next(path),
    }))
    const error = await failureOf(readFrom(url))
    expect(error.message).toMatch(/the next link leads to a page that was read before$/)
    expect(requests.length).toBeLessThan(5)
  })
})

describe('a source that moves while it is read', () => {
  test.each(['delete', 'insert'] as const)('%s at every place between any two pages', async (change) => {
    for (let place = 0; place <= 5; place += 1) {
      if (change === 'delete' && place === 5) continue
      for (let request = 2; request <= 5; request += 1) {
        const list = users(5)
        const server = await serveUsers(({ skip, top }, number) => {
          if (number === request)
            list.splice(place, change === 'delete' ? 1 : 0, ...(change === 'delete' ? [] : [user(`new`)]))
          return list.slice(skip, skip + Math.min(top, 2))
        })
        const { reading, ids } = await readFrom(server.url)
        expect(ids, `${change} at ${place} before request ${request}`).toEqual(idsOf(list))
        expect(reading.certified).toBe(true)
      }
    }
  })

  test('is read again from its start, and the message of a later failure counts the pages anew', async () => {
    const server = await serve((request, response, number) => {
      const skip = Number(new URL(request.url ?? '', 'http://a.example').searchParams.get('$skip'))
      if (number === 2) sendJson(response, [])
      else if (number === 5) sendJson(response, { Message: 'no more' })
      else sendJson(response, users(9).slice(skip, skip + 3))
    })
    open.push(server)
    const error = await failureOf(readFrom(server.url))
    expect(error.message).toBe('users, page 3: an object where an array is due: "Message"')
    expect(server.requests).toHaveLength(5)
  })

  test.each<[string, (list: User[]) => void, string]>([
    [
      'grows in front',
      (list) => list.unshift(user(`new ${list.length}`)),
      'a page does not begin with the last element of the page before',
    ],
    ['shrinks to what was skipped', (list) => list.splice(0, 1), 'the last element read is gone'],
  ])('three times is not certified: it %s', async (_, change, detail) => {
    let list = users(4)
    const { url } = await serveUsers(({ skip }) => {
      if (skip === 0) list = users(4)
      else change(list)
      return list.slice(skip, skip + 4)
    })
    const { reading, ids } = await readFrom(url)
    expect(reading).toMatchObject({
      certified: false,
      endProof: 'none',
      detail: `the source moved in each of 3 readings: ${detail}`,
      totals: { elements: 4 },
    })
    expect(ids).toEqual(['1', '2', '3', '4'])
  })

  test('twice and then stands still is certified', async () => {
    let starts = 0
    const { url } = await serveUsers(({ skip }) => {
      if (skip === 0) starts += 1
      const list = users(3 + starts)
      if (skip !== 0 && starts < 3) list.unshift(user('new'))
      return list.slice(skip, skip + 3)
    })
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(users(6)))
    expect(reading).toMatchObject({ certified: true, totals: { elements: 6 } })
    expect(starts).toBe(3)
  })
})

describe('a page that fails in the middle is read again whole', () => {
  // Large enough that rows of a failed try have reached the database before it fails.
  const large = Array.from({ length: 90 }, (_, index) => ({ Id: index + 1, Biography: 'x'.repeat(5000) }))

  const faults: readonly [string, (response: ServerResponse, text: string) => void][] = [
    [
      'the connection ends',
      (response, text) => {
        response.writeHead(200)
        response.write(text.slice(0, text.length - 3000), () => response.destroy())
      },
    ],
    ['the JSON ends early', (response, text) => response.end(text.slice(0, text.length - 3000))],
    ['the JSON goes on after its end', (response, text) => response.end(`${text},`)],
    [
      'the JSON breaks',
      (response, text) =>
        response.end(`${text.slice(0, text.length - 3000)}\n${text.slice(text.length - 3000)}`),
    ],
    [
      'it answers 503',
      (response) => {
        response.writeHead(503, { 'Retry-After': '7' })
        response.end('<html>')
      },
    ],
    ['it answers HTML', (response) => response.end('<html>')],
    ['it answers nothing', (response) => response.end()],
  ]

  test.each(faults)('%s', async (_, fail) => {
    for (const failing of [1, 2, 3]) {
      let requests = 0
      const server = await serve((request, response) => {
        requests += 1
        const skip = Number(new URL(request.url ?? '', 'http://a.example').searchParams.get('$skip'))
        const text = JSON.stringify(large.slice(skip, skip + 45))
        if (requests === failing || requests === failing + 1) fail(response, text)
        else response.end(text)
      })
      open.push(server)
      const environment = testEnvironment()
      const { reading, ids } = await readFrom(server.url, { environment })
      expect(ids).toEqual(idsOf(large))
      expect(reading).toMatchObject({ certified: true, totals: { elements: 90, faults: 0 } })
      expect(environment.sleeps).toHaveLength(2)
    }
  })

  test('what the failed tries had read is in no total', async () => {
    const whole = await readSample(large, { pageCap: 45 })
    let requests = 0
    const server = await serve((request, response) => {
      requests += 1
      const skip = Number(new URL(request.url ?? '', 'http://a.example').searchParams.get('$skip'))
      const text = JSON.stringify(large.slice(skip, skip + 45))
      response.end(requests % 2 === 1 ? text.slice(0, -100) : text)
    })
    open.push(server)
    const { reading } = await readFrom(server.url)
    expect(reading.totals).toEqual(whole.reading.totals)
  })

  test('that never succeeds fails the run, naming the page and the cause', async () => {
    const server = await serve((request, response) => {
      const skip = Number(new URL(request.url ?? '', 'http://a.example').searchParams.get('$skip'))
      if (skip === 0) sendJson(response, users(3))
      else response.end('[{"Id":3},')
    })
    open.push(server)
    const error = await failureOf(readFrom(server.url))
    expect(error).toBeInstanceOf(ReadError)
    expect(error.message).toBe('users, page 2: the answer is not JSON; gave up after 8 tries')
    expect(server.requests).toHaveLength(9)
  })
})

test.each<[string, (response: ServerResponse) => void, string]>([
  [
    'an error with status 200',
    (response) => sendJson(response, { Message: 'x' }),
    'an object where an array is due: "Message"',
  ],
  [
    'a redirect',
    (response) => sendJson(response, '', 302, { Location: 'http://127.0.0.1:1/' }),
    'answered 302: a redirect is followed three times at most, and only below source.url; check source.url',
  ],
  [
    'a refusal',
    (response) => sendJson(response, '', 403),
    'answered 403: check that the account (Source A: the Anonymous role) may read this',
  ],
  [
    'no such event',
    (response) => sendJson(response, '', 404),
    'answered 404: check source.url, source.version and source.eventId',
  ],
  [
    'a demand for credentials',
    (response) => sendJson(response, '', 401),
    'answered 401: check the credentials in the configuration',
  ],
])('%s fails at once', async (_, answer, message) => {
  const server = await serve((_request, response) => answer(response))
  open.push(server)
  const error = await failureOf(readFrom(server.url))
  expect(error).toBeInstanceOf(ReadError)
  expect(error.message).toBe(`users, page 1: ${message}`)
  expect(server.requests).toHaveLength(1)
})
