import { join } from 'node:path'
import { isJsonObject } from '../../transforms/rules/json.ts'
import { openCreditWindow, openTokenOffice } from './sample-access.ts'
import {
  countOf,
  type Elements,
  isRawElement,
  parseKeepingDigits,
  readElements,
  sliceOf,
  toElementText,
} from './sample-elements.ts'
import { jsonAnswer, type SampleAnswer, type SampleSource, startSampleServer } from './sample-server.ts'

/** What Source B holds: `sessions.json`, `registrants.json` and `reg-types.json`. */
export interface SourceBData<E extends Elements = Elements> {
  readonly sessions: E
  readonly registrants: E
  readonly regTypes: E
}

export interface SampleSourceBOptions {
  readonly eventId?: string
  readonly apiKey?: string
  readonly authenticationSecret?: string
  /** most elements on a page, whatever `per-page` asks; default 200 */
  readonly pageCap?: number
  readonly port?: number
  /**
   * `object` writes `items` keyed by id, in source order; records that share an id repeat the key, and one
   * without an id has the empty key. No items at all are `[]` in both forms.
   */
  readonly itemsAs?: 'list' | 'object'
  readonly tokenMinutes?: number
  readonly latencyMs?: number
  /** default 2000, a list costs 10; `Infinity` for benchmarks */
  readonly creditsPerTenMinutes?: number
  /** milliseconds since the epoch, for expiry and rate limit; the clock unless a test gives its own */
  readonly now?: () => number
}

/** What a source B sample expects, unless the options say otherwise. Key and secret need URL encoding. */
export const sampleSourceBDefaults = {
  eventId: '77',
  apiKey: 'sample key/1',
  authenticationSecret: 'sample:secret+%2F',
  pageCap: 200,
  tokenMinutes: 30,
  creditsPerTenMinutes: 2000,
} as const

const resourceAt: Readonly<Record<string, keyof SourceBData>> = {
  '/api/v1/sessions.json': 'sessions',
  '/api/v1/registrants.json': 'registrants',
  '/api/v1/reg-types.json': 'regTypes',
}
const listCredits = 10
const defaultPerPage = 20

/**
 * Serves an event as Source B does: a bearer token first, `event_id` required, only the fields that are named,
 * pages in an envelope, credits counted.
 *
 * As in the framework that it is built on, `page` and `per-page` are never refused but moved into range: a
 * page beyond the last is the last one again, and only `_meta` tells.
 * Source: spec-gaps, "Source B, on the wire".
 */
export function startSampleSourceB(
  data: SourceBData,
  options: SampleSourceBOptions = {},
): Promise<SampleSource<SourceBData>> {
  const settings = { ...sampleSourceBDefaults, ...options }
  const now = options.now ?? Date.now
  const office = openTokenOffice({ ...settings, now })
  const credits = openCreditWindow(settings.creditsPerTenMinutes, now)

  return startSampleServer({
    data,
    port: options.port,
    latencyMs: options.latencyMs,
    answer(request, current) {
      if (request.url.pathname === '/api/v1/oauth2/token.json') {
        return request.method === 'POST' ? office.issue(request) : refusal(405, 'Method Not Allowed.')
      }
      if (!office.admits(request)) return refusal(401, 'Your request was made with invalid credentials.')
      const { granted, headers } = credits.spend(listCredits)
      if (!granted) return refusal(429, 'Rate limit exceeded.', headers)
      const resource = resourceAt[request.url.pathname]
      if (resource === undefined) return refusal(404, 'Page not found.', headers)
      if (request.method !== 'GET') return refusal(405, 'Method Not Allowed.', headers)
      const eventId = request.url.searchParams.get('event_id')
      if (eventId === null || eventId === '') {
        return jsonAnswer(422, [{ field: 'event_id', message: 'Event Id cannot be blank.' }], headers)
      }
      if (eventId !== settings.eventId) return refusal(404, 'Event not found.', headers)
      const body = bodyOf(current[resource], request.url, settings.pageCap, options.itemsAs ?? 'list')
      return { status: 200, headers, body }
    },
  })
}

/** Reads `sessions.json`, `registrants.json` and `reg_types.json`, the digits of every number as written. */
export async function loadSourceB(folder: string): Promise<SourceBData<readonly unknown[]>> {
  const [sessions, registrants, regTypes] = await Promise.all(
    ['sessions.json', 'registrants.json', 'reg_types.json'].map((file) => readElements(join(folder, file))),
  )
  return { sessions: sessions ?? [], registrants: registrants ?? [], regTypes: regTypes ?? [] }
}

function* bodyOf(
  elements: Elements,
  url: URL,
  pageCap: number,
  itemsAs: 'list' | 'object',
): Generator<string> {
  const totalCount = countOf(elements)
  const perPage = Math.min(Math.max(wholeIn(url, 'per-page', defaultPerPage), 1), pageCap)
  const pageCount = Math.ceil(totalCount / perPage)
  const currentPage = Math.max(1, Math.min(wholeIn(url, 'page', 1), pageCount))
  const named = (url.searchParams.get('fields') ?? '').split(',').map((field) => field.trim())
  const fields = new Set(['id', 'name', ...named])
  const keyed = itemsAs === 'object' && totalCount > 0

  yield keyed ? '{"items":{' : '{"items":['
  let separator = ''
  // `Infinity * 0` is no number: with one page, nothing is skipped.
  const skip = currentPage === 1 ? 0 : (currentPage - 1) * perPage
  for (const element of sliceOf(elements, skip, perPage)) {
    const text = toElementText(withFields(element, fields))
    yield keyed ? `${separator}${JSON.stringify(idIn(element))}:${text}` : separator + text
    separator = ','
  }
  const pages = { first: 1, prev: currentPage - 1, self: currentPage, next: currentPage + 1, last: pageCount }
  const links = Object.entries(pages).filter(([, page]) => page >= 1 && page <= Math.max(pageCount, 1))
  const _links = Object.fromEntries(links.map(([name, page]) => [name, { href: pageHref(url, page) }]))
  // An unlimited page is as long as the list.
  const _meta = {
    totalCount,
    pageCount,
    currentPage,
    perPage: Number.isFinite(perPage) ? perPage : totalCount,
  }
  yield `${keyed ? '}' : ']'},"_links":${JSON.stringify(_links)},"_meta":${JSON.stringify(_meta)}}`
}

function withFields(element: unknown, fields: ReadonlySet<string>): unknown {
  if (isRawElement(element) || !isJsonObject(element)) return element
  const kept: Record<string, unknown> = {}
  for (const key of Object.keys(element)) if (fields.has(key)) kept[key] = element[key]
  return kept
}

function idIn(element: unknown): string {
  const record = isRawElement(element) ? parseKeepingDigits(toElementText(element)) : element
  if (!isJsonObject(record)) return ''
  return JSON.isRawJSON(record.id) ? record.id.rawJSON : String(record.id ?? '')
}

function pageHref(url: URL, page: number): string {
  const href = new URL(url)
  href.searchParams.set('page', String(page))
  return href.href
}

/** A number as the real system reads it: leading digits count, anything else is 0. */
function wholeIn(url: URL, name: string, unset: number): number {
  const text = url.searchParams.get(name)
  return text === null ? unset : Number.parseInt(text, 10) || 0
}

function refusal(status: number, message: string, headers?: Readonly<Record<string, string>>): SampleAnswer {
  return jsonAnswer(status, { message }, headers)
}
