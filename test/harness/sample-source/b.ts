import { randomBytes } from 'node:crypto'
import { isJsonObject, parseJson } from '../../../transforms/rules/values.ts'
import {
  type ElementList,
  isRawElement,
  jsonAnswer,
  type SampleAnswer,
  type SampleRequest,
  type SampleSource,
  sliceOf,
  startSampleServer,
  toElementText,
} from './server.ts'

export interface SourceBData<E extends ElementList = ElementList> {
  readonly sessions: E
  readonly registrants: E
  readonly regTypes: E
}

export interface SampleSourceBOptions {
  readonly eventId?: string
  readonly apiKey?: string
  readonly authenticationSecret?: string
  /** most elements on a page, whatever `per-page` asks; default 1000 */
  readonly pageCap?: number
  /**
   * `object` writes `items` keyed by id, in source order; records that share an id repeat the key, and one
   * without an id has the empty key. No items at all are `[]` in both forms.
   */
  readonly itemsAs?: 'list' | 'object'
  readonly tokenMinutes?: number
  readonly latencyMs?: number
  /** default 2000, a list costs 10; `Infinity` for benchmarks */
  readonly creditsPerTenMinutes?: number
  /** milliseconds since 1970, for expiry and rate limit; left out: the clock */
  readonly now?: () => number
}

/** Used unless the options say otherwise. Key and secret need URL encoding. */
export const sampleSourceBDefaults = {
  eventId: '77',
  apiKey: 'sample key/1',
  authenticationSecret: 'sample:secret+%2F',
  pageCap: 1000,
  itemsAs: 'list',
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
 * page beyond the last is the last one again, and only `_meta` shows it.
 */
export function startSampleSourceB(
  data: SourceBData,
  options: SampleSourceBOptions = {},
): Promise<SampleSource<SourceBData>> {
  const settings = { ...sampleSourceBDefaults, ...options }
  const now = options.now ?? Date.now
  const issuer = openTokenIssuer({ ...settings, now })
  const credits = openCreditWindow(settings.creditsPerTenMinutes, now)

  return startSampleServer({
    data,
    latencyMs: options.latencyMs,
    answer(request, current) {
      if (request.url.pathname === '/api/v1/oauth2/token.json') {
        return request.method === 'POST' ? issuer.issue(request) : refusal(405, 'Method Not Allowed.')
      }
      if (!issuer.admits(request)) return refusal(401, 'Your request was made with invalid credentials.')
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
      const elements = found(current[resource], request.url)
      return { status: 200, headers, body: bodyOf(elements, request.url, settings) }
    },
  })
}

/** What a search asks for: the records changed since a time, or those of some ids; `sort=id` orders them. */
function found(elements: ElementList, { searchParams }: URL): ElementList {
  const [, field = '', is = '', wanted = ''] =
    /^(\w+)(>=|=\*in\*)(.+)$/.exec(searchParams.get('search') ?? '') ?? []
  if (wanted === '') return elements
  const ids = new Set(wanted.split('|'))
  const fieldOf = (element: unknown) => String(Reflect.get(Object(element), field) ?? '')
  const matching = [...sliceOf(elements, 0, Number.POSITIVE_INFINITY)].filter((element) =>
    is === '>=' ? fieldOf(element) >= wanted : ids.has(idIn(element)),
  )
  return searchParams.get('sort') === 'id'
    ? matching.sort((one, other) => (idIn(one) < idIn(other) ? -1 : 1))
    : matching
}

function* bodyOf(
  elements: ElementList,
  url: URL,
  { pageCap, itemsAs }: { readonly pageCap: number; readonly itemsAs: 'list' | 'object' },
): Generator<string> {
  const totalCount = elements.length
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
  const shownPerPage = Number.isFinite(perPage) ? perPage : totalCount
  const _meta = { totalCount, pageCount, currentPage, perPage: shownPerPage }
  yield `${keyed ? '}' : ']'},"_links":${JSON.stringify(_links)},"_meta":${JSON.stringify(_meta)}}`
}

function withFields(element: unknown, fields: ReadonlySet<string>): unknown {
  if (isRawElement(element) || !isJsonObject(element)) return element
  const kept: Record<string, unknown> = {}
  for (const key of Object.keys(element)) if (fields.has(key)) kept[key] = element[key]
  return kept
}

function idIn(element: unknown): string {
  const record = isRawElement(element) ? parseJson(toElementText(element)) : element
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

const windowMs = 10 * 60_000

/**
 * Counts credits as Source B does: a window opens with the first call and ends ten minutes later.
 *
 * @param limit credits in a window; `Infinity` counts nothing and sends no headers
 * @param now milliseconds since 1970
 */
export function openCreditWindow(limit: number, now: () => number) {
  let endsAt = Number.NEGATIVE_INFINITY
  let left = limit
  return {
    /** @returns the headers to send, and whether the call is granted */
    spend(credits: number) {
      if (limit === Number.POSITIVE_INFINITY) return { granted: true, headers: {} }
      if (now() >= endsAt) {
        endsAt = now() + windowMs
        left = limit
      }
      const granted = credits <= left
      if (granted) left -= credits
      const resetSeconds = Math.max(1, Math.ceil((endsAt - now()) / 1000))
      const headers = {
        'X-Rate-Limit-Limit': String(limit),
        'X-Rate-Limit-Remaining': String(left),
        'X-Rate-Limit-Reset': String(resetSeconds),
      }
      return { granted, headers }
    },
  }
}

interface TokenIssuerOptions {
  readonly apiKey: string
  readonly authenticationSecret: string
  readonly tokenMinutes: number
  readonly now: () => number
}

/**
 * Issues bearer tokens for `Basic base64(urlencode(key):urlencode(secret))` and a form body with
 * `grant_type=client_credentials`; anything else is a 401. Older tokens stay valid until they expire.
 */
function openTokenIssuer(options: TokenIssuerOptions) {
  const expiryOf = new Map<string, number>()
  return {
    /** Answers a call of the token endpoint. */
    issue(request: SampleRequest): SampleAnswer {
      const isForm = (request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
      const grant = isForm ? new URLSearchParams(request.body).get('grant_type') : null
      if (grant !== 'client_credentials' || !knowsSecret(request, options)) {
        return jsonAnswer(401, { message: 'Your request was made with invalid credentials.' })
      }
      const token = randomBytes(24).toString('hex')
      const expiresAt = options.now() + options.tokenMinutes * 60_000
      expiryOf.set(token, expiresAt)
      const expires_at = new Date(expiresAt).toISOString().slice(0, 19).replace('T', ' ')
      return jsonAnswer(200, { access_token: token, type: 'bearer', expires_at })
    },
    /** Whether the request has a token that was issued here and has not expired. */
    admits(request: SampleRequest): boolean {
      const [, token] = /^bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
      return token !== undefined && options.now() < (expiryOf.get(token) ?? 0)
    },
  }
}

function knowsSecret(request: SampleRequest, options: TokenIssuerOptions): boolean {
  const [, encoded] = /^basic (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (encoded === undefined) return false
  const [key, secret, ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  if (key === undefined || secret === undefined || rest.length > 0) return false
  return formDecode(key) === options.apiKey && formDecode(secret) === options.authenticationSecret
}

/** Undoes URL encoding, `+` for a blank included; null where the text cannot be the result of one. */
function formDecode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
