import type { IncomingMessage } from 'node:http'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../../pipeline/config/config.ts'
import { ReadError } from '../../../../pipeline/http/read-error.ts'
import { makeRetries } from '../../../../pipeline/http/retry.ts'
import { ConfigError } from '../../../../pipeline/settings/errors.ts'
import { authorizationOf, type SourceAuth } from '../../../../pipeline/sources/contract/auth.ts'
import { limits } from '../../extract/requests.ts'
import { failureOf, sendJson, testEnvironment } from '../../extract/support.ts'
import { useServers } from '../../extract/use-servers.ts'

const { start } = useServers()

const ID = 'client:ä+'
const SECRET = "canary s&cr=t%'~"

interface Asked {
  readonly authorization: string | undefined
  readonly form: Readonly<Record<string, string>>
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += piece
  return text
}

/** Starts an identity provider whose answers the test defines. */
async function startProvider(
  answer: (asked: Asked, number: number) => readonly [status: number, body: unknown],
) {
  const asked: Asked[] = []
  const { url } = await start(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await bodyOf(request)))
    expect(request.headers['content-type']).toBe('application/x-www-form-urlencoded')
    asked.push({ authorization: request.headers.authorization, form })
    const [status, body] = answer(asked.at(-1) as Asked, asked.length)
    sendJson(response, body, status)
  })
  return { asked, url }
}

function authorize(
  auth: Partial<Extract<SourceAuth, { type: 'clientCredentials' }>> & { readonly tokenUrl: string },
) {
  const environment = testEnvironment()
  const retries = makeRetries(environment, 300_000, () => undefined)
  const secrets = { env: { ID, SECRET }, readFile: () => '', configFolder: '/', insecureHttp: true }
  const given: SourceAuth = {
    type: 'clientCredentials',
    clientId: 'env:ID',
    clientSecret: 'env:SECRET',
    ...auth,
  }
  return { environment, ...authorizationOf(given, 'summit', { environment, retries, limits, secrets }) }
}

/** Returns the client id and the secret, decoded from the header as a server decodes them. */
function basicOf({ authorization = '' }: Asked): readonly string[] {
  const text = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString()
  return text.split(':').map(decodeURIComponent)
}

test('a token is requested with client id and secret in the header, encoded by RFC 6749, and with the scope in the body [R11]', async () => {
  const provider = await startProvider(() => [
    200,
    { access_token: 'T1', token_type: 'Bearer', expires_in: 3600 },
  ])
  const { authorization } = authorize({ tokenUrl: provider.url, scope: 'agenda.read users.read' })
  expect(await authorization()).toEqual({ Authorization: 'Bearer T1' })
  const [asked] = provider.asked
  expect(asked === undefined ? [] : basicOf(asked)).toEqual([ID, SECRET])
  expect(asked?.form).toEqual({ grant_type: 'client_credentials', scope: 'agenda.read users.read' })
})

test('without a configured scope no scope is requested, and the client id may be written in the configuration', async () => {
  const provider = await startProvider(() => [200, { access_token: 'T1', expires_in: '3600' }])
  await authorize({ tokenUrl: provider.url, clientId: 'summit-client' }).authorization()
  expect(provider.asked[0]?.form).toEqual({ grant_type: 'client_credentials' })
  expect(provider.asked.map(basicOf)).toEqual([['summit-client', SECRET]])
})

describe('a server that refuses the secret in the header gets the secret in the body from then on', () => {
  test.each([
    [401, { error: 'invalid_client' }],
    [400, { error: 'invalid_request', error_description: 'canary' }],
    [400, 'no JSON'],
    [403, {}],
  ])(
    'if a server refuses the secret in the header with %i %j, it gets the secret in the body from then on',
    async (status, body) => {
      const provider = await startProvider(({ form }) =>
        form.client_secret === SECRET && form.client_id === ID
          ? [200, { access_token: 'T', expires_in: 60 }]
          : [status, body],
      )
      const { authorization, environment } = authorize({ tokenUrl: provider.url, scope: 's' })
      expect(await authorization()).toEqual({ Authorization: 'Bearer T' })
      await environment.sleep(60_000)
      await authorization()
      expect(
        provider.asked.map(({ authorization: header, form }) => [header !== undefined, form.scope]),
      ).toEqual([
        [true, 's'],
        [false, 's'],
        [false, 's'],
      ])
    },
  )
})

describe('a token is renewed', () => {
  test.each<[what: string, lifetime: number | string | null | undefined, keptMs: number, renewedMs: number]>([
    ['a minute before it expires', 3600, 3_539_000, 3_540_000],
    ['after half its time if it lasts a minute', 60, 29_000, 30_000],
    ['by a lifetime that is a text', '3600', 3_539_000, 3_540_000],
    ['never by the clock without a lifetime', undefined, 10 * 86_400_000, Number.NaN],
    ['never by the clock with a lifetime of null', null, 10 * 86_400_000, Number.NaN],
    ['never by the clock with a lifetime of zero', 0, 10 * 86_400_000, Number.NaN],
  ])('%s', async (_, expires_in, keptMs, renewedMs) => {
    const provider = await startProvider((_asked, number) => [
      200,
      { access_token: `T${number}`, expires_in },
    ])
    const { authorization, environment } = authorize({ tokenUrl: provider.url })
    await authorization()
    await environment.sleep(keptMs)
    expect(await authorization()).toEqual({ Authorization: 'Bearer T1' })
    if (Number.isNaN(renewedMs)) return
    await environment.sleep(renewedMs - keptMs)
    expect(await authorization()).toEqual({ Authorization: 'Bearer T2' })
  })

  test('if several requests find a token refused, one new token is requested, and all of them use it', async () => {
    const provider = await startProvider((_asked, number) => [
      200,
      { access_token: `T${number}`, expires_in: 3600 },
    ])
    const { authorization, renewAuthorization } = authorize({ tokenUrl: provider.url })
    const first = await Promise.all([authorization(), authorization(), authorization()])
    for (const headers of first) renewAuthorization(headers)
    const second = await Promise.all([authorization(), authorization()])
    for (const headers of first) renewAuthorization(headers)
    expect([...second, await authorization()]).toEqual(Array(3).fill({ Authorization: 'Bearer T2' }))
    expect(provider.asked).toHaveLength(2)
  })
})

describe('an error contains no secret', () => {
  test.each<[number, unknown, string]>([
    [
      401,
      { error: 'invalid_client', error_description: SECRET },
      'answered 401 (invalid_client): check source.auth: clientId, clientSecret and scope',
    ],
    [
      400,
      { error: 'invalid_scope' },
      'answered 400 (invalid_scope): check source.auth: clientId, clientSecret and scope',
    ],
    [400, { error: SECRET }, 'answered 400: check source.auth: clientId, clientSecret and scope'],
    [401, 'x'.repeat(100_000), 'answered 401: check source.auth: clientId, clientSecret and scope'],
    [302, {}, 'answered 302: check source.auth.tokenUrl; redirects of it are not followed'],
    [404, {}, 'answered 404: check source.auth.tokenUrl; redirects of it are not followed'],
    ...[
      {},
      { access_token: '' },
      { access_token: 'canary\nX-Evil: 1' },
      { access_token: 'canary', token_type: 'mac' },
      'canary',
    ].map((body): [number, unknown, string] => [
      200,
      body,
      'the answer holds no token: check that source.auth.tokenUrl is the token address of the identity provider',
    ]),
  ])('%i %j', async (status, body, message) => {
    const provider = await startProvider(() => [status, body])
    const error = await failureOf(authorize({ tokenUrl: provider.url }).authorization())
    expect(error).toBeInstanceOf(ReadError)
    expect(error.message).toBe(`access token: ${message}`)
    const printed = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error)
    expect(printed).not.toContain('canary')
    expect(printed).not.toContain(encodeURIComponent(SECRET))
  })

  test('if the scope is invalid, the request is not repeated with the secret in the body', async () => {
    const provider = await startProvider(() => [400, { error: 'invalid_scope' }])
    await failureOf(authorize({ tokenUrl: provider.url, scope: 'x' }).authorization())
    expect(provider.asked).toHaveLength(1)
  })

  test.each(['canary\ncanary', 'Bearer canary', ''])(
    'the configured token %j is refused without being shown, because a header cannot contain it',
    (token) => {
      const environment = testEnvironment()
      const context = {
        environment,
        limits,
        retries: makeRetries(environment, 0, () => undefined),
        secrets: { env: { T: token }, readFile: () => '', configFolder: '/' },
      }
      const work = () => authorizationOf({ type: 'bearer', token: 'env:T' }, 'summit', context)
      expect(work).toThrow(ConfigError)
      expect(work).toThrow('source.auth.token of summit')
      expect(work).not.toThrow('canary')
    },
  )
})

test('the account of a client is named by a short hash, and printing a secret does not show it', () => {
  const { account } = authorize({ tokenUrl: 'https://login.example' })
  expect(account).toMatch(/^[0-9a-f]{8}$/)
  expect(inspect(new Secret(SECRET))).not.toContain('canary')
})
