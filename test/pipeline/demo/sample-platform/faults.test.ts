import { expect, test } from 'vitest'
import type { FaultOrder } from '../../../../pipeline/demo/sample-platform/faults.ts'
import { get, post, session, statuses, upserts } from './talk.ts'
import { usePlatforms } from './use-platform.ts'

const platforms = usePlatforms()
const batch = upserts([session(1, 'S1'), session(2, 'S2'), session(3, 'S3')])
const created = [
  [1, 'created'],
  [2, 'created'],
  [3, 'created'],
]

async function armed(...faults: readonly FaultOrder[]) {
  const platform = await platforms.start()
  await platform.control('faults', faults)
  return { platform, effects: async () => (await platform.control('ledger')).ledger.length }
}

test('fails before the commit: nothing is stored, and the same key is new afterwards', async () => {
  const { platform, effects } = await armed(
    { fault: 'failBeforeCommit', how: 503 },
    { fault: 'failBeforeCommit', how: 'destroy' },
    { fault: 'failBeforeCommit', how: 'silence' },
  )
  const failed = await post(platform, batch, { key: 'k1' })
  expect([failed.status, failed.body]).toEqual([503, { error: 'unavailable' }])
  await expect(post(platform, batch, { key: 'k1' })).rejects.toThrow('fetch failed')
  await expect(post(platform, batch, { key: 'k1', timeoutMs: 200 })).rejects.toThrow('timeout')
  expect(await effects()).toBe(0)
  expect(statuses(await post(platform, batch, { key: 'k1' }))).toEqual(created)
})

test('fails after the commit: all is stored, and the same key tells what became of it', async () => {
  const { platform, effects } = await armed(
    { fault: 'failAfterCommit', how: 500 },
    { fault: 'failAfterCommit' },
    { fault: 'failAfterCommit', how: 'silence' },
  )
  expect((await post(platform, batch, { key: 'k1' })).status).toBe(500)
  expect(await effects()).toBe(3)
  await expect(post(platform, batch, { key: 'k1' })).rejects.toThrow('fetch failed')
  await expect(post(platform, batch, { key: 'k1', timeoutMs: 200 })).rejects.toThrow('timeout')
  expect(statuses(await post(platform, batch, { key: 'k1' }))).toEqual(created)
  expect(await effects()).toBe(3)
})

test.each([
  ['failBeforeCommit', 0],
  ['failAfterCommit', 3],
] as const)(
  '%s can be a crash: the process is gone as by kill -9, with %i effects stored',
  async (fault, count) => {
    const { platform } = await armed({ fault, how: 'crash' })
    await expect(post(platform, batch, { key: 'k1' })).rejects.toThrow('fetch failed')
    await platform.gone
    const next = await platforms.start()
    expect((await next.control('ledger')).ledger.length).toBe(count)
    expect(statuses(await post(next, batch, { key: 'k1' }))).toEqual(created)
  },
)

test('answers 429 in each style', async () => {
  const styles = ['retryAfter', 'retryAfterDate', 'rateLimitReset', 'none'] as const
  const { platform, effects } = await armed(
    ...styles.map((style) => ({ fault: 'rateLimit', style, seconds: 40 }) as const),
  )
  const answers = []
  for (const _ of styles) answers.push(await post(platform, batch, { key: 'k1' }))
  expect(answers.map(({ status }) => status)).toEqual([429, 429, 429, 429])
  const headers = answers.map((one) => [
    one.headers.get('retry-after'),
    one.headers.get('x-rate-limit-reset'),
  ])
  const [seconds, date, reset, none] = headers
  expect([seconds, reset, none]).toEqual([
    ['40', null],
    [null, '40'],
    [null, null],
  ])
  const ahead = Date.parse(date?.[0] ?? '') - Date.now()
  expect(ahead).toBeGreaterThan(10_000)
  expect(ahead).toBeLessThanOrEqual(40_000)
  expect(await effects()).toBe(0)
})

test('refuses a batch whole that has a given item, and no other', async () => {
  const { platform, effects } = await armed({ fault: 'refuseBatch', uniqueId: 'S2', count: 'always' })
  const refused = await post(platform, batch)
  expect([refused.status, refused.body]).toEqual([422, { error: 'refused' }])
  expect(await effects()).toBe(0)
  expect((await post(platform, upserts([session(1, 'S1')]))).status).toBe(200)
  expect((await post(platform, upserts([session(2, 'S2')]))).status).toBe(422)
})

test('fails single operations by their unique ID; the others have their effect', async () => {
  const { platform } = await armed(
    { fault: 'failOperation', uniqueId: 'S2', code: 'no_room', retryable: true },
    { fault: 'failOperation', uniqueId: 'S3', content: 'speakers' },
  )
  const answer = await post(platform, batch, { key: 'k1' })
  expect(answer.body.results).toEqual([
    { seq: 1, status: 'created' },
    { seq: 2, status: 'failed', code: 'no_room', retryable: true },
    { seq: 3, status: 'created' },
  ])
  // The key keeps its answer; another key tries anew.
  expect((await post(platform, batch, { key: 'k1' })).body).toEqual(answer.body)
  expect(statuses(await post(platform, batch, { key: 'k2' }))).toEqual([
    [1, 'unchanged'],
    [2, 'created'],
    [3, 'unchanged'],
  ])
})

test('shuffles the results and leaves none out', async () => {
  const { platform } = await armed({ fault: 'shuffleResults' })
  const seqs = statuses(await post(platform, batch)).map(([seq]) => seq)
  expect(seqs).not.toEqual([1, 2, 3])
  expect(seqs.toSorted()).toEqual([1, 2, 3])
})

test('waits before it answers', async () => {
  const { platform } = await armed({ fault: 'latency', ms: 300 })
  const began = performance.now()
  await post(platform, batch)
  expect(performance.now() - began).toBeGreaterThan(290)
})

test('a fault lets pass what it skips, comes as often as it counts, and may concern the items instead', async () => {
  const { platform } = await armed(
    { fault: 'failBeforeCommit', skip: 1, count: 2 },
    { fault: 'failBeforeCommit', how: 502, on: 'items' },
  )
  const seen = []
  for (let index = 0; index < 4; index += 1) seen.push((await post(platform, batch)).status)
  expect(seen).toEqual([200, 500, 500, 200])
  const items = '/v1/events/sample-event/items?content=agenda'
  expect([(await get(platform, items)).status, (await get(platform, items)).status]).toEqual([502, 200])
  expect((await platform.control('faults')).faults).toEqual([])
})

test('new faults take the place of those before; one that is no fault is refused and changes nothing', async () => {
  const { platform } = await armed({ fault: 'failBeforeCommit', count: 'always' })
  await expect(platform.control('faults', { fault: 'failBeforeCommit', how: 200 })).rejects.toThrow('400')
  await expect(platform.control('faults', [{ fault: 'sleepy' }])).rejects.toThrow('400')
  expect((await post(platform, batch)).status).toBe(500)
  expect((await platform.control('faults')).faults).toEqual([
    { fault: 'failBeforeCommit', how: 500, on: 'batches', skip: 0, count: 'always' },
  ])
  expect((await platform.control('faults', [])).faults).toEqual([])
  expect((await post(platform, batch)).status).toBe(200)
})

test('tells which requests came and what they were answered, those without an answer included', async () => {
  const { platform } = await armed({ fault: 'failAfterCommit' })
  await post(platform, batch, { key: 'k1' }).catch(() => null)
  await post(platform, batch, { key: 'k1' })
  await get(platform, '/v1/events/sample-event/items?content=agenda', 'other')
  expect((await platform.control('requests')).requests).toEqual([
    { method: 'POST', path: '/v1/events/sample-event/batches', status: null },
    { method: 'POST', path: '/v1/events/sample-event/batches', status: 200 },
    { method: 'GET', path: '/v1/events/sample-event/items?content=agenda', status: 401 },
  ])
})
