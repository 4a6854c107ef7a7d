import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { answerB, type IdAnswer, idsAskedFor, PLAIN_B } from '../source-answers.ts'
import {
  elementsOf,
  jsonAnswer,
  type SampleAnswer,
  type SampleRequest,
  type SampleSource,
  startSampleServer,
} from './server.ts'

export interface SourceBData {
  readonly sessions: readonly unknown[]
  readonly registrants: readonly unknown[]
  readonly regTypes: readonly unknown[]
}

export interface SampleSourceBOptions {
  readonly eventId?: string
  readonly apiKey?: string
  readonly authenticationSecret?: string
  /** maximum number of elements on a page, even if `per-page` asks for more; default 1000 */
  readonly pageCap?: number
  /** `object` writes `items` keyed by id, in source order. */
  readonly itemsAs?: 'list' | 'object'
  /** how a request for ids is answered; default `answered` */
  readonly ids?: IdAnswer
  readonly tokenMinutes?: number
  readonly latencyMs?: number
  /** default 2000, a list costs 10; `Infinity` for benchmarks */
  readonly creditsPerTenMinutes?: number
  /** milliseconds since 1970, for expiry and rate limit; default: the clock */
  readonly now?: () => number
}

/** Defaults of the options. Key and secret need URL encoding. */
export const sampleSourceBDefaults = {
  eventId: '77',
  apiKey: 'sample key/1',
  authenticationSecret: 'sample:secret+%2F',
  pageCap: 1000,
  itemsAs: 'list',
  ids: 'answered',
  tokenMinutes: 30,
  creditsPerTenMinutes: 2000,
  now: Date.now,
} as const

type Settings = Required<Omit<SampleSourceBOptions, 'latencyMs'>>

const resourceAt: Readonly<Record<string, keyof SourceBData>> = {
  '/api/v1/sessions.json': 'sessions',
  '/api/v1/registrants.json': 'registrants',
  '/api/v1/reg-types.json': 'regTypes',
}
const listCredits = 10

/**
 * Serves an event as Source B does: it requires a bearer token and `event_id`, returns only the named fields
 * in pages with an envelope, and counts credits.
 */
export function startSampleSourceB(
  data: SourceBData,
  options: SampleSourceBOptions = {},
): Promise<SampleSource<SourceBData>> {
  const settings: Settings = { ...sampleSourceBDefaults, ...options }
  const issuer = openTokenIssuer(settings)
  const credits = openCreditWindow(settings.creditsPerTenMinutes, settings.now)
  const wire = { ...PLAIN_B, itemsAs: settings.itemsAs, cap: settings.pageCap, ids: settings.ids }

  return startSampleServer({
    data,
    latencyMs: options.latencyMs,
    answer(request, current) {
      const { method, url } = request
      if (url.pathname === '/api/v1/oauth2/token.json')
        return method === 'POST' ? issuer.issue(request) : refusal(405, 'Method Not Allowed.')
      if (!issuer.admits(request)) return refusal(401, 'Your request was made with invalid credentials.')
      const { granted, headers } = credits.spend(listCredits)
      if (!granted) return refusal(429, 'Rate limit exceeded.', headers)
      const resource = resourceAt[url.pathname]
      if (resource === undefined) return refusal(404, 'Page not found.', headers)
      if (method !== 'GET') return refusal(405, 'Method Not Allowed.', headers)
      if (url.searchParams.get('event_id') !== settings.eventId)
        return refusal(404, 'Event not found.', headers)
      if (settings.ids === 'refused' && idsAskedFor(url) !== null)
        return refusal(400, 'Unknown search.', headers)
      const held = { elements: elementsOf(current[resource]), wire }
      return { status: 200, headers, body: answerB(url, held) }
    },
  })
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
    /** @returns the headers to send, and true if the call is granted */
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

/**
 * Issues bearer tokens for `Basic base64(urlencode(key):urlencode(secret))` and a form body with
 * `grant_type=client_credentials`; anything else is a 401. Older tokens stay valid until they expire.
 */
function openTokenIssuer({ apiKey, authenticationSecret, tokenMinutes, now }: Settings) {
  const expiryOf = new Map<string, number>()
  const pair = [apiKey, authenticationSecret]
  return {
    /** Answers a call of the token endpoint. */
    issue({ headers, body }: SampleRequest): SampleAnswer {
      const isForm = (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
      const grant = isForm ? new URLSearchParams(body).get('grant_type') : null
      const [, encoded = ''] = /^basic (\S+)$/i.exec(headers.authorization ?? '') ?? []
      const given = Buffer.from(encoded, 'base64').toString('utf8').split(':').map(formDecode)
      if (grant !== 'client_credentials' || !isDeepStrictEqual(given, pair))
        return refusal(401, 'Your request was made with invalid credentials.')
      const token = randomBytes(24).toString('hex')
      const expiresAt = now() + tokenMinutes * 60_000
      expiryOf.set(token, expiresAt)
      const expires_at = new Date(expiresAt).toISOString().slice(0, 19).replace('T', ' ')
      return jsonAnswer(200, { access_token: token, type: 'bearer', expires_at })
    },
    /** Returns true if the request has a token that was issued here and has not expired. */
    admits({ headers }: SampleRequest): boolean {
      const [, token = ''] = /^bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
      return now() < (expiryOf.get(token) ?? 0)
    },
  }
}

/** Decodes URL encoding, including `+` for a blank; null if the text is not valid URL encoding. */
function formDecode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
