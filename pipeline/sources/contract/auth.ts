import { z } from 'zod'
import { isTemporary } from '../../http/retry.ts'
import type { Frozen } from '../../schemas/values.ts'
import { addressOf } from '../../settings/addresses.ts'
import { ConfigError } from '../../settings/errors.ts'
import { accountHash, resolveSecret, Secret } from '../../settings/secrets.ts'
import {
  addressOrReference,
  isReference,
  oneOf,
  type SecretReference,
  secretReference,
  text,
} from '../../settings/values.ts'
import { LATER_HINT } from './require-ok.ts'
import type { Source } from './source.ts'
import type { SourceContext } from './source-type.ts'
import { HEADER_VALUE, tokenSource } from './token.ts'

const FORMS = {
  clientCredentials: {
    shape: {
      type: z
        .literal('clientCredentials')
        .describe('A token that client id and secret are exchanged for (OAuth 2.0, RFC 6749, 4.4).'),
      tokenUrl: addressOrReference()
        .describe('Address of tokens: an https address, on any host, or env:NAME or file:PATH of one.')
        .meta({ examples: ['https://login.example/oauth2/token'] }),
      clientId: text()
        .describe('Id of the client, or env:NAME or file:PATH of it.')
        .meta({ examples: ['event-content-sync'] }),
      clientSecret: secretReference()
        .describe('Secret of the client: env:NAME or file:PATH.')
        .meta({ examples: ['env:SOURCE_A_CLIENT_SECRET'] }),
      scope: text()
        .optional()
        .describe('Scope to ask for, such as two names with a blank between them; left out: none.')
        .meta({ examples: ['agenda.read'] }),
    },
  },
  bearer: {
    shape: {
      type: z.literal('bearer').describe('A token that does not change.'),
      token: secretReference()
        .describe('The token: env:NAME or file:PATH.')
        .meta({ examples: ['env:SOURCE_A_TOKEN'] }),
    },
  },
}

/** Makes the schema of `source.auth`: credentials for a source that can also be read without credentials. */
export function sourceAuth() {
  return oneOf(FORMS)
    .optional()
    .describe('Credentials for a source that does not answer anonymous readers; left out: none are sent.')
}

export type SourceAuth = Frozen<NonNullable<z.output<ReturnType<typeof sourceAuth>>>>

type Authorized = Pick<Source, 'account' | 'authorization' | 'renewAuthorization'>

const ANONYMOUS: Authorized = {
  account: null,
  authorization: async () => ({}),
  renewAuthorization: () => undefined,
}

/**
 * Makes the credentials that requests to a source need. Credentials are sent only to addresses below the
 * address of the source. The client id and the client secret are sent only to the token address.
 *
 * @throws ConfigError if a secret is missing or cannot be used
 */
export function authorizationOf(
  auth: SourceAuth | undefined,
  integrationId: string,
  context: SourceContext,
): Authorized {
  if (auth === undefined) return ANONYMOUS
  const { secrets } = context
  const secretOf = (key: string, reference: SecretReference) =>
    resolveSecret(reference, secrets, `source.auth.${key} of ${integrationId}`)
  if (auth.type === 'bearer') {
    const token = secretOf('token', auth.token)
    requireHeader(token, `source.auth.token of ${integrationId}`)
    return {
      ...ANONYMOUS,
      account: accountHash([token]),
      authorization: async () => ({ Authorization: `Bearer ${token.reveal()}` }),
    }
  }
  const clientId = isReference(auth.clientId)
    ? secretOf('clientId', auth.clientId)
    : new Secret(auth.clientId)
  const endpoint = {
    url: addressOf(auth.tokenUrl, 'source.auth.tokenUrl', secrets),
    addressKey: 'source.auth.tokenUrl',
    clientId,
    clientSecret: secretOf('clientSecret', auth.clientSecret),
    scope: auth.scope,
    lifetime: 'expires_in',
    takesPost: true,
    hintFor,
    notToken: 'check that source.auth.tokenUrl is the token address of the identity provider',
  } as const
  const tokens = tokenSource(endpoint, context)
  return {
    account: accountHash([clientId]),
    authorization: async () => ({ Authorization: await tokens.header() }),
    renewAuthorization: (refused) => tokens.forget(refused.Authorization ?? ''),
  }
}

/** Lists the references to secrets in `source.auth`, each with its key below `source`. */
export function referencesOf(
  auth: SourceAuth | undefined,
): readonly (readonly [key: string, reference: SecretReference])[] {
  if (auth === undefined) return []
  if (auth.type === 'bearer') return [['auth.token', auth.token]]
  const id = isReference(auth.clientId) ? [['auth.clientId', auth.clientId] as const] : []
  const url = isReference(auth.tokenUrl) ? [['auth.tokenUrl', auth.tokenUrl] as const] : []
  return [...url, ...id, ['auth.clientSecret', auth.clientSecret]]
}

function requireHeader(token: Secret, what: string): void {
  if (HEADER_VALUE.test(token.reveal())) return
  throw new ConfigError(`${what}: the token has a character that no header can hold (not shown)`, {
    todo: 'put the token alone there, without blanks and line ends',
  })
}

function hintFor(status: number): string {
  if (isTemporary(status)) return LATER_HINT
  if (status === 404 || (status >= 300 && status < 400)) {
    return 'check source.auth.tokenUrl; redirects of it are not followed'
  }
  return 'check source.auth: clientId, clientSecret and scope'
}
