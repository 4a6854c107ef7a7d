import { randomBytes } from 'node:crypto'
import { jsonAnswer, type SampleAnswer, type SampleRequest } from './sample-server.ts'

const windowMs = 10 * 60_000

/** Credits per ten minutes, as Source B counts them. */
export interface CreditWindow {
  /** @returns the headers to send, and whether the call may go on */
  spend(credits: number): { readonly granted: boolean; readonly headers: Readonly<Record<string, string>> }
}

/**
 * A window opens with the first call and ends ten minutes later.
 *
 * @param limit credits in a window; `Infinity` counts nothing and sends no headers
 * @param now milliseconds since the epoch
 */
export function openCreditWindow(limit: number, now: () => number): CreditWindow {
  if (limit === Number.POSITIVE_INFINITY) return { spend: () => ({ granted: true, headers: {} }) }
  let endsAt = Number.NEGATIVE_INFINITY
  let left = limit
  return {
    spend(credits) {
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

export interface TokenOffice {
  /** Answers a call of the token endpoint. */
  issue(request: SampleRequest): SampleAnswer
  /** Whether the request bears a token that was issued here and has not expired. */
  admits(request: SampleRequest): boolean
}

export interface TokenOfficeOptions {
  readonly apiKey: string
  readonly authenticationSecret: string
  readonly tokenMinutes: number
  readonly now: () => number
}

/**
 * Gives bearer tokens for `Basic base64(urlencode(key):urlencode(secret))` and a form body with
 * `grant_type=client_credentials`; anything else is a 401. Older tokens stay good until they expire.
 */
export function openTokenOffice(options: TokenOfficeOptions): TokenOffice {
  const expiryOf = new Map<string, number>()
  return {
    issue(request) {
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
    admits(request) {
      const [, token] = /^bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
      return token !== undefined && options.now() < (expiryOf.get(token) ?? 0)
    },
  }
}

function knowsSecret(request: SampleRequest, options: TokenOfficeOptions): boolean {
  const [, encoded] = /^basic (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (encoded === undefined) return false
  const [key, secret, ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  if (key === undefined || secret === undefined || rest.length > 0) return false
  return formDecode(key) === options.apiKey && formDecode(secret) === options.authenticationSecret
}

/** Undoes URL encoding, `+` for a blank included; null where the text cannot be the outcome of one. */
function formDecode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
