import { randomBytes } from 'node:crypto'
import { jsonAnswer, type SampleAnswer, type SampleRequest } from './sample-server.ts'

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
export function openTokenIssuer(options: TokenIssuerOptions) {
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
