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
  /** Maximum number of elements on a page, even if `per-page` is larger; default: 1000. */
  readonly pageCap?: number
  /** Form of `items`: with `object`, an object with the elements by their id, in the order of the source. */
  readonly itemsAs?: 'list' | 'object'
  /** How the source answers a request for the records with certain ids; default: `answered`. */
  readonly ids?: IdAnswer
  readonly tokenMinutes?: number
  readonly latencyMs?: number
  /**
   * Credits that the source grants in ten minutes; default: 2000. A request for a list costs 10 credits.
   * Benchmarks use `Infinity`.
   */
  readonly creditsPerTenMinutes?: number
  /**
   * Returns the time in milliseconds since 1970, for the expiry of tokens and the rate limit; default: the
   * clock.
   */
  readonly now?: () => number
}

/** Default values of the options. Key and secret contain characters that need URL encoding. */
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
 * Starts a server that answers as Source B does. The server requires a bearer token and `event_id`, and
 * counts credits (units of its rate limit). The server returns pages with an envelope, and only the fields
 * that the request names.
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
    /** @returns the headers of the answer, and true if enough credits are left for the request */
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
 * Issues bearer tokens. A request must contain `Basic base64(urlencode(key):urlencode(secret))` and a form
 * body with `grant_type=client_credentials`; any other request gets status 401. Older tokens stay valid until
 * they expire.
 */
function openTokenIssuer({ apiKey, authenticationSecret, tokenMinutes, now }: Settings) {
  const expiryOf = new Map<string, number>()
  const pair = [apiKey, authenticationSecret]
  return {
    /** Answers a request for a token. */
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
