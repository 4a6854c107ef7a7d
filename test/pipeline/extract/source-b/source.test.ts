import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type SampleSourceBOptions, startSampleSourceB } from '../../../../pipeline/demo/sample-source-b.ts'
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

const registrants = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }))
const idsOf = (list: readonly { readonly id: number }[]) => list.map(({ id }) => String(id))
const secrets = { apiKey: 'env:API_KEY', authenticationSecret: 'env:AUTHENTICATION_SECRET' }
const sourceAt = (url: string) => ({ type: 'b', url, eventId: '77', ...secrets })
const readFrom = (url: string, options?: Parameters<typeof readAttendees>[2]) =>
  readAttendees(database, sourceAt(url), options)

async function readSample(count: number, options: SampleSourceBOptions = {}) {
  const environment = testEnvironment()
  const source = await startSampleSourceB(
    { sessions: [], registrants: registrants(count), regTypes: [] },
    { now: environment.now, ...options },
  )
  open.push(source)
  const read = await readFrom(source.url, { environment })
  const pages = source.requests
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => Number(new URL(path, source.url).searchParams.get('page')))
  return { ...read, source, pages }
}

/** Gives a token to everybody and answers pages with what `page` gives. */
async function servePages(page: (number: number, request: number) => unknown) {
  let requests = 0
  const server = await serve((request, response) => {
    if (request.method === 'POST') {
      sendJson(response, { access_token: 't', type: 'bearer', expires_at: '2099-01-01 00:00:00' })
      return
    }
    requests += 1
    sendJson(
      response,
      page(Number(new URL(request.url ?? '', 'http://b.example').searchParams.get('page')), requests),
    )
  })
  open.push(server)
  return server
}

const pageOf = (list: readonly unknown[], number: number, perPage: number, meta: object = {}) => ({
  items: list.slice((number - 1) * perPage, number * perPage),
  _meta: { totalCount: list.length, currentPage: number, perPage, ...meta },
})

test('requests name the event, the fields and the page', async () => {
  const source = await startSampleSourceB({ sessions: [], registrants: [], regTypes: [] })
  open.push(source)
  await extract(
    openRun(
      database,
      { ...sourceAt(source.url), fields: { email: 'work_email' } },
      { content: ['agenda', 'speakers', 'attendees'] },
    ),
  )
  const queries = source.requests
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => new URL(path, source.url))
    .map(({ pathname, searchParams }) => [pathname, Object.fromEntries(searchParams)] as const)
  // One reading of each, the registrants' too, which serve two contents.
  expect(queries).toHaveLength(3)
  const common = { event_id: '77', page: '1', 'per-page': '200' }
  expect(Object.fromEntries(queries)).toEqual({
    '/api/v1/sessions.json': { ...common, fields: 'id,name,description,date,start_time,end_time,timezone' },
    '/api/v1/registrants.json': {
      ...common,
      fields:
        'id,work_email,first_name,last_name,job_title,company,bio,mobile_phone,twitter_handle,reg_type_id,session_ids,cancelled_at',
    },
    '/api/v1/reg-types.json': { ...common, fields: 'id,name' },
  })
})

describe('pages are read until the declared total is met', () => {
  test.each<[string, number, number, readonly number[]]>([
    ['no records', 0, 200, [1]],
    ['one record', 1, 200, [1]],
    ['a full page', 200, 200, [1]],
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
      detail: 'the source moved in each of 3 readings: page 2 came where 3 was asked for',
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
    const error = await failureOf(readFrom(url))
    expect(error).toBeInstanceOf(ReadError)
    expect(error.message).toBe('registrants, page 3: the page before came again, so the end is not known')
    expect(requests).toHaveLength(count)
  })

  test('a source that ignores the page is a failed read', async () => {
    const { url } = await servePages(() => ({ items: registrants(2), _meta: { totalCount: 4 } }))
    const error = await failureOf(readFrom(url))
    expect(error.message).toBe('registrants, page 2: the page before came again, so the end is not known')
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
      '5 records where 4 were declared',
    ],
    [
      'there are fewer',
      (page) => pageOf(registrants(3), page, 2, { totalCount: 4 }),
      'page 3 is empty after 3 of 4 records',
    ],
    [
      'there are none',
      () => ({ items: [], _meta: { totalCount: 2 } }),
      'page 2 is empty after 0 of 2 records',
    ],
    [
      'there are some where none is declared',
      () => ({ items: registrants(1), _meta: { totalCount: 0 } }),
      '1 records where 0 were declared',
    ],
  ])('three times is not certified: %s', async (_, page, detail) => {
    const { url } = await servePages(page)
    const { reading } = await readFrom(url)
    expect(reading).toMatchObject({
      certified: false,
      declared: null,
      endProof: 'none',
      detail: `the source moved in each of 3 readings: ${detail}`,
    })
  })
})

describe('what is no list is a failed read', () => {
  test.each<[string, unknown, string]>([
    ['an error', { message: 'x' }, 'an object where an array is due: "message"'],
    [
      'no items',
      { items: null, _meta: { totalCount: 0 } },
      'an object where an array is due: "items", "_meta"',
    ],
    ['a meta alone', { _meta: { totalCount: 0 } }, 'an object where an array is due: "_meta"'],
    ['null', null, 'a single value where an array is due'],
  ])('%s', async (_, body, message) => {
    const { url } = await servePages(() => body)
    expect((await failureOf(readFrom(url))).message).toBe(`registrants, page 1: ${message}`)
  })
})

test('a wrong event id fails at once', async () => {
  const source = await startSampleSourceB({ sessions: [], registrants: [], regTypes: [] }, { eventId: '78' })
  open.push(source)
  const error = await failureOf(readFrom(source.url))
  expect(error.message).toBe(
    'registrants, page 1: answered 404: check source.url, source.version and source.eventId',
  )
})

test('the end of the rate window is waited for, and then the read goes on', async () => {
  const environment = testEnvironment()
  const list = registrants(5)
  const source = await startSampleSourceB(
    { sessions: [], registrants: list, regTypes: [] },
    { now: environment.now, creditsPerTenMinutes: 20, pageCap: 2 },
  )
  open.push(source)
  const { reading, ids } = await readFrom(source.url, { environment, http: { retryBudgetSeconds: 700 } })
  expect(ids).toEqual(idsOf(list))
  expect(reading.certified).toBe(true)
  expect(environment.sleeps).toEqual([600_000])
})

test('a fault of the server is asked again soon, although every answer names the end of the rate window', async () => {
  const environment = testEnvironment()
  let requests = 0
  const server = await serve((request, response) => {
    if (request.method === 'POST') {
      sendJson(response, { access_token: 't', type: 'bearer', expires_at: '2099-01-01 00:00:00' })
      return
    }
    requests += 1
    const headers = {
      'X-Rate-Limit-Limit': '2000',
      'X-Rate-Limit-Remaining': '1990',
      'X-Rate-Limit-Reset': '598',
    }
    if (requests === 1) sendJson(response, { message: 'x' }, 500, headers)
    else sendJson(response, pageOf(registrants(2), 1, 2), 200, headers)
  })
  open.push(server)
  const { reading } = await readFrom(server.url, { environment })
  expect(reading.certified).toBe(true)
  expect(environment.sleeps).toEqual([250])
})
