import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { Secret } from '../../../../pipeline/config/config.ts'
import { ReadError } from '../../../../pipeline/http/read-error.ts'
import { makeRetries } from '../../../../pipeline/http/retry.ts'
import { TOKEN_ENDPOINT } from '../../../../pipeline/sources/b/index.ts'
import { tokenSource } from '../../../../pipeline/sources/contract/token.ts'
import type { serve } from '../../../harness/loopback.ts'
import {
  type SampleSourceBOptions,
  sampleSourceBDefaults,
  startSampleSourceB,
} from '../../../harness/sample-source/b.ts'
import { failureOf, sendJson, testEnvironment } from '../../extract/support.ts'
import { useServers } from '../../extract/use-servers.ts'

const { start, closing } = useServers()

const { apiKey, authenticationSecret }: { readonly [key in 'apiKey' | 'authenticationSecret']: string } =
  sampleSourceBDefaults
const environmentOf = () => {
  const environment = testEnvironment()
  const retries = makeRetries(environment, 300_000, () => undefined)
  return {
    environment,
    limits: { timeoutMs: 5000, maxResponseMs: 5000, maxResponseBytes: 1_000_000 },
    retries,
  }
}

function tokensAt(url: string, context = environmentOf(), key = apiKey, secret = authenticationSecret) {
  const credentials = { clientId: new Secret(key), clientSecret: new Secret(secret) }
  const address = new URL(`${url}/api/v1/oauth2/token.json`)
  return tokenSource({ ...TOKEN_ENDPOINT, ...credentials, url: address }, context)
}

async function startB(options: SampleSourceBOptions = {}) {
  const context = environmentOf()
  const source = closing(
    await startSampleSourceB(
      { sessions: [], registrants: [], regTypes: [] },
      { now: context.environment.now, ...options },
    ),
  )
  const admits = async (header: string) => {
    const answer = await fetch(`${source.url}/api/v1/sessions.json?event_id=77`, {
      headers: { Authorization: header },
    })
    return answer.status === 200
  }
  return { context, source, tokens: tokensAt(source.url, context), admits }
}

test.each([
  [apiKey, authenticationSecret],
  ['k:e%41y+', 's'],
  ['k', 'é ü&=:%2F+'],
])('credentials that need URL encoding get a valid token: %s, %s [spec 5.1.2, R12]', async (key, secret) => {
  const { source, context, admits } = await startB({ apiKey: key, authenticationSecret: secret })
  expect(await admits(await tokensAt(source.url, context, key, secret).header())).toBe(true)
})

describe('one token serves all requests', () => {
  test('all requests use one token, and one new token is requested a minute before the old token expires [spec 5.1 p1, R12]', async () => {
    const { tokens, source, context, admits } = await startB({ tokenMinutes: 30 })
    const [first = '', ...others] = await Promise.all(Array.from({ length: 5 }, () => tokens.header()))
    expect(new Set(others)).toEqual(new Set([first]))
    await context.environment.sleep(28 * 60_000)
    expect(await tokens.header()).toBe(first)
    await context.environment.sleep(60_000)
    const renewed = await Promise.all(Array.from({ length: 5 }, () => tokens.header()))
    expect(new Set(renewed).size).toBe(1)
    expect(renewed).not.toContain(first)
    expect(await admits(renewed[0] ?? '')).toBe(true)
    expect(source.requests.filter(({ method }) => method === 'POST')).toHaveLength(2)
  })

  test.each([
    ['a year ahead', 365 * 24],
    ['an hour behind', -1],
  ])('if the clock of the machine is %s, a token is used until it is refused', async (_, hours) => {
    const { source, context, admits } = await startB({ tokenMinutes: 30 })
    const { environment } = context
    const wrong = { ...environment, now: () => environment.now() + hours * 3_600_000 }
    const tokens = tokensAt(source.url, { ...context, environment: wrong })
    const first = await tokens.header()
    expect(await tokens.header()).toBe(first)
    await environment.sleep(31 * 60_000)
    expect(await tokens.header()).toBe(first)
    expect(await admits(first)).toBe(false)
    tokens.forget(first)
    expect(await admits(await tokens.header())).toBe(true)
    expect(source.requests.filter(({ method }) => method === 'POST')).toHaveLength(2)
  })

  test('a token is renewed in time even if the clock of the machine is set meanwhile', async () => {
    const { source, context } = await startB({ tokenMinutes: 30 })
    const { environment } = context
    let setByMs = 0
    const tokens = tokensAt(source.url, {
      ...context,
      environment: { ...environment, now: () => environment.now() + setByMs },
    })
    const first = await tokens.header()
    setByMs = 3_600_000
    expect(await tokens.header()).toBe(first)
    setByMs = -3_600_000
    await environment.sleep(29 * 60_000)
    expect(await tokens.header()).not.toBe(first)
  })

  test('the expiry of a token is in UTC, whatever the time zone of the machine [R12]', async () => {
    vi.stubEnv('TZ', 'Pacific/Auckland')
    try {
      const { tokens, context } = await startB({ tokenMinutes: 30 })
      const first = await tokens.header()
      await context.environment.sleep(28 * 60_000)
      expect(await tokens.header()).toBe(first)
      await context.environment.sleep(60_000)
      expect(await tokens.header()).not.toBe(first)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('a token is renewed once if several requests find it refused', async () => {
    const { tokens, source } = await startB()
    const first = await tokens.header()
    tokens.forget(first)
    const second = await tokens.header()
    tokens.forget(first)
    expect(await tokens.header()).toBe(second)
    expect(second).not.toBe(first)
    expect(source.requests).toHaveLength(2)
  })

  test('a failed request for a token does not last: the next request tries again', async () => {
    const server = await start((_, response, number) =>
      number === 1
        ? sendJson(response, {}, 403)
        : sendJson(response, { access_token: 't', type: 'bearer', expires_at: '2099-01-01 00:00:00' }),
    )
    const tokens = tokensAt(server.url)
    const failures = await Promise.allSettled([tokens.header(), tokens.header()])
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await tokens.header()).toBe('Bearer t')
    expect(server.requests).toHaveLength(2)
  })
})

test('a temporary fault of a request for a token is retried', async () => {
  const context = environmentOf()
  const server = await start((request, response, number) => {
    if (number === 1) request.socket.destroy()
    else if (number === 2) sendJson(response, {}, 503, { 'Retry-After': '3' })
    else sendJson(response, { access_token: 't', type: 'bearer', expires_at: '2099-01-01 00:00:00' })
  })
  expect(await tokensAt(server.url, context).header()).toBe('Bearer t')
  expect(context.environment.sleeps).toEqual([250, 3000])
})

test.each<[string, unknown]>([
  ['no token', {}],
  ['an empty token', { access_token: '', expires_at: '2099-01-01 00:00:00' }],
  ['no expiry', { access_token: 'tell-nobody' }],
  ['another form of expiry', { access_token: 'tell-nobody', expires_at: 'tomorrow' }],
  ['no object', 'tell-nobody'],
  ['an error', { message: 'tell-nobody' }],
])('an answer with %s is a failed read, and the error contains nothing of the answer', async (_, body) => {
  const server = await start((_request, response) => sendJson(response, body))
  const error = await failureOf(tokensAt(server.url).header())
  expect(error).toBeInstanceOf(ReadError)
  expect(error.message).toBe(
    'access token: the answer holds no token: check that source.url is the address of the API and not a web page, then check source.eventId',
  )
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('tell-nobody')
})

test('an answer that is far too large for a token is refused', async () => {
  const server = await start((_, response) => response.end('x'.repeat(1_000_000)))
  const error = await failureOf(tokensAt(server.url).header())
  expect(error.message).toMatch(/larger than/)
})

describe('an error contains no credentials', () => {
  const key = 'canary-key/+ä'
  const secret = 'canary:secret%'
  const spellings = [
    key,
    secret,
    encodeURIComponent(key),
    encodeURIComponent(secret),
    'canary',
    Buffer.from(`${encodeURIComponent(key)}:${encodeURIComponent(secret)}`).toString('base64'),
    Buffer.from('canary').toString('base64').slice(0, 7),
  ]

  test.each<[string, Parameters<typeof serve>[0], string]>([
    [
      'if they are refused',
      (_, response) => sendJson(response, { message: 'x' }, 401),
      'answered 401: check the credentials in the configuration',
    ],
    [
      'if the address redirects',
      (_, response) => sendJson(response, '', 301, { Location: '/x' }),
      'answered 301: a redirect is followed three times at most, and only below source.url; check source.url',
    ],
    [
      'if the connection breaks',
      (request) => request.socket.destroy(),
      'the connection failed (ECONNRESET); waiting longer would exceed http.retryBudgetSeconds (300): check source.url, and that this machine can reach it (firewall, proxy)',
    ],
    [
      'if the answer repeats them',
      (request, response) => sendJson(response, request.headers),
      'the answer holds no token: check that source.url is the address of the API and not a web page, then check source.eventId',
    ],
  ])('%s', async (_, answer, message) => {
    const server = await start(answer)
    const error = await failureOf(tokensAt(server.url, environmentOf(), key, secret).header())
    expect(error).toBeInstanceOf(ReadError)
    expect(error.message).toBe(`access token: ${message}`)
    const printed = inspect(error, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(error)
    for (const spelling of spellings) expect(printed).not.toContain(spelling)
  })
})
