import { describe, expect, test } from 'vitest'
import { type SampleSourceBOptions, startSampleSourceB } from '../../../harness/sample-source/b.ts'
import { readAttendees } from '../../extract/read-in-memory.ts'
import { failedRead } from '../../extract/requests.ts'
import { NOTHING_OF_B, registrants, sendJson, sourceB, testEnvironment } from '../../extract/support.ts'
import { useServers } from '../../extract/use-servers.ts'

const { start, closing } = useServers()

const idsOf = (list: readonly { readonly id: number }[]) => list.map(({ id }) => String(id))
const readFrom = (url: string, options?: Parameters<typeof readAttendees>[1]) =>
  readAttendees(sourceB(url), options)

async function readSample(count: number, options: SampleSourceBOptions = {}) {
  const environment = testEnvironment()
  const source = closing(
    await startSampleSourceB(
      { ...NOTHING_OF_B, registrants: registrants(count) },
      { now: environment.now, ...options },
    ),
  )
  const read = await readFrom(source.url, { environment, http: { retryBudgetSeconds: 700 } })
  const pages = source.requests
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => Number(new URL(path, source.url).searchParams.get('page')))
  return { ...read, environment, pages }
}

/** Gives a token to everybody and answers pages with what `page` gives. */
function servePages(page: (number: number, request: number) => unknown, headers = {}, failures = 0) {
  let requests = 0
  return start((request, response) => {
    if (request.method === 'POST') {
      sendJson(response, { access_token: 't', type: 'bearer', expires_at: '2099-01-01 00:00:00' })
      return
    }
    requests += 1
    const number = Number(new URL(request.url ?? '', 'http://b.example').searchParams.get('page'))
    sendJson(response, page(number, requests), requests > failures ? 200 : 500, headers)
  })
}

const pageOf = (list: readonly unknown[], number: number, perPage: number, meta: object = {}) => ({
  items: list.slice((number - 1) * perPage, number * perPage),
  _meta: { totalCount: list.length, currentPage: number, perPage, ...meta },
})

test('the name of an event, or of a field, stays one value of the query', async () => {
  const { url, requests } = await servePages((page) => pageOf([], page, 2))
  const [eventId, email] = ['x&event_id=78#/../?a=1', 'x&event_id=79#']
  await readAttendees(sourceB(url, { eventId, fields: { email } }))
  const asked = new URL(requests.at(-1) ?? '', url)
  expect(asked.pathname).toBe('/api/v1/registrants.json')
  expect(asked.searchParams.getAll('event_id')).toEqual([eventId])
  expect(asked.searchParams.get('fields')).toContain(`,${email},`)
})

describe('pages are read until the declared total is met', () => {
  test.each<[string, number, number, readonly number[]]>([
    ['no records', 0, 200, [1]],
    ['one record', 1, 200, [1]],
    ['a full page', 1000, 1000, [1]],
    ['a record more', 201, 200, [1, 2]],
    ['an exact multiple of a smaller page', 9, 3, [1, 2, 3]],
    ['a page of one', 3, 1, [1, 2, 3]],
  ])('%s', async (_, count, pageCap, pages) => {
    for (const itemsAs of ['list', 'object'] as const) {
      const read = await readSample(count, { pageCap, itemsAs })
      expect(read.ids).toEqual(idsOf(registrants(count)))
      expect(read.pages).toEqual(pages)
      expect(read.reading).toMatchObject({
        certified: true,
        endProof: 'total met',
        declared: count,
        requests: pages.length,
      })
    }
  })

  test('a bare array is one page', async () => {
    const { url, requests } = await servePages(() => registrants(3))
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(['1', '2', '3'])
    expect(reading).toMatchObject({ certified: true, endProof: 'unpaged array', declared: null })
    expect(requests).toHaveLength(2)
  })

  test('a total and a page may come as text, and the page may be missing', async () => {
    const { url } = await servePages((page) => {
      const { items } = pageOf(registrants(5), page, 2)
      return { items, _meta: page === 1 ? { totalCount: '5', currentPage: '1' } : { totalCount: 5 } }
    })
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(registrants(5)))
    expect(reading).toMatchObject({ certified: true, declared: 5 })
  })

  test('without a total, an empty page is the end', async () => {
    const { url } = await servePages((page) => ({ items: pageOf(registrants(5), page, 2).items }))
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(registrants(5)))
    expect(reading).toMatchObject({ certified: true, endProof: 'empty page', declared: null })
  })

  test.each([null, '', 'many', -1, 2.5, true, [5]])('%j is no total', async (totalCount) => {
    const { url } = await servePages((page) => ({
      items: pageOf(registrants(3), page, 2).items,
      _meta: { totalCount },
    }))
    const { reading } = await readFrom(url)
    expect(reading).toMatchObject({ endProof: 'empty page', declared: null, totals: { elements: 3 } })
  })
})

describe('a page that is not the one that was asked for is not believed', () => {
  test('beyond the last page the last comes again', async () => {
    // It declares more than it gives, as when records vanish: page 3 is page 2 again.
    const { url } = await servePages((page) => ({
      ...pageOf(registrants(4), Math.min(page, 2), 2),
      _meta: { totalCount: 6, currentPage: Math.min(page, 2) },
    }))
    const { reading } = await readFrom(url)
    expect(reading).toMatchObject({
      certified: false,
      endProof: 'none',
      detail: 'the source changed during each of 3 readings: page 2 was returned instead of page 3',
    })
  })

  test.each([
    ['with the total that the repetition meets', { totalCount: 6 }, 4],
    // Page 1 was asked for again after page 2.
    ['without a total', {}, 5],
  ])('the page before again, %s, is a failed read', async (_, _meta, count) => {
    const { url, requests } = await servePages((page) => ({
      ...pageOf(registrants(4), Math.min(page, 2), 2),
      _meta,
    }))
    const error = await failedRead(readFrom(url))
    expect(error.message).toBe(
      'registrants, page 3: the page before was returned again, so the end is unknown: report it to the people who run the source',
    )
    expect(requests).toHaveLength(count)
  })

  test('a source that ignores the page is a failed read', async () => {
    const { url } = await servePages(() => ({ items: registrants(2), _meta: { totalCount: 4 } }))
    const error = await failedRead(readFrom(url))
    expect(error.message).toBe(
      'registrants, page 2: the page before was returned again, so the end is unknown: report it to the people who run the source',
    )
  })
})

describe('a source that moves while it is read', () => {
  test('is read again when the total changes', async () => {
    let list = registrants(5)
    const { url } = await servePages((page, request) => {
      if (request === 2) list = registrants(6)
      return pageOf(list, page, 2)
    })
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(registrants(6)))
    expect(reading).toMatchObject({ certified: true, declared: 6, requests: 3, attempts: 5 })
  })

  test.each<[string, (page: number, request: number) => unknown, string]>([
    [
      'the total changes',
      (page, request) => pageOf(registrants(4 + request), page, 2),
      'the total changed from 9 to 10',
    ],
    [
      'the total goes away',
      (page) => (page === 1 ? pageOf(registrants(4), 1, 2) : { items: registrants(2) }),
      'the total changed from 4 to null',
    ],
    [
      'there are more records than declared',
      (page) => pageOf(registrants(5), page, 3, { totalCount: 4 }),
      '5 records read, but 4 declared',
    ],
    [
      'there are fewer',
      (page) => pageOf(registrants(3), page, 2, { totalCount: 4 }),
      'page 3 is empty after 3 of 4 records',
    ],
    [
      'the first page is larger than the others, whose numbers count from its size',
      (page) => pageOf(registrants(12), page, page === 1 ? 4 : 2, { perPage: undefined }),
      'pages are not all of one size: page 1 has 4 records, page 2 2, page 3 2',
    ],
    [
      'it says itself that its pages have another size',
      // The total is met by records that came twice.
      (page) => pageOf(registrants(9), page, page === 1 ? 6 : 3),
      'the size of pages changed from 6 to 3',
    ],
    [
      'a page on the way is smaller',
      (page) => pageOf(registrants(9), page, page === 2 ? 2 : 3, { perPage: 3 }),
      'pages are not all of one size: page 1 has 3 records, page 2 2, page 3 3',
    ],
    [
      'there are none',
      () => ({ items: [], _meta: { totalCount: 2 } }),
      'page 2 is empty after 0 of 2 records',
    ],
    [
      'without a total, a page is another when it is asked for again',
      (page, request) => ({ items: page === 1 ? registrants(request) : [] }),
      'page 1 changed after it was read',
    ],
    [
      'there are some where none is declared',
      () => ({ items: registrants(1), _meta: { totalCount: 0 } }),
      '1 record read, but 0 declared',
    ],
  ])('three times is not certified: %s', async (_, page, detail) => {
    const { url } = await servePages(page)
    const { reading } = await readFrom(url)
    expect(reading).toMatchObject({
      certified: false,
      declared: null,
      endProof: 'none',
      detail: `the source changed during each of 3 readings: ${detail}`,
    })
  })
})

test('a wrong event id fails at once [R13]', async () => {
  const source = closing(await startSampleSourceB(NOTHING_OF_B, { eventId: '78' }))
  const error = await failedRead(readFrom(source.url))
  expect(error.message).toBe(
    'registrants, page 1: answered 404: check source.url and the keys of source that name the event, such as source.eventId',
  )
})

test('the end of the rate window is waited for, and then the read goes on [R15]', async () => {
  const { reading, ids, environment } = await readSample(5, { creditsPerTenMinutes: 20, pageCap: 2 })
  expect(ids).toEqual(idsOf(registrants(5)))
  // No answer was 429, and nothing was asked for twice.
  expect(reading).toMatchObject({ certified: true, requests: 3, attempts: 3 })
  expect(environment.sleeps).toEqual([600_000])
})

test('a fault of the server is asked again soon, although every answer names the end of the rate window [R15]', async () => {
  const environment = testEnvironment()
  const headers = {
    'X-Rate-Limit-Limit': '2000',
    'X-Rate-Limit-Remaining': '1990',
    'X-Rate-Limit-Reset': '598',
  }
  const server = await servePages((page) => pageOf(registrants(2), page, 2), headers, 1)
  const { reading } = await readFrom(server.url, { environment })
  expect(reading.certified).toBe(true)
  expect(environment.sleeps).toEqual([250])
})
