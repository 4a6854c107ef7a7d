import { z } from 'zod'
import { type HttpLimits, send, textOf } from '../../http/http.ts'
import { NOT_THE_API, ReadError } from '../../http/read-error.ts'
import type { Retries } from '../../http/retry.ts'
import type { Environment } from '../../runtime/environment.ts'
import type { Secret } from '../../settings/secrets.ts'
import { requireOk } from '../contract/require-ok.ts'

/** Renewed this long before it expires, so that it does not expire during a request. */
const RENEW_BEFORE_MS = 60_000
/** A token's answer is small; a larger body is no token. */
const MAX_TOKEN_BYTES = 65_536

const answerSchema = z.object({
  access_token: z.string().min(1),
  expires_at: z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
})

interface Token {
  readonly header: string
  readonly renewAtMs: number
}

export type TokenSource = ReturnType<typeof tokenSource>

/** Fetches bearer tokens by client credentials, one for all requests at a time. */
export function tokenSource(
  url: URL,
  credentials: { readonly apiKey: Secret; readonly authenticationSecret: Secret },
  context: { readonly environment: Environment; readonly limits: HttpLimits; readonly retries: Retries },
) {
  const { environment, limits, retries } = context
  let token: Token | null = null
  let renewal: Promise<Token> | null = null

  async function fetchToken(): Promise<Token> {
    const key = encodeURIComponent(credentials.apiKey.reveal())
    const secret = encodeURIComponent(credentials.authenticationSecret.reveal())
    const answer = await send(
      {
        method: 'POST',
        url,
        addressKey: 'source.url',
        headers: {
          Authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
          'Content-Type': 'application/x-www-form-urlencoded',
          Accept: 'application/json',
        },
        body: 'grant_type=client_credentials',
      },
      { ...limits, maxResponseBytes: MAX_TOKEN_BYTES },
    )
    requireOk(answer, environment.now())
    const answered = answerSchema.safeParse(parsed(await textOf(answer)))
    if (!answered.success) throw new ReadError('the answer holds no token', { hint: NOT_THE_API })
    const expiresAtMs = Date.parse(`${answered.data.expires_at.replace(' ', 'T')}Z`)
    const usableMs = expiresAtMs - RENEW_BEFORE_MS - environment.now()
    return {
      header: `Bearer ${answered.data.access_token}`,
      // One that seems to have expired already shows that clocks differ: then it is used until it is refused.
      renewAtMs: usableMs > 0 ? environment.monotonic() + usableMs : Number.POSITIVE_INFINITY,
    }
  }

  async function renew(): Promise<Token> {
    try {
      token = await retries.run('access token', fetchToken)
      return token
    } catch (error) {
      // Else it would look like a fault of the page that the token was for.
      if (!(error instanceof ReadError)) throw error
      throw new ReadError(`access token: ${error.what}`, { hint: error.hint, cause: error })
    } finally {
      renewal = null
    }
  }

  return {
    async header(): Promise<string> {
      if (token !== null && token.renewAtMs > environment.monotonic()) return token.header
      renewal ??= renew()
      return (await renewal).header
    },
    /** Forgets a token that the source refused; a newer one, which others fetched meanwhile, stays. */
    forget(header: string): void {
      if (token?.header === header) token = null
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
