import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { creditsInMemory, makeRateBudgets } from '../../../pipeline/http/rate.ts'
import { makeRetries } from '../../../pipeline/http/retry.ts'
import { makeRequest } from '../../../pipeline/targets/request.ts'
import type { TargetContext } from '../../../pipeline/targets/target-type.ts'
import { type Loopback, serve } from '../../harness/loopback.ts'
import { testEnvironment } from '../extract/support.ts'

describe('requests of a target', () => {
  let server: Loopback
  let statuses: number[] = []
  let asked: { readonly at: number; readonly method: string | undefined }[] = []
  let clock = testEnvironment()
  beforeAll(async () => {
    server = await serve(({ method }, response) => {
      asked.push({ at: clock.monotonic(), method })
      response.statusCode = statuses.shift() ?? 200
      response.end('{"ok": true}')
    })
  })
  afterAll(() => server.close())
  beforeEach(() => {
    statuses = []
    asked = []
    clock = testEnvironment()
  })

  function open(requestsPerMinute: number | undefined, path = '') {
    const waits: string[] = []
    const budgets = makeRateBudgets(clock, creditsInMemory(clock))
    const context: TargetContext = {
      integrationId: 'one',
      secrets: { env: {}, readFile: () => '', configFolder: '.' },
      outputMode: 'private',
      limits: { timeoutMs: 10_000, maxResponseMs: 10_000, maxResponseBytes: 1000 },
      at: () => undefined,
      now: () => clock.now(),
      retriesAt: () => makeRetries(clock, 300_000, () => undefined),
      budgetOf: (_, account, most, cause) => budgets.paced(account, most, () => waits.push(cause)),
    }
    const place = { title: 'Example', url: `${server.url}${path}`, account: 'one', requestsPerMinute }
    return { request: makeRequest(place, context), again: makeRequest(place, context), waits }
  }

  test('an unknown option of a request is refused before anything is sent', async () => {
    const { request } = open(undefined)
    await expect(request('people', { methd: 'POST' } as object)).rejects.toThrow(
      'the options of `request` of Example: methd: unknown key; did you mean method?; correct the file of the target',
    )
    expect(asked).toEqual([])
  })

  test.each([
    [6, 10_167],
    [600, 102],
  ])(
    'with %i requests a minute, requests begin every %i ms, also repeated requests and requests of another connection',
    async (most, intervalMs) => {
      const { request, again, waits } = open(most)
      await request('people', { method: 'POST', body: {} })
      await again('people')
      await again('people')
      const first = asked[0]?.at ?? 0
      expect(asked.map(({ at }) => at - first)).toEqual([0, intervalMs, 2 * intervalMs])
      statuses = [503, 503]
      expect(await request('people')).toEqual({ status: 200, body: { ok: true } })
      for (const [index, { at }] of asked.entries())
        expect(at - (asked[index - 1]?.at ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(intervalMs)
      expect(asked).toHaveLength(6)
      const reported = intervalMs < 1000 ? [] : ['Example takes at most 6 requests a minute']
      expect([...new Set(waits)]).toEqual(reported)
    },
  )

  test('without a limit, no request waits', async () => {
    const { request, waits } = open(undefined)
    await request('people')
    await request('people/7', { method: 'DELETE' })
    expect([clock.sleeps, waits, asked.map(({ method }) => method)]).toEqual([[], [], ['GET', 'DELETE']])
  })

  test.each([
    [401, /the platform answered 401: check the credentials in platform/],
    [403, /the platform answered 403: check what the credentials in platform may do/],
    [302, /the platform answered 302: check platform\.url/],
  ])('an answer %i stops the run and says what to check', async (status, message) => {
    statuses = [status]
    await expect(open(undefined).request('people')).rejects.toThrow(message)
  })

  test('any other final answer is returned', async () => {
    statuses = [422]
    expect(await open(undefined).request('people')).toEqual({ status: 422, body: { ok: true } })
  })

  test.each(['/elsewhere', 'https://elsewhere.example/', '../up'])(
    'the path %s is refused, because credentials are sent only below platform.url',
    async (path) => {
      await expect(open(undefined, '/base').request(path)).rejects.toThrow('not below platform.url')
      expect(asked).toEqual([])
    },
  )
})
