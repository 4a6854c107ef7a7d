import { z } from 'zod'
import { type Answer, type HttpLimits, send, textOf } from '../../http/http.ts'
import { HttpFault, ReadError } from '../../http/read-error.ts'
import { type Retries, statusFault } from '../../http/retry.ts'
import type { Environment } from '../../runtime/environment.ts'
import type { Secret } from '../../settings/secrets.ts'

/** Time before its expiry at which a token is renewed, so that it does not expire during a request. */
const RENEW_BEFORE_MS = 60_000
/** Maximum size of an answer with a token. A larger answer cannot be an answer with a token. */
const MAX_TOKEN_BYTES = 65_536

/** Matches a value that an HTTP header can contain. */
export const HEADER_VALUE = /^[\x21-\x7e]+$/

const utc = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
const token = {
  access_token: z.string().regex(HEADER_VALUE),
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
}
const seconds = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,12}(?:\.\d+)?$/)
    .transform(Number),
])

/**
 * The two forms in which an answer states how long a token is valid. `expires_at` is a time in UTC.
 * `expires_in` is a number of seconds, which may be missing (RFC 6749, 5.1).
 */
const ANSWERS = {
  expires_at: z.object({ ...token, expires_at: z.string().regex(utc) }),
  expires_in: z.object({ ...token, expires_in: seconds.optional().catch(undefined) }),
}

/** The address that issues tokens, and how tokens are requested there. */
export interface TokenEndpoint {
  readonly url: URL
  /** The key of the configuration that contains the address, for hints. Example: `source.url`. */
  readonly addressKey: string
  readonly clientId: Secret
  readonly clientSecret: Secret
  readonly scope?: string | undefined
  readonly lifetime: keyof typeof ANSWERS
  /** True if the secret may be sent in the body after the server has refused it in the header. */
  readonly takesPost: boolean
  /** Returns advice for an answer with the given status. */
  hintFor(status: number): string | null
  /** The hint for an answer that contains no token. */
  readonly notToken: string
}

interface Token {
  readonly header: string
  readonly renewAtMs: number
}

export type TokenSource = ReturnType<typeof tokenSource>

/**
 * Status codes with which a server refuses the way in which credentials were sent. RFC 6749, 5.2, defines 400
 * and 401; some servers answer 403.
 */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403])

/**
 * Error codes that RFC 6749, 5.2, defines. Any other error text is not shown, because it may repeat a secret
 * that was sent.
 */
const errorSchema = z.object({
  error: z.enum([
    'invalid_request',
    'invalid_client',
    'invalid_grant',
    'unauthorized_client',
    'unsupported_grant_type',
    'invalid_scope',
  ]),
})

/**
 * Fetches bearer tokens with client credentials (RFC 6749, 4.4). All requests use the same token. The secret
 * is sent in the header (HTTP Basic). If the server refuses this and `takesPost` is true, the secret is sent
 * in the body. If that succeeds, it is always sent in the body from then on.
 */
export function tokenSource(
  endpoint: TokenEndpoint,
  context: { readonly environment: Environment; readonly limits: HttpLimits; readonly retries: Retries },
) {
  const { environment, limits, retries } = context
  let token: Token | null = null
  let renewal: Promise<Token> | null = null
  let way: 'header' | 'body' = 'header'

  function ask(by: typeof way): Promise<Answer> {
    const id = endpoint.clientId.reveal()
    const secret = endpoint.clientSecret.reveal()
    // A blank is encoded as %20 and not as +, because all servers decode %20 in the same way.
    const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')
    const body = new URLSearchParams({ grant_type: 'client_credentials' })
    if (endpoint.scope !== undefined) body.set('scope', endpoint.scope)
    if (by === 'body') {
      body.set('client_id', id)
      body.set('client_secret', secret)
    }
    const request = {
      method: 'POST',
      url: endpoint.url,
      addressKey: endpoint.addressKey,
      headers: {
        ...(by === 'header' ? { Authorization: `Basic ${basic}` } : {}),
        'Content-Type': 'application/x-www-form-urlencoded',
        Accept: 'application/json',
      },
      body: body.toString(),
    } as const
    return send({ ...request, sizeKey: null }, { ...limits, maxResponseBytes: MAX_TOKEN_BYTES })
  }

  /** Exchanges the credentials for a token. @throws HttpFault if the status of the answer is not 200 */
  async function exchange(): Promise<string> {
    for (let by = way; ; by = 'body') {
      const answer = await ask(by)
      const { status } = answer
      if (status === 200) {
        way = by
        return textOf(answer)
      }
      const error = await errorOf(answer)
      const isOfWay = by === 'header' && REFUSED.has(status) && !OTHER_CAUSES.has(error ?? '')
      if (endpoint.takesPost && isOfWay) continue
      const fault = statusFault(answer, environment.now(), endpoint.hintFor(status))
      if (error === null) throw fault
      throw new HttpFault(`${fault.what} (${error})`, { kind: 'status', status, hint: fault.hint })
    }
  }

  async function fetchToken(): Promise<Token> {
    const askedMs = environment.monotonic()
    const answered = ANSWERS[endpoint.lifetime].safeParse(parsed(await exchange()))
    if (!answered.success) throw new ReadError('the answer holds no token', { hint: endpoint.notToken })
    const { data } = answered
    return { header: `Bearer ${data.access_token}`, renewAtMs: renewAtMs(data, askedMs) }
  }

  function renewAtMs(
    data: { readonly expires_at?: string; readonly expires_in?: number | undefined },
    askedMs: number,
  ) {
    if (data.expires_at !== undefined) {
      const usableMs =
        Date.parse(`${data.expires_at.replace(' ', 'T')}Z`) - RENEW_BEFORE_MS - environment.now()
      // If a new token seems to have expired already, the clocks of the two machines differ. The token is
      // then used until the source refuses it.
      return usableMs > 0 ? environment.monotonic() + usableMs : Number.POSITIVE_INFINITY
    }
    const lifetimeMs = (data.expires_in ?? 0) * 1000
    if (lifetimeMs <= 0) return Number.POSITIVE_INFINITY
    return askedMs + lifetimeMs - Math.min(RENEW_BEFORE_MS, lifetimeMs / 2)
  }

  async function renew(): Promise<Token> {
    try {
      token = await retries.run('access token', fetchToken)
      return token
    } catch (error) {
      // Without the prefix about the token, the message would seem to be about the page for which the token
      // was needed.
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
    /**
     * Drops a token that the source has refused. If a newer token was fetched for another request in the
     * meantime, that token is kept.
     */
    forget(header: string): void {
      if (token?.header === header) token = null
    },
  }
}

/** Errors that would also occur if the same credentials were sent in another way. */
const OTHER_CAUSES: ReadonlySet<string> = new Set([
  'invalid_scope',
  'unsupported_grant_type',
  'invalid_grant',
])

async function errorOf(answer: Answer): Promise<string | null> {
  if (!REFUSED.has(answer.status)) {
    answer.discard()
    return null
  }
  const text = await textOf(answer).catch((error: unknown) => {
    // If the body of the answer cannot be read, the status alone is reported.
    if (error instanceof ReadError) return ''
    throw error
  })
  return errorSchema.safeParse(parsed(text)).data?.error ?? null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
