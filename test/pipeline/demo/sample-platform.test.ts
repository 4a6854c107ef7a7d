import { expect, onTestFinished, test } from 'vitest'
import { samplePlatformAccess, startSamplePlatform } from '../../../pipeline/demo/sample-platform.ts'

const upsert = (seq: number, uniqueId: string, name = 'Opening') => ({
  ...{ seq, op: 'upsert', content: 'agenda', uniqueId },
  fields: { name },
})
const remove = (seq: number, uniqueId: string) => ({ seq, op: 'remove', content: 'agenda', uniqueId })

interface Answer {
  readonly items?: readonly { readonly uniqueId: string }[]
  readonly next?: string | null
  readonly results?: readonly { readonly status: string; readonly code?: string }[]
}

async function start() {
  const platform = await startSamplePlatform()
  onTestFinished(platform.close)
  const base = `${platform.url}/v1/events/${samplePlatformAccess.eventId}`
  const authorization = `Bearer ${samplePlatformAccess.token}`
  const answered = async (response: Response): Promise<readonly [number, Answer]> => [
    response.status,
    (await response.json()) as Answer,
  ]
  return {
    base,
    post: async (key: string, fence: number, operations: readonly unknown[]) => {
      const body = JSON.stringify({ integration: 'summit', run: `run ${fence}`, fence, operations })
      const headers = { authorization, 'idempotency-key': key }
      return answered(await fetch(`${base}/batches`, { method: 'POST', headers, body }))
    },
    get: async (query: string) =>
      answered(await fetch(`${base}/items?${query}`, { headers: { authorization } })),
  }
}

test('the sample platform applies operations in order and once per idempotency key, and refuses an older fence number', async () => {
  const { post, get } = await start()
  const operations = [
    ...[upsert(1, 'S1'), upsert(2, 'S1'), upsert(3, 'S1', 'Closing')],
    ...[remove(4, 'S2'), upsert(5, 'S2'), remove(6, 'S2')],
  ]
  const statuses = ['created', 'unchanged', 'updated', 'unchanged', 'created', 'removed']
  const first = await post('k1', 1, operations)
  expect(first).toEqual([200, { results: statuses.map((status, index) => ({ seq: index + 1, status })) }])
  expect(await post('k1', 1, operations)).toEqual(first)
  expect(await post('k1', 1, [upsert(7, 'S3')])).toEqual([409, { error: 'key_reused' }])
  expect(await post('k2', 0, [remove(1, 'S1')])).toEqual([409, { error: 'stale_fence', fence: 1 }])
  const items = [{ uniqueId: 'S1', fields: { name: 'Closing' } }]
  expect(await get('content=agenda')).toEqual([200, { items, next: null, fence: 1, total: 1 }])
})

test('the sample platform lists its items in pages, sorted by the bytes of their ids', async () => {
  const { post, get } = await start()
  const ids = ['\u{1f600}', 'ﬀ', ...Array.from({ length: 150 }, (_, index) => `S${1000 + index}`)]
  await post(
    'k1',
    1,
    ids.map((id, index) => upsert(index + 1, id)),
  )
  const [, first] = await get('content=agenda')
  const [, second] = await get(`content=agenda&cursor=${first.next}`)
  expect(second.next).toBeNull()
  const given = [first, second].flatMap(({ items = [] }) => items.map(({ uniqueId }) => uniqueId))
  expect(given).toEqual([...ids.slice(2), 'ﬀ', '\u{1f600}'])
})

test('the sample platform answers 401 to a request without a token, and 400 to an unknown content', async () => {
  const { base, get } = await start()
  expect((await fetch(`${base}/items?content=agenda`)).status).toBe(401)
  expect(await get('content=rooms')).toEqual([400, { error: 'invalid' }])
})

test('after a batch, each e-mail address belongs to at most one attendee of the sample platform', async () => {
  const { post } = await start()
  const at = (seq: number, uniqueId: string, name: string) => ({
    ...{ seq, op: 'upsert', content: 'attendees', uniqueId },
    fields: { emailAddress: `${name}@people.example` },
  })
  const statuses = async (key: string, ...operations: readonly object[]) => {
    const [, { results }] = await post(key, 1, operations)
    return results?.map(({ status, code = status }) => code)
  }
  expect(await statuses('k1', at(1, 'P1', 'a'), at(2, 'P2', 'b'), at(3, 'P3', 'A'))).toEqual([
    'created',
    'created',
    'email_taken',
  ])
  expect(await statuses('k2', at(1, 'P1', 'b'), at(2, 'P2', 'a'))).toEqual(['updated', 'updated'])
  // Attendee P2 cannot get address b, because attendee P1 has it. Therefore P2 keeps address a, and attendee
  // P4 cannot get address a.
  expect(await statuses('k3', at(1, 'P2', 'b'), at(2, 'P4', 'a'))).toEqual(['email_taken', 'email_taken'])
})
