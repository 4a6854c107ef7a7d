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

/**
 * Starts a server that gives a token to every client and answers with the result of `page`.
 *
 * @param failures how many page requests, counted from the first, get the answer 500
 */
function servePages(
  page: (number: number, request: number, query: URLSearchParams) => unknown,
  headers: Readonly<Record<string, string>> | ((number: number) => Readonly<Record<string, string>>) = {},
  failures = 0,
) {
  let requests = 0
  return start((request, response) => {
    if (request.method === 'POST') {
      sendJson(response, { access_token: 't', type: 'bearer', expires_at: '2099-01-01 00:00:00' })
      return
    }
    requests += 1
    const query = new URL(request.url ?? '', 'http://b.example').searchParams
    const number = Number(query.get('page'))
    const sent = typeof headers === 'function' ? headers(number) : headers
    sendJson(response, page(number, requests, query), requests > failures ? 200 : 500, sent)
  })
}

const pageOf = (list: readonly unknown[], number: number, perPage: number, meta: object = {}) => ({
  items: list.slice((number - 1) * perPage, number * perPage),
  _meta: { totalCount: list.length, currentPage: number, perPage, ...meta },
})

test('the progress gets the number of records from each answer that declares it', async () => {
  const { url } = await servePages((page) => pageOf(registrants(5), page, 2))
  const declared: [string, number][] = []
  await readFrom(url, { onDeclared: (...of) => declared.push(of) })
  expect(declared).toEqual(Array(3).fill(['registrants', 5]))
})

test('an event id, or the name of a field, is one value of the query', async () => {
  const { url, requests } = await servePages((page) => pageOf([], page, 2))
  const [eventId, email] = ['x&event_id=78#/../?a=1', 'x&event_id=79#']
  await readAttendees(sourceB(url, { eventId, fields: { email } }))
  const asked = new URL(requests.at(-1) ?? '', url)
  expect(asked.pathname).toBe('/api/v1/registrants.json')
  expect(asked.searchParams.getAll('event_id')).toEqual([eventId])
  expect(asked.searchParams.get('fields')).toContain(`,${email},`)
})

describe('pages are read until the declared total is reached', () => {
  test.each<[string, number, number, readonly number[]]>([
    ['no records', 0, 200, [1]],
    ['one record', 1, 200, [1]],
    ['a full page', 1000, 1000, [1]],
    ['one record more than a page', 201, 200, [1, 2]],
    ['an exact multiple of a smaller page', 9, 3, [1, 2, 3]],
    ['pages of one record', 3, 1, [1, 2, 3]],
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

  test('the total and the page number may be text, and the page number may be missing', async () => {
    const { url } = await servePages((page) => {
      const { items } = pageOf(registrants(5), page, 2)
      return { items, _meta: page === 1 ? { totalCount: '5', currentPage: '1' } : { totalCount: 5 } }
    })
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(registrants(5)))
    expect(reading).toMatchObject({ certified: true, declared: 5 })
  })

  test('if the source declares no total, an empty page is the end of the list', async () => {
    const { url } = await servePages((page) => ({ items: pageOf(registrants(5), page, 2).items }))
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(registrants(5)))
    expect(reading).toMatchObject({ certified: true, endProof: 'empty page', declared: null })
  })

  test.each([1, 2])(
    'if records follow the empty page %d and the source declares no total, the reading is not certified [R14]',
    async (empty) => {
      const { url } = await servePages((page) => ({
        items: page === empty ? [] : pageOf(registrants(5), page, 2).items,
      }))
      expect((await readFrom(url)).reading).toMatchObject({
        certified: false,
        detail: `the source changed during each of 3 readings: page ${empty} is empty, but page ${empty + 1} has records`,
      })
    },
  )

  test.each([null, '', 'many', -1, 2.5, true, [5]])('the value %j is not a total', async (totalCount) => {
    const { url } = await servePages((page) => ({
      items: pageOf(registrants(3), page, 2).items,
      _meta: { totalCount },
    }))
    const { reading } = await readFrom(url)
    expect(reading).toMatchObject({ endProof: 'empty page', declared: null, totals: { elements: 3 } })
  })
})

describe('a bare array [R14]', () => {
  const LONE = 'the source gives one list without a total, so its 3 records may be incomplete'
  const inOrder = (list: readonly unknown[], sort: string | null) =>
    sort === '-id' ? list.toReversed() : list

  test.each([0, 1, 3])(
    'a bare array of %d records is complete if the source returns the same records in another order',
    async (count) => {
      const { url, requests } = await servePages((_, __, query) =>
        inOrder(registrants(count), query.get('sort')),
      )
      const { reading, ids } = await readFrom(url)
      expect(ids).toEqual(idsOf(registrants(count)))
      expect(reading).toMatchObject({ certified: true, endProof: 'unpaged array', declared: null })
      expect(requests).toHaveLength(3)
    },
  )

  test('if a bare array is in descending order, it is also requested in ascending order', async () => {
    const { url } = await servePages((_, __, query) =>
      query.get('sort') === 'id' ? registrants(3) : registrants(3).toReversed(),
    )
    expect((await readFrom(url)).reading).toMatchObject({ certified: true, endProof: 'unpaged array' })
  })

  test.each<[string, (sort: string | null) => readonly unknown[], string]>([
    [
      'is cut short',
      (sort) => inOrder(registrants(9), sort).slice(0, 3),
      `${LONE}, and another order returns different ones: check whether the source, or a proxy before it, cuts its answers short`,
    ],
    [
      'always comes in the same order',
      () => registrants(3),
      `${LONE}, and it ignores sort too: check whether a cache or proxy answers instead of the source and ignores the query`,
    ],
  ])('that %s is not certified', async (_, list, detail) => {
    const { url } = await servePages((__, ___, query) => list(query.get('sort')))
    const { reading, ids } = await readFrom(url)
    expect(ids).toHaveLength(3)
    expect(reading).toMatchObject({ certified: false, endProof: 'none', detail })
  })

  const paged = (page: number) => registrants(5).slice((page - 1) * 2, page * 2)
  test.each<[string, (page: number) => Record<string, string>, string, number | null]>([
    ['a total', () => ({ 'X-Pagination-Total-Count': '5' }), 'total met', 5],
    ['a total by another name', () => ({ 'X-Total-Count': '5' }), 'total met', 5],
    ['a number of pages', () => ({ 'X-Pagination-Page-Count': '3' }), 'last link', null],
    [
      'links',
      (page): Record<string, string> =>
        page < 3
          ? {
              Link: `</api/v1/registrants.json?page=1>; rel=self, </api/v1/registrants.json?page=${page + 1}>; rel=next`,
            }
          : {},
      'last link',
      null,
    ],
  ])('with headers that declare %s is read page by page', async (_, headers, endProof, declared) => {
    const { url } = await servePages(paged, headers)
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(registrants(5)))
    expect(reading).toMatchObject({ certified: true, endProof, declared })
  })

  test.each<[string, Record<string, string>, string]>([
    [
      'that ignores the page number',
      { 'X-Total-Count': '5' },
      'the source names a page 2, but gives page 1 again: report it to the people who run the source',
    ],
    [
      'with a next link to another address',
      { Link: '<https://b.example/x?page=2&name=Ada>; rel=next' },
      'the last answer says that there are more records (Link: rel=next, https://b.example/x): check whether the source, or a proxy before it, leaves records out',
    ],
    [
      'with a header that announces more records',
      { 'X-Has-More': 'true' },
      'the last answer says that there are more records (x-has-more): check whether the source, or a proxy before it, leaves records out',
    ],
  ])('%s is not certified, and each record is read once', async (_, headers, detail) => {
    const { url } = await servePages((__, ___, query) => inOrder(registrants(3), query.get('sort')), headers)
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(['1', '2', '3'])
    expect(reading).toMatchObject({ certified: false, detail })
  })
})

describe('pages beyond the total [R14]', () => {
  const LINK = '/api/v1/registrants.json?page='
  const links = (page: number, of: number, at = LINK) =>
    page < of ? { _links: { next: { href: `${at}${page + 1}` } } } : {}

  test('pages beyond the total are read to the last page if the declared number of pages includes them', async () => {
    const { url } = await servePages((page) => ({
      ...pageOf(registrants(6), Math.min(page, 3), 2, {
        totalCount: 4,
        pageCount: 3,
        currentPage: Math.min(page, 3),
      }),
      ...links(page, 3),
    }))
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(registrants(6)))
    expect(reading).toMatchObject({ certified: true, endProof: 'last link', declared: null })
  })

  test('pages beyond the total are read but not certified if only links lead to them', async () => {
    const { url } = await servePages((page) => ({
      ...pageOf(registrants(6), page, 2, { totalCount: 4 }),
      ...links(page, 3, 'https://internal.example:9/API/v1/registrants.json?page='),
    }))
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(registrants(6)))
    expect(reading).toMatchObject({
      certified: false,
      detail:
        'the source declares 4 records, but its links led to 6: report it to the people who run the source',
    })
  })

  test.each<[string, (page: number) => unknown, object]>([
    [
      'is empty, which confirms the total',
      (page) => ({ ...pageOf(registrants(4), page, 2), ...links(page, 3) }),
      { certified: true, endProof: 'total met' },
    ],
    [
      'is the last page again',
      (page) => ({
        ...pageOf(registrants(4), Math.min(page, 2), 2, { currentPage: Math.min(page, 2) }),
        ...links(page, 9),
      }),
      {
        certified: false,
        detail:
          'the source names a page 3, but gives page 2 again: report it to the people who run the source',
      },
    ],
    [
      'has another address',
      (page) => ({
        ...pageOf(registrants(4), page, 2),
        ...links(page, 9, 'https://b.example/x?after=Ada&page='),
      }),
      {
        certified: false,
        detail:
          'the last answer says that there are more records (next, https://b.example/x): check whether the source, or a proxy before it, leaves records out',
      },
    ],
    [
      'is only announced',
      (page) => ({ ...pageOf(registrants(4), page, 2), has_more: true }),
      {
        certified: false,
        detail:
          'the last answer says that there are more records (has_more): check whether the source, or a proxy before it, leaves records out',
      },
    ],
  ])('add no record if the next page %s', async (_, page, reading) => {
    const { url } = await servePages(page)
    const read = await readFrom(url)
    expect(read.ids).toEqual(idsOf(registrants(4)))
    expect(read.reading).toMatchObject(reading)
  })

  test('pages beyond the total that change during the reading are read again', async () => {
    const { url } = await servePages((page, request) => {
      const list = request === 2 ? registrants(7).slice(1) : registrants(6)
      return { ...pageOf(list, page, 2, { totalCount: 2, pageCount: 3 }), ...links(page, 3) }
    })
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(registrants(6)))
    expect(reading).toMatchObject({ certified: true, endProof: 'last link' })
  })

  test('a declared number of pages that does not go beyond the total is ignored', async () => {
    // The source computes its number of pages from its usual page size, but returns larger pages.
    const { url } = await servePages((page) => pageOf(registrants(6), page, 6, { pageCount: 3, perPage: 2 }))
    const { reading } = await readFrom(url)
    expect(reading).toMatchObject({ certified: true, endProof: 'total met', requests: 1 })
  })
})

test('an answer that reports an error beside its list fails the read [R16]', async () => {
  const { url } = await servePages((page) => ({
    ...pageOf(registrants(2), page, 2),
    error: 'ada@example.com',
  }))
  expect((await failedRead(readFrom(url))).message).toMatch(
    /^registrants, page 1: the answer says that it failed: it has "error" beside its list: try again later/,
  )
})

describe('a page other than the requested page is not accepted', () => {
  test('if a source returns its last page again for a page beyond the end, the reading is not certified', async () => {
    // The source declares more records than it returns, for example because some were deleted. The source
    // returns page 2 again as page 3.
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
    ['with a total that the repetition reaches', { totalCount: 6 }, 3],
    // After page 2, page 1 is requested once more.
    ['without a total', {}, 4],
  ])(
    'if the source returns the page before once more %s, the reading is not certified',
    async (_, _meta, count) => {
      const { url, requests } = await servePages((page) => ({
        ...pageOf(registrants(4), Math.min(page, 2), 2),
        _meta,
      }))
      expect((await readFrom(url)).reading).toMatchObject({
        certified: false,
        detail:
          'the source changed during each of 3 readings: page 3 is page 2 again: check whether the source, or a cache or proxy before it, ignores the page number',
      })
      expect(requests).toHaveLength(1 + 3 * count)
    },
  )

  test('if a source ignores the page number, the reading is not certified', async () => {
    const { url } = await servePages(() => ({ items: registrants(2), _meta: { totalCount: 4 } }))
    expect((await readFrom(url)).reading).toMatchObject({
      certified: false,
      detail:
        'the source changed during each of 3 readings: page 2 is page 1 again: check whether the source, or a cache or proxy before it, ignores the page number',
    })
  })
})

describe('a record that comes on two pages [R78]', () => {
  const moved = (list: readonly { readonly id: number }[]) => [...list.slice(-1), ...list.slice(0, -1)]

  test('if a record moves to a page that was read, the total does not prove the end, and the source is read again', async () => {
    const { url } = await servePages((page, request) =>
      pageOf(request === 1 ? registrants(6) : moved(registrants(6)), page, 2),
    )
    const { reading, ids } = await readFrom(url)
    expect(ids).toEqual(idsOf(moved(registrants(6))))
    expect(reading).toMatchObject({ certified: true, endProof: 'total met', requests: 3, attempts: 6 })
  })

  test('if each page has another order, the reading is not certified, and the message says what to check', async () => {
    const { url } = await servePages((page) =>
      pageOf(page === 1 ? registrants(6) : moved(registrants(6)), page, 2),
    )
    expect((await readFrom(url)).reading).toMatchObject({
      certified: false,
      totals: { elements: 6 },
      detail:
        'the source changed during each of 3 readings: 1 record came again on a later page, so other records may be missing: check whether the source, or a cache or proxy before it, gives a page twice',
    })
  })
})

describe('a record that its own page has twice [R77]', () => {
  const rows = registrants(6).toSpliced(1, 0, { id: 2 })
  const upTo = (last: number, page: number) =>
    pageOf(rows, Math.min(page, last), 4, { currentPage: Math.min(page, last) })

  test.each([
    ['is empty', (page: number) => pageOf(rows, page, 4), 'empty page'],
    ['is the last page again', (page: number) => upTo(2, page), 'last link'],
  ])('the list is complete if the page after the last %s', async (_, page, endProof) => {
    const { reading } = await readFrom((await servePages(page)).url)
    expect(reading).toMatchObject({ certified: true, endProof, declared: 7, totals: { elements: 7 } })
  })

  test('if the total counts the record once, and records follow, the reading is not certified', async () => {
    const more = [...rows, ...registrants(9).slice(6)]
    const { url } = await servePages((page) => pageOf(more, page, 3, { totalCount: 9 }))
    expect((await readFrom(url)).reading).toMatchObject({
      certified: false,
      detail:
        '1 record came again on its own page, and more records follow the declared total: report it to the people who run the source',
    })
  })
})

describe('a source that changes during the reading', () => {
  test('if the total changes during the reading, the source is read again', async () => {
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
      'there are fewer records than declared',
      (page) => pageOf(registrants(3), page, 2, { totalCount: 4 }),
      'page 3 is empty after 3 of 4 records',
    ],
    [
      'the first page is larger than the other pages',
      (page) => pageOf(registrants(12), page, page === 1 ? 4 : 2, { perPage: undefined }),
      'pages are not all of one size: page 1 has 4 records, page 2 2, page 3 2',
    ],
    [
      'its answers declare another page size',
      // The number of records equals the total only because some records came twice.
      (page) => pageOf(registrants(9), page, page === 1 ? 6 : 3),
      'the size of pages changed from 6 to 3',
    ],
    [
      'a page in the middle is smaller',
      (page) => pageOf(registrants(9), page, page === 2 ? 2 : 3, { perPage: 3 }),
      'pages are not all of one size: page 1 has 3 records, page 2 2, page 3 3',
    ],
    [
      'there are no records',
      () => ({ items: [], _meta: { totalCount: 2 } }),
      'page 2 is empty after 0 of 2 records',
    ],
    [
      'without a total, a page differs when it is requested again',
      (page, request) => ({ items: page === 1 ? registrants(request) : [] }),
      'page 1 changed after it was read',
    ],
    [
      'there are records although none is declared',
      () => ({ items: registrants(1), _meta: { totalCount: 0 } }),
      '1 record read, but 0 declared',
    ],
  ])('in each of three readings is not certified: %s', async (_, page, detail) => {
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

test('if the rate limit is used up, the read waits for the end of the rate window, then continues [R15]', async () => {
  const { reading, ids, environment } = await readSample(5, { creditsPerTenMinutes: 20, pageCap: 2 })
  expect(ids).toEqual(idsOf(registrants(5)))
  // The source refused no request with 429, and no request was repeated.
  expect(reading).toMatchObject({ certified: true, requests: 3, attempts: 3 })
  expect(environment.sleeps.reduce((sum, ms) => sum + ms, 0)).toBe(600_000)
})

test('a server error is retried soon, even though every answer states when the rate window ends [R15]', async () => {
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
