import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type SampleSourceAOptions, startSampleSourceA } from '../../../harness/sample-source/a.ts'
import { readAttendees } from '../../extract/read-in-memory.ts'
import { failedRead } from '../../extract/requests.ts'
import {
  failureOf,
  NOTHING_OF_A,
  sendJson,
  sourceA,
  testEnvironment,
  user,
  users,
} from '../../extract/support.ts'
import { useServers } from '../../extract/use-servers.ts'

const { start, closing } = useServers()

type User = ReturnType<typeof user>
const idsOf = (list: readonly User[]) => list.map(({ Id }) => String(Id))
const readFrom = (url: string, options?: Parameters<typeof readAttendees>[1]) =>
  readAttendees(sourceA(url), options)

async function readSample(list: readonly User[], options: SampleSourceAOptions = {}) {
  const source = closing(await startSampleSourceA({ ...NOTHING_OF_A, Users: list }, options))
  const read = await readFrom(source.url)
  const pages = source.requests.map(({ path }) => {
    const query = queryOf(path)
    return [Number(query.get('$skip')), Number(query.get('$top'))]
  })
  return { ...read, pages, skips: pages.map(([skip]) => skip) }
}

const queryOf = (path = '') => new URL(path, 'http://a.example').searchParams
const skipOf = ({ url }: IncomingMessage) => Number(queryOf(url).get('$skip'))

/**
 * Starts a server whose answers the function `page` computes from the query and the number of the request.
 */
const serveUsers = (
  page: (query: { readonly skip: number; readonly path: string }, number: number) => unknown,
) =>
  start((request, response, number) => {
    sendJson(response, page({ skip: skipOf(request), path: request.url ?? '' }, number))
  })

test('a request names the event, $expand, $orderby and its page, and contains no credentials [spec 4 p2, spec 5.1.1, spec 9.1, R9, R11]', async () => {
  const sent: (readonly (string | undefined)[])[] = []
  const server = await start((request, response) => {
    sent.push([request.headers.authorization, request.headers.cookie])
    sendJson(response, [])
  })
  await readAttendees(sourceA(server.url, { version: 'v 3', eventId: '4242' }))
  expect(sent).toEqual([[undefined, undefined]])
  const url = new URL(server.requests[0] ?? '', server.url)
  expect(url.pathname).toBe('/api/v%203/4242/Users')
  expect(Object.fromEntries(url.searchParams)).toEqual({
    $expand: 'SpeakingAt',
    $orderby: 'Id',
    $top: '1000',
    $skip: '0',
  })
})

test.each([
  ...[
    '../admin',
    'x/../../admin',
    './x',
    '//other.example/x',
    'https://other.example/x',
    '..\\admin',
    '?x=1',
  ],
  ...[
    'x?$top=1&$skip=5',
    'x;y=1',
    'x#?y',
    '%2e%2e%2fadmin',
    '%zz',
    '...',
    '.. ',
    ' ..',
    ':8080',
    '\uff0e\uff0e',
  ],
])('an event or a version with the name %j is one segment of the request path', async (name) => {
  const server = await start((_, response) => sendJson(response, []))
  await readAttendees(sourceA(`${server.url}/base`, { version: name, eventId: name }))
  const [path = '', query = ''] = server.requests[0]?.split('?') ?? []
  expect(path.split('/').map(decodeURIComponent)).toEqual(['', 'base', 'api', name, name, 'Users'])
  expect([...new URLSearchParams(query).keys()]).toEqual(['$expand', '$orderby', '$top', '$skip'])
})

describe('pages overlap by one element', () => {
  // The expected values were computed by hand. Each page begins with the last element of the page before. The
  // last page contains only the last element of the page before.
  test.each<[string, number, number, readonly number[], string]>([
    ['an empty resource', 0, 1000, [0], 'empty page'],
    ['one element, followed by an empty page', 1, 1000, [0, 1], 'empty page'],
    ['two elements', 2, 1000, [0, 1], 'overlap'],
    ['a largest page size below $top', 5, 3, [0, 2, 4], 'overlap'],
    ['a largest page size of two', 5, 2, [0, 1, 2, 3, 4], 'overlap'],
    ['an exact multiple of the largest page size [R9]', 6, 3, [0, 2, 4, 5], 'overlap'],
    ['one page of exactly the largest size [R9]', 3, 3, [0, 2], 'overlap'],
    ['1000 elements', 1000, 1000, [0, 999], 'overlap'],
    ['1999 elements: two full pages', 1999, 1000, [0, 999, 1998], 'overlap'],
    ['no largest page size except $top', 1500, Number.POSITIVE_INFINITY, [0, 999, 1499], 'overlap'],
  ])('%s', async (_, count, pageCap, skips, endProof) => {
    const read = await readSample(users(count), { pageCap })
    expect(read.ids).toEqual(idsOf(users(count)))
    expect(read.skips).toEqual(skips)
    const requests = skips.length
    expect(read.reading).toMatchObject({ certified: true, endProof, declared: null, requests, detail: '' })
  })

  test('if several records have the same id at the border of two pages, each record is read once', async () => {
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

  test('pages overlap by one element even if this element cannot be read', async () => {
    const list = [{ Id: 1 }, { Name: 'x' }, { Name: 'y' }, null, 7, { Id: 2 }] as unknown as User[]
    for (const pageCap of [2, 3]) {
      const read = await readSample(list, { pageCap })
      expect(read.ids).toEqual(['1', null, null, null, null, '2'])
      expect(read.reading).toMatchObject({ certified: true, totals: { elements: 6, faults: 4 } })
    }
  })

  test('if records of an earlier page come again after the shared record, the reading is not certified [R9, R78]', async () => {
    const pages = new Map([
      [0, [1, 2, 3]],
      [2, [3, 1, 2]],
      [4, [2]],
    ])
    const { url } = await serveUsers(({ skip }) => (pages.get(skip) ?? []).map(user))
    expect((await readFrom(url)).reading).toMatchObject({
      certified: false,
      detail: expect.stringContaining('2 records came again on a later page'),
    })
  })

  test('pages of one record cannot overlap, so the reading is not certified', async () => {
    const read = await readSample(users(3), { pageCap: 1 })
    expect(read.reading).toMatchObject({ certified: false, endProof: 'none' })
  })
})

describe('a source that ignores $skip', () => {
  const isDescending = (path: string) => queryOf(path).get('$orderby') === 'Id desc'
  const ordering = (list: readonly User[], cap = list.length) =>
    serveUsers(({ path }) => (isDescending(path) ? list.toReversed() : list).slice(0, cap))

  test.each([1, 2, 1000, 1500])(
    'a source that ignores $skip is certified with %d elements if it returns the same elements in another order [R9]',
    async (count) => {
      const { url, requests } = await ordering(users(count))
      const { reading, ids } = await readFrom(url)
      expect(ids).toEqual(idsOf(users(count)))
      expect(reading).toMatchObject({
        certified: true,
        endProof: 'unpaged array',
        requests: count === 1 ? 3 : 2,
      })
      expect(requests.filter(isDescending)).toHaveLength(1)
    },
  )

  const IGNORED = 'the source ignores $skip, so its 40 records may be incomplete'
  const CUT = `${IGNORED}, and another order returns different ones: check whether the source, or a proxy before it, cuts its answers short`
  test.each<[string, Parameters<typeof serveUsers>[0], unknown]>([
    [
      'every answer is the same, for example from a cache of the first page',
      () => users(40),
      `${IGNORED}, and it ignores $orderby too: check whether a cache or proxy answers instead of the source and ignores the query`,
    ],
    [
      'its answers are cut',
      ({ path }) => (isDescending(path) ? users(300).toReversed() : users(300)).slice(0, 40),
      CUT,
    ],
    [
      'it returns more the second time',
      ({ path }) => (isDescending(path) ? users(41).toReversed() : users(40)),
      CUT,
    ],
    [
      'it followed $skip on an earlier page',
      ({ skip, path }) => {
        const list = isDescending(path) ? users(9).toReversed() : users(9)
        return skip === 2 ? list.slice(2, 5) : list.slice(0, 3)
      },
      expect.any(String),
    ],
  ])('is not certified if %s', async (_, page, detail) => {
    const { url } = await serveUsers(page)
    expect((await readFrom(url)).reading).toMatchObject({ certified: false, endProof: 'none', detail })
  })

  test.each([
    [[7, 1, 7], 'none'],
    [[7, 1, 2, 7], 'unpaged array'],
    [[7, 7, 1], 'unpaged array'],
    [[7, 7], 'unpaged array'],
  ])(
    'a source that ignores $skip and repeats ids, %j, is certified only if the other order is visible: %s',
    async (ids, endProof) => {
      const { url } = await ordering(ids.map(user))
      const read = await readFrom(url)
      expect(read.ids).toEqual(ids.map(String))
      expect(read.reading.endProof).toBe(endProof)
    },
  )

  test('a source that ignores $skip is distinguished from a source that gets new elements at its start during the reading', async () => {
    const list: User[] = users(4)
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

  test('next links are followed to the last page, and their pages overlap too', async () => {
    const read = await readSample(users(5), { pageCap: 3, envelope: 'value' })
    expect(read.ids).toEqual(idsOf(users(5)))
    expect(read.pages).toEqual([
      [0, 1000],
      [2, 998],
    ])
    expect(read.reading).toMatchObject({ certified: true, endProof: 'last link', requests: 2 })
  })

  test.each(['@odata.nextLink', 'odata.nextLink'])(
    'next links that continue after a given element are followed unchanged: %s',
    async (key) => {
      const { url, requests } = await serveUsers(({ path }) => {
        const after = Number(queryOf(path).get('$skiptoken') ?? 0)
        const value = users(5).slice(after, after + 2)
        return after + 2 < 5 ? { value, [key]: `Users?$skiptoken=${after + 2}` } : { value }
      })
      const { reading, ids, addresses } = await readFrom(url)
      expect(ids).toEqual(idsOf(users(5)))
      expect(reading).toMatchObject({ certified: true, endProof: 'last link' })
      expect(requests.slice(1).map((path) => path.split('?')[1])).toEqual(['$skiptoken=2', '$skiptoken=4'])
      // The token of a link may contain personal data, so it is not recorded.
      const queries = addresses.slice(1).map((address) => address.split('?')[1])
      expect(queries).toEqual(['$skiptoken=omitted', '$skiptoken=omitted'])
    },
  )

  test('if a page after a next link does not begin with the last element read, the source is read a second time', async () => {
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

  test('next links that end at $top do not prove the end of the list, so the next pages are requested', async () => {
    const read = await readSample(users(2500), { pageCap: 300, envelope: 'value' })
    expect(read.ids).toEqual(idsOf(users(2500)))
    expect(read.pages.filter(([, top]) => top === 1000)).toEqual([
      [0, 1000],
      [999, 1000],
      [1998, 1000],
    ])
    expect(read.reading).toMatchObject({ certified: true, endProof: 'last link' })
  })

  test('next links may lead beyond $top, and then one more page proves the end of the list [R1]', async () => {
    const { url } = await serveUsers(({ skip, path }) => {
      const value = users(2500).slice(skip, skip + 700)
      return skip + 700 < 2500 ? { value, 'odata.nextLink': link(path, skip + 700, 1000) } : { value }
    })
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(users(2500)))
    expect(reading).toMatchObject({ certified: true, endProof: 'overlap' })
  })

  test('a page without elements is not the last page if it has a next link', async () => {
    const { url } = await serveUsers(({ path }, number) =>
      number < 3 ? { value: [], '@odata.nextLink': link(path, number * 10, 1000) } : { value: users(2) },
    )
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(['1', '2'])
    expect(reading).toMatchObject({ certified: true, requests: 3 })
  })

  test.each([null, '', 7, {}, []])('the value %j is not a next link', async (nextLink) => {
    const { url } = await serveUsers(({ skip }) => ({
      value: users(2).slice(skip),
      '@odata.nextLink': nextLink,
    }))
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(['1', '2'])
    expect(reading).toMatchObject({ certified: true, endProof: 'overlap' })
  })

  test.each([
    'https://127.0.0.1:1/api/v1/4242/Users',
    'http://internal.example/api/v1/4242/Users',
    '/API/V1/4242/users',
  ])(
    'next links with another scheme, port, host or case are read at source.url: %s [R1]',
    async (address) => {
      const { url, requests } = await serveUsers(({ path }) => {
        const after = Number(queryOf(path).get('$skiptoken') ?? 0)
        const value = users(5).slice(after, after + 2)
        return after + 2 < 5 ? { value, '@odata.nextLink': `${address}?$skiptoken=${after + 2}` } : { value }
      })
      const { reading, ids } = await readFrom(url)
      expect(ids).toEqual(idsOf(users(5)))
      expect(reading).toMatchObject({ certified: true, endProof: 'last link' })
      expect(requests.slice(1)).toEqual([
        '/api/v1/4242/Users?$skiptoken=2',
        '/api/v1/4242/Users?$skiptoken=4',
      ])
    },
  )

  // test/pipeline/sources/contract/next-link.test.ts tests more links of this kind.
  test.each([
    ['http://internal.example/other/Users?$skip=2&name=Ada', 'http://internal.example/other/Users'],
    ['http://u:p@127.0.0.2:1/api/v1/4242/Users', 'http://127.0.0.2:1/api/v1/4242/Users'],
    ['http://[', 'no whole address'],
  ])(
    'next links that lead to another resource, or have no valid address, are refused: %s [R1]',
    async (nextLink, shown) => {
      const { url, requests } = await serveUsers(() => ({ value: users(2), '@odata.nextLink': nextLink }))
      const error = await failedRead(readFrom(url))
      expect(error.message).toBe(
        `users, page 1: the next link leads to another resource or another host (${shown}): report it to the people who run the source`,
      )
      expect(requests).toHaveLength(1)
    },
  )

  test.each<[string, (path: string, number: number) => unknown, RegExp, number]>([
    [
      'to their own page',
      (path, number) => ({ value: [user(number)], '@odata.nextLink': path }),
      /the next link leads to a page that was read before: report it to the people who run the source$/,
      1,
    ],
    [
      'in a circle',
      (path, number) => ({
        value: [user(number)],
        '@odata.nextLink': `Users?$skiptoken=${path.includes('token=1') ? 2 : 1}`,
      }),
      /the next link leads to a page that was read before: report it to the people who run the source$/,
      3,
    ],
    [
      'to more than 100 pages without elements',
      (_, number) => ({ value: [], '@odata.nextLink': `Users?$skiptoken=${number}` }),
      /: next links led to more than 100 pages without a record: report it to the people who run the source$/,
      102,
    ],
  ])('that lead %s fail the read', async (_, page, message, count) => {
    const { url, requests } = await serveUsers(({ path }, number) => page(path, number))
    expect((await failedRead(readFrom(url))).message).toMatch(message)
    expect(requests).toHaveLength(count)
  })
})

describe('a source that refuses $top=1000 with 400 [R9]', () => {
  const topOf = (path: string) => Number(queryOf(path).get('$top'))
  const refusing = (most: number, list: readonly User[]) =>
    start((request, response) => {
      const top = topOf(request.url ?? '')
      if (top > most) sendJson(response, { error: { message: `at most ${most}` } }, 400)
      else sendJson(response, list.slice(skipOf(request), skipOf(request) + top))
    })

  test.each([
    [500, [1000, 500, 500, 500]],
    [250, [1000, 500, 250, 250, 250, 250]],
    [100, [1000, 500, 250, 100, 100, 100, 100, 100, 100, 100, 100]],
  ])('a source that refuses $top=1000 but accepts %d is read in pages of this size', async (most, tops) => {
    const { url, requests } = await refusing(most, users(600))
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(users(600)))
    expect(reading).toMatchObject({ certified: true, endProof: 'overlap' })
    expect(requests.map(topOf)).toEqual(tops)
  })

  test('a source that refuses $top=1000 but returns next links for pages of 100 is read by these links', async () => {
    const { url } = await start((request, response) => {
      const query = queryOf(request.url)
      if (Number(query.get('$top') ?? 0) > 100) return sendJson(response, {}, 400)
      const skip = Number(query.get('$skip'))
      const value = users(250).slice(skip, skip + Number(query.get('$top') ?? 100))
      const next = skip + value.length
      const more = next < 250 ? { '@odata.nextLink': `Users?$top=100&$skip=${next}` } : {}
      sendJson(response, { value, ...more })
    })
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(users(250)))
    expect(reading.certified).toBe(true)
  })

  test('if a source refuses $top=1000 and every smaller size, the read fails, and the message leaves the cause open', async () => {
    const { url, requests } = await refusing(0, users(3))
    const error = await failedRead(readFrom(url))
    expect(error.message).toBe(
      'users, page 1: answered 400: check source.eventId, source.version and source.fields; smaller pages were refused too',
    )
    expect(requests.map(topOf)).toEqual([1000, 500, 250, 100, 50])
  })
})

describe('a source that declares more than it returns is not certified [R9]', () => {
  const HINT = 'check whether the source, or a proxy before it, leaves records out'
  const all = users(6)
  const page = (path: string) => all.slice(Number(queryOf(path).get('$skip')))
  const linked = (path: string) => {
    const after = Number(queryOf(path).get('$skiptoken') ?? 0)
    const link = after < 4 ? { '@odata.nextLink': `Users?$skiptoken=${after + 2}` } : {}
    return { value: all.slice(after, after + 2), ...link }
  }

  test.each<[string, (path: string) => object, Record<string, string>, string]>([
    [
      'a count beside links',
      (path) => ({ ...linked(path), '@odata.count': 9 }),
      {},
      'the source declares 9 records, but gave 6',
    ],
    [
      'a count on the first page alone',
      (path) => ({ ...linked(path), ...(path.includes('skiptoken') ? {} : { 'odata.count': '7' }) }),
      {},
      'the source declares 7 records, but gave 6',
    ],
    [
      'a count beside pages',
      (path) => ({ value: page(path), count: 8 }),
      {},
      'the source declares 8 records, but gave 6',
    ],
    ['a header', page, { 'X-Total-Count': '8' }, 'the source declares 8 records, but gave 6'],
    ['pages in a header', page, { 'X-WP-TotalPages': '3' }, 'the source declares 3 pages, but gave 2'],
    [
      'a link in a header',
      page,
      { Link: '<https://a.example/Users?page=2&name=Ada>; rel="last next"' },
      'the last answer says that there are more records (Link: rel=next, https://a.example/Users)',
    ],
    [
      'a flag',
      (path) => ({ value: page(path), hasMore: true }),
      {},
      'the last answer says that there are more records (hasMore)',
    ],
  ])('%s', async (_, answer, headers, detail) => {
    const { url } = await start((request, response) =>
      sendJson(response, answer(request.url ?? ''), 200, headers),
    )
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(all))
    expect(reading).toMatchObject({ certified: false, endProof: 'none', detail: `${detail}: ${HINT}` })
  })

  test('a declared count that is smaller than the number of records is ignored', async () => {
    const { url } = await serveUsers(({ path }) => ({
      value: page(path),
      count: 1,
      total: 6,
      hasMore: false,
    }))
    expect((await readFrom(url)).reading).toMatchObject({ certified: true, endProof: 'overlap' })
  })

  test('if the declared count changes during the reading, the source is read again', async () => {
    const { url } = await serveUsers(({ path }, number) => ({ ...linked(path), count: number === 1 ? 7 : 6 }))
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(all))
    expect(reading).toMatchObject({ certified: true, requests: 3, attempts: 6 })
  })

  test('an answer that reports an error beside its list fails the read [R2]', async () => {
    const { url, requests } = await serveUsers(({ path }) => ({
      value: page(path),
      errors: [{ message: 'ada@example.com' }],
    }))
    expect((await failedRead(readFrom(url))).message).toBe(
      'users, page 1: the answer says that it failed: it has "errors" beside its list: try again later; if it persists, ask the people who run the source',
    )
    expect(requests).toHaveLength(1)
  })
})

// test/proofs/faults/drift.long.test.ts tests a change of the source at every position and before every
// request.
describe('a source that changes during the reading', () => {
  test('a source that changes during the reading is read again, and the message of a later failure counts pages from 1 again', async () => {
    const server = await serveUsers(({ skip }, number) => {
      if (number === 2) return []
      return number === 5 ? { Message: 'no more' } : users(9).slice(skip, skip + 3)
    })
    const error = await failureOf(readFrom(server.url))
    expect(error.message).toBe(
      'users, page 3: an object where an array is due: "Message": check that source.url is the address of the API and not a web page, then check source.eventId',
    )
    expect(server.requests).toHaveLength(5)
  })

  test.each<[string, (list: User[]) => void, string]>([
    [
      'gets new elements at its start',
      (list) => list.unshift(user(`new ${list.length}`)),
      'a page does not begin with the last element of the page before',
    ],
    [
      'loses elements until nothing follows the skipped ones',
      (list) => list.splice(0, 1),
      'the last element read is gone',
    ],
  ])('in each of three readings is not certified: it %s', async (_, change, detail) => {
    let list: User[] = users(4)
    const { url } = await serveUsers(({ skip }) => {
      if (skip === 0) list = users(4)
      else change(list)
      return list.slice(skip, skip + 4)
    })
    const { reading, ids } = await readFrom(url)
    expect(reading).toMatchObject({
      certified: false,
      endProof: 'none',
      detail: `the source changed during each of 3 readings: ${detail}`,
      totals: { elements: 4 },
    })
    expect(ids).toEqual(['1', '2', '3', '4'])
  })
})

// test/pipeline/extract/extract.database.test.ts tests what remains in the database after a failed try.
describe('a page that fails in the middle is read again completely', () => {
  test.each<[string, (response: ServerResponse, text: string) => void]>([
    ['the connection ends', (response, text) => response.write(text.slice(0, -30), () => response.destroy())],
    ['the JSON ends early', (response, text) => response.end(text.slice(0, -30))],
    ['it answers 503', (response) => response.writeHead(503, { 'Retry-After': '7' }).end('<html>')],
  ])('%s', async (_, fail) => {
    for (const failing of [1, 2, 3]) {
      const server = await start((request, response, number) => {
        const skip = skipOf(request)
        const text = JSON.stringify(users(90).slice(skip, skip + 45))
        if (number === failing || number === failing + 1) fail(response, text)
        else response.end(text)
      })
      const environment = testEnvironment()
      const { reading, ids } = await readFrom(server.url, { environment })
      expect(ids).toEqual(idsOf(users(90)))
      expect(reading).toMatchObject({ certified: true, totals: { elements: 90, faults: 0 } })
      expect(environment.sleeps).toHaveLength(2)
    }
  })

  test('a page that never succeeds fails the run, and the message names the page and the cause', async () => {
    const server = await start((request, response) => {
      if (skipOf(request) === 0) sendJson(response, users(3))
      else response.end('[{"Id":3},')
    })
    const error = await failedRead(readFrom(server.url))
    expect(error.message).toBe(
      'users, page 2: the answer was cut: it ends within its JSON; waiting longer would exceed http.retryBudgetSeconds (300): check whether a proxy or a time limit cuts answers',
    )
    // The first waits double from 0.25 s to 8 s, and take 15.75 s together. After the first waits, 18 waits
    // of 15 s are still within the allowed 300 s.
    expect(server.requests).toHaveLength(1 + 25)
  })
})

test('a refused request fails at once, and the message names the page [spec 1.5, spec 5.1.1]', async () => {
  const server = await start((_request, response) => sendJson(response, '', 403))
  const error = await failedRead(readFrom(server.url))
  expect(error.message).toMatch(/^users, page 1: answered 403: check that the account/)
  expect(server.requests).toHaveLength(1)
})
