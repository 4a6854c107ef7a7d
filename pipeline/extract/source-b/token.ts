import { z } from 'zod'
import type { Secret } from '../../config/secrets.ts'
import type { Environment } from '../../environment.ts'
import { type HttpLimits, send } from '../http.ts'
import { ReadError } from '../read-error.ts'
import { type Retries, requireOk } from '../retry.ts'

/** Renewed this long before it expires, so that no request is under way with a token that ends. */
const RENEW_BEFORE_MS = 60_000
/** A token's answer is small; a larger body is no token. */
const MAX_TOKEN_BYTES = 65_536

const answerSchema = z.object({
  access_token: z.string().min(1),
  expires_at: z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
})

interface Token {
  readonly header: string
  readonly expiresAtMs: number
}

/** Gives the bearer token of Source B, one for all requests at a time. */
export interface TokenSource {
  header(): Promise<string>
  /** Forgets a token that the source refused; a newer one, which others fetched meanwhile, stays. */
  forget(header: string): void
}

/**
 * Fetches tokens by client credentials.
 *
 * Source: spec-gaps, "Credentials".
 */
export function tokenSource(
  url: URL,
  credentials: { readonly apiKey: Secret; readonly authenticationSecret: Secret },
  context: { readonly environment: Environment; readonly limits: HttpLimits; readonly retries: Retries },
): TokenSource {
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
    const chunks: Uint8Array[] = []
    for await (const chunk of answer.body) chunks.push(chunk)
    const answered = answerSchema.safeParse(parseJson(Buffer.concat(chunks).toString('utf8')))
    if (!answered.success) throw new ReadError('the answer holds no token', { retryable: false })
    return {
      header: `Bearer ${answered.data.access_token}`,
      expiresAtMs: Date.parse(`${answered.data.expires_at.replace(' ', 'T')}Z`),
    }
  }

  async function renew(): Promise<Token> {
    try {
      token = await retries.run('access token', fetchToken)
      return token
    } catch (error) {
      // Else it would be taken for a fault of the page that the token was for.
      if (!(error instanceof ReadError)) throw error
      throw new ReadError(`access token: ${error.message}`, { retryable: false, cause: error })
    } finally {
      renewal = null
    }
  }

  return {
    async header() {
      if (token !== null && token.expiresAtMs - RENEW_BEFORE_MS > environment.now()) return token.header
      renewal ??= renew()
      return (await renewal).header
    },
    forget(header) {
      if (token?.header === header) token = null
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
